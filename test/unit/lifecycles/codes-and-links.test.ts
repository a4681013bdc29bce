/** Codes and links in e-mails, and passwords that came by them: the invariants, the entries and the rows of their decisions. */
import { describe, expect, test } from 'vitest';
import { storedPasswordHash } from '../../../src/crypto/secret-types.ts';
import type { EmailChallenge } from '../../../src/lifecycles/email-challenge/entity.ts';
import {
  type EmailChallengeFacts,
  type EmailChallengeRow,
  emailChallengeLifecycle,
} from '../../../src/lifecycles/email-challenge/lifecycle.ts';
import type { Passkey } from '../../../src/lifecycles/passkey/entity.ts';
import { DIRECT, type SignInCode } from '../../../src/lifecycles/sign-in-code/entity.ts';
import { type SignInCodeFacts, signInCodeLifecycle } from '../../../src/lifecycles/sign-in-code/lifecycle.ts';
import { type UserChange, type UserFacts, userLifecycle, userWrite } from '../../../src/lifecycles/user/lifecycle.ts';
import { retryPolicyOf } from '../../../src/lifecycles/webhook-delivery/lifecycle.ts';
import { NO_PASSWORD, type RegisteredUser } from '../../../src/model/user.ts';
import { NOW, seconds } from './given.ts';

const USER: RegisteredUser = {
  id: '33333333-3333-4333-8333-333333333333',
  username: 'mira',
  claims: { email: 'mira@example.com', email_verified: true },
  passwordHash: storedPasswordHash('a hash'),
  importedHash: null,
  sub: null,
  signInAddress: null,
  passwordByLinkAt: null,
  epoch: 4n,
  disabledAt: null,
  deletedAt: null,
};
const PLACE = '77777777-7777-4777-8777-777777777777';
const step = <Row>(before: Row, after: Row) => ({ before, after, decisions: [], entries: [] });

describe('a code in a mail', () => {
  const CODE: SignInCode = {
    id: '44444444-4444-4444-8444-444444444444',
    state: 'active',
    codeHash: new Uint8Array(32),
    sealedAccount: null,
    browserHash: new Uint8Array(32),
    place: PLACE,
    wrongCodes: 0,
    userId: USER.id,
    userEpoch: 4n,
    address: 'mira@example.com',
    createdAt: NOW,
    endsAt: seconds(600),
  } as unknown as SignInCode;
  const POLICY = { isOffered: true, lifetimeSeconds: 600, wrongCodesAllowed: 5 };
  const FACTS = { now: NOW, id: CODE.id, fresh: null, policy: POLICY } as SignInCodeFacts;
  const row = (change: Partial<SignInCode>, user: RegisteredUser | null = USER) => ({
    codes: [{ ...CODE, ...change }],
    user,
  });

  test.each([
    [PLACE, { userId: USER.id, interactionId: PLACE }],
    [DIRECT, { userId: USER.id }],
  ])('at %s: the entry names the interaction, where there is one', (place, facts) => {
    expect(signInCodeLifecycle.ledgerFacts?.(row({ place }), FACTS)).toEqual(facts);
  });

  test.each<[string, Partial<SignInCode> | null, Partial<SignInCode>, RegisteredUser | null, string | null]>([
    ['that was sent', {}, { state: 'used' }, USER, null],
    ['that was used before', { state: 'used' }, { state: 'used' }, null, null],
    ['that was typed wrong', {}, { wrongCodes: 1 }, USER, null],
    ['that was not sent', { state: 'requested' }, { state: 'used' }, USER, 'a code that was not sent has signed in'],
    ['that is not stored', null, { state: 'used' }, USER, 'a code that was not sent has signed in'],
    ['without an end-user', {}, { state: 'used' }, null, 'a code has signed in another end-user'],
    ['of another end-user', {}, { state: 'used', userId: PLACE }, USER, 'a code has signed in another end-user'],
  ])('%s', (_, before, after, user, violation) => {
    const was = before === null ? { codes: [], user: USER } : row(before);
    expect(signInCodeLifecycle.violation?.(step(was, row(after, user)), FACTS)).toBe(violation);
  });
});

