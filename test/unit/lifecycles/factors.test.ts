/** The commits of factors: the rows on which each change relies, and those that wait for each other. */
import { describe, expect, test } from 'vitest';
import type { Commit } from '../../../src/engine/commit.ts';
import { accountIn, newPasskeyIn } from '../../../src/lifecycles/account-row.ts';
import { ofUser } from '../../../src/lifecycles/other-factors.ts';
import { MAX_PASSKEYS, type Passkey } from '../../../src/lifecycles/passkey/entity.ts';
import {
  type NewPasskey,
  type PasskeyFacts,
  passkeyLifecycle,
  passkeyRegistration,
  unregistered,
} from '../../../src/lifecycles/passkey/lifecycle.ts';
import type { SecondFactor } from '../../../src/lifecycles/second-factor/entity.ts';
import { type SecondFactorFacts, secondFactorLifecycle } from '../../../src/lifecycles/second-factor/lifecycle.ts';
import type { Actor } from '../../../src/model/actor.ts';
import { NOW, seconds } from './given.ts';

const USER_ID = '33333333-3333-4333-8333-333333333333';
const OPERATOR: Actor = { kind: 'operator', id: 'a-sub', addressHash: null };
const NEW: NewPasskey = {
  id: '44444444-4444-4444-8444-444444444444',
  userId: USER_ID,
  name: 'Phone',
  credentialId: new Uint8Array([1, 2, 3]),
  publicKey: new Uint8Array([4]),
  counter: 0,
  backupEligible: true,
  transports: ['internal'],
};
const WAITING = unregistered(NEW, NOW);
const ACTIVE: Passkey = { ...WAITING, state: 'active' };
const REMOVED: Passkey = { ...ACTIVE, state: 'removed', publicKey: null, removedAt: NOW };
const ALONE = { password: false, passkeys: 0, linkedIdentities: 0 };
const FACTS: PasskeyFacts = {
  now: NOW,
  user: { disabledAt: null },
  hasAnother: false,
  otherWays: ALONE,
  isDemanded: false,
  counter: null,
  name: null,
  byPasswordAlone: false,
};

const APP: SecondFactor = {
  id: '55555555-5555-4555-8555-555555555555',
  userId: USER_ID,
  state: 'unconfirmed',
  sealedSecret: 'sealed',
  lastStep: null,
  createdAt: NOW,
  confirmedAt: null,
  removedAt: null,
};
const CONFIRMED: SecondFactor = { ...APP, state: 'active', confirmedAt: NOW };
const WITHOUT_SECRET: SecondFactor = { ...CONFIRMED, state: 'removed', sealedSecret: null, removedAt: NOW };

const step = <Row>(before: Row, after: Row) => ({ before, after, decisions: [], entries: [] });
const relied = ({ requires, inTurn }: Commit) => ({ that: requires.map(({ that }) => that), inTurn });
const TURN = ofUser({ userId: USER_ID });

describe('the commit of a passkey', () => {
  const commit = (before: Passkey, after: Passkey, change: Partial<PasskeyFacts> = {}) =>
    passkeyLifecycle.commitOf(step(before, after), { ...FACTS, ...change }, []);

  test.each<[string, Passkey, Passkey, Partial<PasskeyFacts>, readonly string[], boolean]>([
    ['a registration', WAITING, ACTIVE, {}, ['the end-user is enabled', 'there is room for a passkey'], true],
    [
      'a registration after the password alone',
      WAITING,
      ACTIVE,
      { byPasswordAlone: true },
      ['no other factor is active', 'the end-user is enabled', 'there is room for a passkey'],
      true,
    ],
    ['a signature', ACTIVE, { ...ACTIVE, counter: 1 }, {}, [], false],
    ['a signature where a factor is demanded', ACTIVE, { ...ACTIVE, counter: 1 }, { isDemanded: true }, [], false],
    ['a new name', ACTIVE, { ...ACTIVE, name: 'Tablet' }, { name: 'Tablet' }, [], false],
    ['a removal', ACTIVE, REMOVED, {}, ['there is another way to sign in'], true],
    [
      'a removal where a factor is demanded',
      ACTIVE,
      REMOVED,
      { isDemanded: true },
      ['another factor is active', 'there is another way to sign in'],
      true,
    ],
    ['a removal by an operator', ACTIVE, REMOVED, { isDemanded: true, actor: OPERATOR }, [], false],
  ])('%s', (_, before, after, change, that, inTurn) => {
    expect(relied(commit(before, after, change))).toEqual({ that, inTurn: inTurn ? TURN : undefined });
  });

  test('a registration counts the active passkeys of its end-user, and is stored once', () => {
    const { requires, writes } = commit(WAITING, ACTIVE);
    expect(requires.at(-1)).toMatchObject({
      rows: [{ where: { userId: USER_ID, state: 'active' } }],
      are: { fewerThan: MAX_PASSKEYS },
    });
    expect(writes).toMatchObject([{ kind: 'insert', row: ACTIVE, unlike: [{ credentialId: NEW.credentialId }] }]);
  });
});