describe('a link in a mail', () => {
  const LINK: EmailChallenge = {
    id: '44444444-4444-4444-8444-444444444444',
    state: 'active',
    purpose: 'change_address',
    userId: USER.id,
    userEpoch: 4n,
    address: 'new@example.com',
    createdAt: NOW,
    endsAt: seconds(600),
    newerLinks: 0,
    supersededReason: null,
    resumption: null,
    secretHash: new Uint8Array(32),
  } as unknown as EmailChallenge;
  const UNDO = { id: '55555555-5555-4555-8555-555555555555', secretHash: new Uint8Array(32), lifetimeSeconds: 60 };
  const FACTS = { now: NOW, id: LINK.id, undo: UNDO, undoneSince: null } as unknown as EmailChallengeFacts;
  const PASSKEY = { id: PLACE, state: 'active' } as unknown as Passkey;
  const row = (change: Partial<EmailChallengeRow> = {}): EmailChallengeRow =>
    ({ challenges: [LINK], user: USER, passkey: null, ...change }) as EmailChallengeRow;
  const used = (change: Partial<EmailChallengeRow>): EmailChallengeRow =>
    row({ challenges: [{ ...LINK, state: 'used' }], ...change });

  test('the undo of a changed address goes to the verified address before', () => {
    const sent = emailChallengeLifecycle.sends?.offerUndo?.(row(), FACTS, undefined as never);
    expect(sent?.event).toMatchObject({ type: 'requested' });
    expect(sent?.facts).toMatchObject({
      id: UNDO.id,
      fresh: { ...UNDO, purpose: 'undo_change', userId: USER.id, address: 'mira@example.com', resumption: null },
    });
  });

  test.each<[string, Partial<EmailChallengeRow>, Partial<EmailChallengeFacts>]>([
    ['where none was drawn', {}, { undo: null }],
    ['without an account', { user: null }, {}],
    ['to an address that was never verified', { user: { ...USER, claims: { email: 'stranger@example.com' } } }, {}],
    ['where there was no address', { user: { ...USER, claims: {} } }, {}],
  ])('no undo %s', (_, change, facts) => {
    expect(
      emailChallengeLifecycle.sends?.offerUndo?.(row(change), { ...FACTS, ...facts }, undefined as never),
    ).toBeNull();
  });

  const CHANGED = { ...USER, epoch: 5n };
  const BEGUN = { ...USER, passwordHash: NO_PASSWORD };
  test.each<[string, EmailChallengeRow, EmailChallengeRow, string | null]>([
    ['that is used changes the account', row(), used({ user: CHANGED }), null],
    ['that is used, without effect', row(), used({}), 'a link was used, and the account is as before'],
    ['that is not used may leave the account', row(), row(), null],
    ['that was used before', used({}), used({}), null],
    ['that makes an account with a password', row({ user: null }), used({ user: USER }), null],
    [
      'that makes an account without one',
      row({ user: null }),
      used({ user: BEGUN }),
      'an account without a way to sign in',
    ],
    ['that makes an account with a passkey', row({ user: null }), used({ user: BEGUN, passkey: PASSKEY }), null],
    ['of an account that has no password', row(), used({ user: BEGUN }), null],
  ])('%s', (_, before, after, violation) => {
    expect(emailChallengeLifecycle.violation?.(step(before, after), FACTS)).toBe(violation);
  });
});

describe('a password that the end-user set', () => {
  const passwordHash = storedPasswordHash('another hash');
  const BEFORE = seconds(-600);
  const changed = (change: UserChange, passwordByLinkAt: Date | null = BEFORE) =>
    userLifecycle.changes.replacePassword?.(
      { user: { ...USER, passwordByLinkAt } },
      { now: NOW, change } as UserFacts,
      undefined,
    )?.user;
  const chosen = (byPasswordAlone: boolean, byMailAlone?: boolean): UserChange => ({
    type: 'passwordChangeRequested',
    passwordHash,
    byPasswordAlone,
    ...(byMailAlone !== undefined && { byMailAlone }),
  });

  test.each<[string, UserChange, Date | null]>([
    ['by a link came by mail', { type: 'passwordReset', passwordHash }, NOW],
    ['after a code in a mail alone came by mail', chosen(false, true), NOW],
    ['after the password alone keeps how that came', chosen(true), BEFORE],
    ['after the password alone keeps how that came, also where it says so', chosen(true, false), BEFORE],
    ['after another factor came without a mail', chosen(false), null],
    ['after another factor came without a mail, also where it says so', chosen(false, false), null],
  ])('%s', (_, change, passwordByLinkAt) => {
    expect(changed(change)).toEqual({ ...USER, passwordHash, passwordByLinkAt });
  });

  test('after a password that never came by mail, none does', () => {
    expect(changed(chosen(true), null)?.passwordByLinkAt).toBeNull();
  });
});

describe('the identifiers that no other end-user has', () => {
  const ADDRESS = 'mira@example.com';
  const WITH = { ...USER, signInAddress: ADDRESS };
  const unlike = (before: RegisteredUser | null, after: RegisteredUser, isDrawn = false) =>
    userWrite(before, after, 'version', isDrawn).unlike;

  test.each<[string, RegisteredUser | null, RegisteredUser, boolean, readonly object[]]>([
    ['a new end-user', null, WITH, false, [{ id: USER.id }, { username: 'mira' }, { signInAddress: ADDRESS }]],
    ['a new end-user with a drawn id', null, USER, true, [{ username: 'mira' }]],
    ['a new username', WITH, { ...WITH, username: 'm' }, false, [{ username: 'm' }]],
    ['a new address', WITH, { ...WITH, signInAddress: 'm@example.com' }, false, [{ signInAddress: 'm@example.com' }]],
    ['the first address', USER, WITH, false, [{ signInAddress: ADDRESS }]],
    ['an address that goes', WITH, USER, false, []],
    ['an erased username', WITH, { ...WITH, username: '' }, false, []],
    ['the same', WITH, { ...WITH, epoch: 5n }, false, []],
  ])('%s', (_, before, after, isDrawn, identifiers) => {
    expect(unlike(before, after, isDrawn)).toEqual(identifiers);
  });
});

describe('the waits between the attempts of a webhook', () => {
  const given = { maxAttempts: 12, giveUpAfterSeconds: 300_000, timeoutSeconds: 15 };

  test.each([
    [0, 0.9],
    [0.5, 1],
    [1, 1.1],
  ])('chance %s makes them %s times as long', (chance, factor) => {
    const { waitsSeconds, ...rest } = retryPolicyOf(given, chance);
    expect(waitsSeconds.map((wait) => Math.round((wait / factor) * 1000) / 1000)).toEqual([
      5, 20, 60, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400,
    ]);
    expect(rest).toEqual({ maxAttempts: 12, giveUpAfterSeconds: 300_000, claimSeconds: expect.any(Number) });
    expect(rest.claimSeconds).toBeGreaterThan(given.timeoutSeconds);
  });
});