test('a registration whose answer was lost is found by its id, while the passkey is active', () => {
  const { isIn } = passkeyRegistration(NEW, false);
  const found = (passkey: Passkey) =>
    isIn?.({ ...FACTS, passkey, user: { disabledAt: null } }, step(WAITING, ACTIVE) as never);
  expect(found(ACTIVE)).toBe(true);
  expect(found({ ...ACTIVE, id: '66666666-6666-4666-8666-666666666666' })).toBe(false);
  expect(found(REMOVED)).toBe(false);
});

describe('the commit of an authenticator app', () => {
  test.each<[string, SecondFactor, SecondFactor, Partial<SecondFactorFacts>, readonly string[]]>([
    ['a confirmation', APP, CONFIRMED, {}, []],
    [
      'a confirmation after the password alone',
      APP,
      CONFIRMED,
      { byPasswordAlone: true },
      ['no other factor is active'],
    ],
    ['a confirmation where a factor is demanded', APP, CONFIRMED, { isDemanded: true }, []],
    ['a code', CONFIRMED, { ...CONFIRMED, lastStep: 7 }, { isDemanded: true, byPasswordAlone: true }, []],
    ['a removal', CONFIRMED, WITHOUT_SECRET, {}, []],
    [
      'a removal where a factor is demanded',
      CONFIRMED,
      WITHOUT_SECRET,
      { isDemanded: true },
      ['another factor is active'],
    ],
    ['a removal by an operator', CONFIRMED, WITHOUT_SECRET, { isDemanded: true, actor: OPERATOR }, []],
    ['the end of its set-up', APP, { ...WITHOUT_SECRET, confirmedAt: null }, { isDemanded: true }, []],
  ])('%s', (_, before, after, change, that) => {
    const facts = {
      now: NOW,
      user: { disabledAt: null },
      hasAnother: false,
      isDemanded: false,
      step: null,
      resealed: null,
      byPasswordAlone: false,
      ...change,
    } as SecondFactorFacts;
    const committed = relied(secondFactorLifecycle.commitOf(step(before, after), facts, []));
    expect(committed).toEqual({ that, inTurn: that.length > 0 ? TURN : undefined });
  });
});

describe('the passkey with which an account begins', () => {
  test('its registration shows more than a password', () => {
    const { event, facts } = accountIn().addPasskey({ user: null, passkey: WAITING }, { now: seconds(1) });
    expect(event).toEqual({ type: 'registered', byPasswordAlone: false });
    expect(facts).toMatchObject({ now: seconds(1), user: null, isDemanded: false, byPasswordAlone: false });
  });

  test.each<[string, Passkey | null, Passkey | null, Passkey | null]>([
    ['that came and was registered', WAITING, ACTIVE, ACTIVE],
    ['that came and stays unregistered', WAITING, { ...WAITING }, null],
    ['that was there before', ACTIVE, ACTIVE, null],
    ['that did not come', null, null, null],
  ])('is the one %s', (_, before, after, found) => {
    expect(newPasskeyIn({ user: null, passkey: before }, { user: null, passkey: after })).toBe(found);
  });
});
