/** Passkeys and codes of one end-user with stores in memory: names, refusals, second principals, and what follows a removal. */
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Commit } from '../../../src/engine/commit.ts';
import { MAX_PASSKEYS, type Passkey } from '../../../src/lifecycles/passkey/entity.ts';
import type { SecondFactor } from '../../../src/lifecycles/second-factor/entity.ts';
import type { Session } from '../../../src/model/session.ts';
import { factorOptions, placeOfFactor, placeOfSignIn, signInOptions } from '../../../src/people/passkeys/ask.ts';
import { answered, purposeIn } from '../../../src/people/passkeys/challenge.ts';
import {
  addPasskey,
  type PasskeyDeps,
  passkeyOptions,
  removePasskey,
  renamePasskey,
} from '../../../src/people/passkeys/manage.ts';
import { presentPasskey } from '../../../src/people/passkeys/present.ts';
import { isByPasswordAlone, isRecentSession } from '../../../src/people/second-factor/deps.ts';
import { hasFactor, methodsOfUser } from '../../../src/people/second-factor/methods.ts';
import {
  beginSetUp,
  confirmSetUp,
  continueSetUp,
  firstRecoveryCodes,
  newRecoveryCodes,
  removeApp,
} from '../../../src/people/second-factor/set-up.ts';
import { coseKeyOf, makePasskey, signWithPasskey } from '../../../src/review/simulation/devices/passkey.ts';
import { testKeys } from '../../support/macs.ts';
import { COOKIE, session, sessionsInMemory } from '../protocol/memory.ts';
import { at, configuration } from '../protocol/ports.ts';

const ORIGIN = 'https://as.test';
const OTHER_COOKIE = Buffer.from('the hash of another cookie');
const idOf = (n: number) => `00000000-0000-4000-8000-00000000001${n.toString(16)}`;
const NAMES_NONE = ['', 'x', `${idOf(1)}a`, `a${idOf(1)}`, idOf(1).toUpperCase().replace('1', 'A'), `${idOf(1)}\n`];
const ALICE = session();
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const passkey = (n: number, change: Partial<Passkey> = {}): Passkey => ({
  id: idOf(n),
  userId: ALICE.userId,
  state: 'active',
  name: 'a phone',
  credentialId: Buffer.alloc(16, n),
  publicKey: coseKeyOf(publicKey),
  counter: 0,
  backupEligible: false,
  transports: ['internal'],
  createdAt: at(0),
  lastUsedAt: null,
  removedAt: null,
  ...change,
});
const app = (n: number, change: Partial<SecondFactor> = {}): SecondFactor => ({
  ...{ id: idOf(n), userId: ALICE.userId, state: 'active', sealedSecret: null, lastStep: null },
  ...{ createdAt: at(0), confirmedAt: at(1), removedAt: null, ...change },
});

type World = {
  readonly passkeys?: readonly Passkey[];
  readonly apps?: readonly SecondFactor[];
  readonly codes?: readonly string[];
  readonly hasPassword?: boolean;
  readonly hasAnother?: boolean;
  readonly secondFactor?: 'nobody' | 'everyone';
  readonly issuer?: string;
  readonly second?: number;
};

function worldOf({
  passkeys = [],
  apps = [],
  codes = [],
  hasPassword = true,
  hasAnother = false,
  secondFactor = 'nobody',
  issuer = ORIGIN,
  second = 10,
}: World = {}) {
  const shipped = configuration();
  const commits: Commit[] = [];
  const loads: unknown[] = [];
  const told: unknown[] = [];
  const spent: [string, Date][] = [];
  const inserted: unknown[] = [];
  let drawn = 0;
  const surroundings = { now: at(second), user: { disabledAt: null }, hasAnother };
  const loaded = (one: Passkey) => ({
    ...surroundings,
    passkey: one,
    otherWays: { password: hasPassword, passkeys: passkeys.length, linkedIdentities: 0 },
  });
  const commit = async (one: Commit) => commits.push(one) > 0;
  const deps = {
    issuer,
    keys: testKeys,
    random: { bytes: (size: number) => Buffer.alloc(size, ++drawn), uuid: () => idOf(15) },
    now: () => at(second),
    sleep: async () => {},
    configuration: () => ({ ...shipped, signIn: { ...shipped.signIn, secondFactor } }),
    sessions: sessionsInMemory([ALICE], second).sessions,
    signInLedger: { originOf: () => ({}), refused: async () => {} },
    challenges: {
      spend: async (hash: Uint8Array, endsAt: Date) => {
        const name = Buffer.from(hash).toString('hex');
        const isFresh = spent.every(([one]) => one !== name);
        spent.push([name, endsAt]);
        return isFresh;
      },
    },
    passkeys: {
      load: async (key: { id?: string; userId?: string; credentialId?: Uint8Array }) => {
        loads.push(key);
        const found = passkeys.find((one) =>
          key.credentialId === undefined
            ? one.id === key.id && one.userId === key.userId
            : Buffer.compare(one.credentialId, key.credentialId) === 0,
        );
        return found ? loaded(found) : null;
      },
      loadNew: async (one: Passkey) =>
        loaded({ ...one, state: 'unregistered', createdAt: at(second), lastUsedAt: null, removedAt: null }),
      commit,
    },
    secondFactors: {
      load: async (userId: string, id: string) => {
        loads.push({ userId, id });
        const factor = apps.find((one) => one.id === id && one.userId === userId);
        return factor ? { ...surroundings, factor } : null;
      },
      commit,
      listApps: async () => apps,
      listPasskeys: async () => passkeys,
      insertApp: async (row: unknown) => void inserted.push(row),
    },
    trustedBrowsers: { list: async () => [] },
    recoveryCodes: {
      active: async () => codes,
      load: async (_: string, id: string) => {
        loads.push(id);
        return null;
      },
      insert: async (userId: string, rows: readonly unknown[]) =>
        inserted.push([userId, rows]) > 0 && codes.length === 0,
    },
    tell: async (...given: unknown[]) => void told.push(given),
  } as unknown as PasskeyDeps;
  return { deps, commits, loads, told, spent, inserted };
}
const setIn = (commit: Commit | undefined) => {
  const write = commit?.writes[0];
  return write?.kind === 'update' ? write.set : null;
};

describe('the name of a passkey', () => {
  it.each([
    ['my phone', 'my phone'],
    [null, 'Passkey'],
    ['', 'Passkey'],
    [' \t\u200b\n ', 'Passkey'],
    ['  my \n\t phone  ', 'my phone'],
    ['a\u202eb', 'a b'],
    ['a\u0000\u001b[31mb', 'a [31mb'],
    ['a\ud800b', 'a b'],
    ['😀'.repeat(61), '😀'.repeat(60)],
    ['x'.repeat(60), 'x'.repeat(60)],
    [`${'x'.repeat(59)} y`, 'x'.repeat(59)],
    ['日本語 é-_.', '日本語 é-_.'],
  ])('%j is stored as %j', async (typed, name) => {
    const { deps, commits } = worldOf({ passkeys: [passkey(1, { name: '' })] });
    expect(await renamePasskey(deps, ALICE.userId, idOf(1), typed)).toBe(true);
    expect(setIn(commits[0])).toEqual({ name });
  });

  it.each(NAMES_NONE)('is of no passkey with the id %j', async (id) => {
    const { deps, loads } = worldOf({ passkeys: [passkey(1)] });
    expect(await renamePasskey(deps, ALICE.userId, id, 'x')).toBe(false);
    expect((await removePasskey(deps, ALICE, id)).kind).toBe('removeRefused');
    expect(loads).toEqual([]);
  });

  it('is of no passkey of another end-user', async () => {
    const { deps, commits } = worldOf({ passkeys: [passkey(1, { userId: 'eve' })] });
    expect(await renamePasskey(deps, ALICE.userId, idOf(1), 'x')).toBe(false);
    expect(await removePasskey(deps, ALICE, idOf(1))).toEqual({ kind: 'removeRefused', reason: 'factor_unknown' });
    expect(commits).toEqual([]);
  });
});

describe('the removal', () => {
  const STRONG: Partial<Session> = { amr: ['pwd', 'otp', 'mfa'] };
  const refused = (reason: string) => ({ kind: 'removeRefused', reason });
  it.each<[string, World, Partial<Session>, object]>([
    ['of a passkey', {}, STRONG, { kind: 'removed' }],
    ['by the password alone', {}, {}, refused('factor_not_proven')],
    ['of one that the policy demands', { secondFactor: 'everyone' }, STRONG, refused('factor_is_demanded')],
    ['beside another', { secondFactor: 'everyone', hasAnother: true }, STRONG, { kind: 'removed' }],
    ['of the last way to sign in', { hasPassword: false }, STRONG, refused('last_way_to_sign_in')],
  ])('%s', async (_, world, signedIn, expected) => {
    const passkeys = [passkey(1)];
    const { deps, told, loads } = worldOf({ ...world, passkeys, codes: ['c'] });
    // Without a way to sign in, no other passkey counts.
    const { load } = deps.passkeys;
    const alone: typeof load = async (key) => {
      const found = await load(key);
      return found && { ...found, otherWays: { ...found.otherWays, passkeys: 0 } };
    };
    const given = { ...deps, passkeys: { ...deps.passkeys, load: alone } };
    expect(await removePasskey(given, session(signedIn), idOf(1))).toEqual(expected);
    expect(told).toEqual('reason' in expected ? [] : [[ALICE.userId, 'passkey_removed']]);
    // The list still has a passkey, so the codes stay.
    expect(loads).not.toContain('c');
  });

  it.each<[string, World, boolean]>([
    ['of the last factor', {}, true],
    ['beside an app', { apps: [app(2)] }, false],
    ['beside an app that is not set up', { apps: [app(2, { state: 'unconfirmed', confirmedAt: null })] }, true],
    ['beside a passkey', { passkeys: [passkey(2)] }, false],
  ])('%s replaces the recovery codes: %j', async (_, world, isWithoutCodes) => {
    const { deps, loads } = worldOf({ ...world, codes: ['c', 'd'] });
    const one = worldOf({ passkeys: [passkey(1)] });
    const given = { ...deps, passkeys: one.deps.passkeys };
    expect(await removePasskey(given, session(STRONG), idOf(1))).toEqual({ kind: 'removed' });
    expect(loads).toEqual(isWithoutCodes ? ['c', 'd'] : []);
  });

  it.each(NAMES_NONE)('of no app with the id %j', async (id) => {
    const { deps, loads } = worldOf({ apps: [app(1)] });
    expect(await removeApp(deps, session(STRONG), id)).toEqual(refused('factor_unknown'));
    expect(await confirmSetUp(deps, ALICE, { id, code: '123456', newCookie: COOKIE })).toEqual({
      kind: 'confirmRefused',
      reason: 'set_up_over',
    });
    expect(loads).toEqual([]);
  });

  it.each<[string, World, Partial<Session>, object]>([
    ['of an app', {}, STRONG, { kind: 'removed' }],
    ['by the password alone', {}, {}, refused('factor_not_proven')],
    ['of an app that the policy demands', { secondFactor: 'everyone' }, STRONG, refused('factor_is_demanded')],
    ['of an app of another end-user', { apps: [app(1, { userId: 'eve' })] }, STRONG, refused('factor_unknown')],
  ])('%s (an app)', async (_, world, signedIn, expected) => {
    const { deps, told } = worldOf({ apps: [app(1)], ...world });
    expect(await removeApp(deps, session(signedIn), idOf(1))).toEqual(expected);
    expect(told).toEqual('reason' in expected ? [] : [[ALICE.userId, 'second_factor_removed']]);
  });
});

describe('the challenge of a page', () => {
  const purpose = placeOfFactor(COOKIE, ALICE);
  const text = (options: string | null) => JSON.parse(options ?? 'null') as Record<string, unknown>;

  it('asks for a passkey of the site, or for those of the account', () => {
    const { deps } = worldOf();
    expect(text(signInOptions(deps, COOKIE, 'sign-in'))).toEqual({
      challenge: expect.stringMatching(/^[\w-]{75}$/),
      rpId: 'as.test',
      userVerification: 'required',
      timeout: 600_000,
      allowCredentials: [],
    });
    expect(text(factorOptions(deps, COOKIE, { session: ALICE, allowed: [passkey(1)] }))['allowCredentials']).toEqual([
      { type: 'public-key', id: Buffer.alloc(16, 1).toString('base64url'), transports: ['internal'] },
    ]);
  });

  it.each(['https://192.0.2.1', 'https://[2001:db8::1]:8443'])('does not exist at %s', async (issuer) => {
    const { deps } = worldOf({ issuer });
    expect(signInOptions(deps, COOKIE, 'x')).toBeNull();
    expect(factorOptions(deps, COOKIE, { session: ALICE, allowed: [] })).toBeNull();
    expect(await passkeyOptions(deps, ALICE, COOKIE)).toBeNull();
  });

  it('is for one place, one session and one browser', () => {
    const places = [
      placeOfSignIn(COOKIE, 'x'),
      placeOfSignIn(COOKIE, 'y'),
      placeOfSignIn(OTHER_COOKIE, 'x'),
      purpose,
      placeOfFactor(OTHER_COOKIE, ALICE),
      placeOfFactor(COOKIE, { sid: idOf(1) }),
      purposeIn(COOKIE, 'x'),
    ];
    expect(new Set(places).size).toBe(places.length);
  });

  it.each([
    [MAX_PASSKEYS - 1, true],
    [MAX_PASSKEYS, false],
  ])('of a registration beside %d passkeys exists: %j', async (count, exists) => {
    const passkeys = Array.from({ length: count }, (_, n) => passkey(n % 16));
    const options = await passkeyOptions(worldOf({ passkeys }).deps, ALICE, COOKIE);
    expect(options !== null).toBe(exists);
    if (options === null) return;
    const { rp, user, excludeCredentials } = text(options) as Record<string, Record<string, unknown>>;
    expect([rp?.['id'], user?.['name']]).toEqual(['as.test', 'alice']);
    expect(Buffer.from(String(user?.['id']), 'base64url').toString()).toBe(ALICE.userId);
    expect(excludeCredentials).toHaveLength(count);
  });
});

const software = {
  id: Buffer.alloc(16, 1).toString('base64url'),
  rpId: 'as.test',
  userHandle: Buffer.from(ALICE.userId).toString('base64url'),
  privateKey,
};

describe('a presented passkey', () => {
  const purpose = placeOfFactor(COOKIE, ALICE);
  const present = async (
    world: World,
    change: { credential?: string | null; of?: string | null; purpose?: string } = {},
  ) => {
    const made = worldOf({ passkeys: [passkey(1)], ...world });
    const options = factorOptions(made.deps, COOKIE, { session: ALICE, allowed: [] }) ?? '';
    const credential =
      change.credential === undefined ? signWithPasskey(software, options, ORIGIN, 0) : change.credential;
    const sent = {
      credential,
      purpose,
      of: ALICE.userId,
      ...change,
      ...(change.credential === undefined && { credential }),
    };
    return { ...made, options, credential, outcome: await presentPasskey(made.deps, sent) };
  };
  const refused = (reason: string, userId: string | null = null) => ({ kind: 'passkeyRefused', reason, userId });

  it('proves its end-user, once', async () => {
    const { deps, outcome, credential, spent, commits } = await present({});
    expect(outcome).toEqual({
      kind: 'presented',
      userId: ALICE.userId,
      factor: { kind: 'passkey', id: idOf(1) },
      backupEligible: false,
    });
    expect(commits).toHaveLength(1);
    expect(spent).toMatchObject([[expect.any(String), at(610)]]);
    const again = { credential, purpose, of: ALICE.userId };
    expect(await presentPasskey(deps, again)).toEqual(refused('challenge_refused', ALICE.userId));
    expect((await present({}, { of: null })).outcome.kind).toBe('presented');
  });

  it.each<[string, World, Parameters<typeof present>[1], object]>([
    ['is not sent', {}, { credential: null }, refused('challenge_refused')],
    ['is no JSON', {}, { credential: '{' }, refused('challenge_refused')],
    ['is no credential', {}, { credential: '{}' }, refused('challenge_refused')],
    ['is for another place', {}, { purpose: placeOfSignIn(COOKIE, 'x') }, refused('challenge_refused')],
    ['is for another browser', {}, { purpose: placeOfFactor(OTHER_COOKIE, ALICE) }, refused('challenge_refused')],
    ['is unknown', { passkeys: [] }, {}, refused('passkey_unknown')],
    ['is of another account', {}, { of: 'eve' }, refused('passkey_unknown')],
    ['names another owner', { passkeys: [passkey(1, { userId: 'eve' })] }, { of: null }, refused('passkey_unknown')],
    [
      'has another key',
      {
        passkeys: [passkey(1, { publicKey: coseKeyOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey) })],
      },
      {},
      refused('signature_mismatch', ALICE.userId),
    ],
    [
      'counts backwards',
      { passkeys: [passkey(1, { counter: 5 })] },
      {},
      refused('signature_counter_fell_back', ALICE.userId),
    ],
    [
      'is removed',
      { passkeys: [passkey(1, { state: 'removed', publicKey: null })] },
      {},
      refused('factor_removed', ALICE.userId),
    ],
  ])('that %s is refused', async (_, world, change, expected) => {
    const { outcome, spent } = await present(world, change);
    expect(outcome).toEqual(expected);
    // Only a valid signature spends the challenge.
    expect(spent).toHaveLength('reason' in expected && expected.reason === 'signature_counter_fell_back' ? 1 : 0);
  });

  it.each([
    [609, 'presented'],
    [610, 'passkeyRefused'],
  ])('is accepted until its challenge ends: %d seconds: %s', async (second, kind) => {
    const { credential } = await present({});
    const { deps } = worldOf({ passkeys: [passkey(1)], second });
    expect((await presentPasskey(deps, { credential, purpose, of: null })).kind).toBe(kind);
  });
});

describe('a new passkey', () => {
  const add = async (
    change: Partial<Parameters<typeof addPasskey>[2]> = {},
    signedIn: Partial<Session> = {},
    world: World = {},
  ) => {
    const made = worldOf(world);
    const options = (await passkeyOptions(made.deps, ALICE, COOKIE)) ?? '';
    const { credential } = makePasskey(options, ORIGIN, 0);
    const sent = { credential, name: ' my  key ', browser: COOKIE, newCookie: OTHER_COOKIE, ...change };
    const outcome = await addPasskey(made.deps, { ...ALICE, ...signedIn }, sent);
    return { ...made, outcome, credential };
  };

  it('is stored under its name, makes the session stronger, and brings the first recovery codes', async () => {
    const { outcome, commits, told, inserted } = await add();
    expect(outcome).toMatchObject({ kind: 'added', recoveryCodes: expect.any(Array) });
    expect(commits[0]?.writes[0]).toMatchObject({
      kind: 'insert',
      row: { id: idOf(15), userId: ALICE.userId, name: 'my key', state: 'active' },
    });
    expect(told).toEqual([[ALICE.userId, 'passkey_added']]);
    expect(inserted).toHaveLength(1);
    expect((await add({}, {}, { codes: ['c'] })).outcome).toMatchObject({ kind: 'added', recoveryCodes: null });
  });

  it.each<[string, object, Partial<Session>, World, string]>([
    ['without a credential', { credential: null }, {}, {}, 'challenge_refused'],
    ['in another browser', { browser: OTHER_COOKIE }, {}, {}, 'challenge_refused'],
    ['in another session', {}, { sid: idOf(2) }, {}, 'challenge_refused'],
    ['beside another that has to be proven', {}, {}, { hasAnother: true }, 'factor_not_proven'],
  ])('%s is refused', async (_, change, signedIn, world, reason) => {
    const { outcome, commits, told } = await add(change, signedIn, world);
    expect(outcome).toEqual({ kind: 'addRefused', reason });
    expect([commits, told]).toEqual([[], []]);
  });

  it('of another site is refused, and its challenge is spent', async () => {
    const made = worldOf();
    const options = (await passkeyOptions(made.deps, ALICE, COOKIE)) ?? '';
    const { credential } = makePasskey(options, 'https://as.test.evil.example', 0);
    const sent = { credential, name: null, browser: COOKIE, newCookie: OTHER_COOKIE };
    expect(await addPasskey(made.deps, ALICE, sent)).toEqual({ kind: 'addRefused', reason: 'passkey_refused' });
    const again = await addPasskey(made.deps, ALICE, sent);
    expect(again).toEqual({ kind: 'addRefused', reason: 'challenge_refused' });
    expect(made.spent).toHaveLength(2);
    expect(await answered(made.deps, 'another purpose', credential)).toBeNull();
    expect(made.spent).toHaveLength(2);
  });
});

describe('an authenticator app', () => {
  it('is set up with a fresh secret, which replaces an unfinished one', async () => {
    const unfinished = app(2, { state: 'unconfirmed', confirmedAt: null });
    const { deps, inserted, loads } = worldOf({ apps: [app(1), unfinished] });
    const setUp = await beginSetUp(deps, ALICE);
    expect(setUp).toMatchObject({
      id: idOf(15),
      secretText: expect.stringMatching(/^([A-Z2-7]{4} )+[A-Z2-7]{1,4}$/),
      qrCode: expect.stringMatching(/^<svg/),
    });
    expect(loads).toEqual([{ userId: ALICE.userId, id: idOf(2) }]);
    expect(inserted).toMatchObject([{ id: idOf(15), userId: ALICE.userId, sealedSecret: expect.any(String) }]);
    const [row] = inserted as { sealedSecret: string }[];
    const stored = app(15, { state: 'unconfirmed', sealedSecret: row?.sealedSecret ?? '' });
    const again = (apps: readonly SecondFactor[]) => continueSetUp(worldOf({ apps }).deps, ALICE, idOf(15));
    expect(await again([app(1), stored])).toEqual(setUp);
    expect(await again([{ ...stored, state: 'active' }])).toBeNull();
    expect(await again([app(1)])).toBeNull();
    expect(await again([{ ...stored, userId: 'eve' }])).toBeNull();
  });

  it.each([
    [9, 0, true],
    [10, 0, false],
    [9, 1, true],
  ])('is one of ten: %d, and %d unfinished', async (count, unfinished, isSetUp) => {
    const apps = [
      ...Array.from({ length: count }, (_, n) => app(n)),
      ...Array.from({ length: unfinished }, () => app(14, { state: 'unconfirmed', confirmedAt: null })),
    ];
    expect((await beginSetUp(worldOf({ apps }).deps, ALICE)) !== null).toBe(isSetUp);
  });

  it.each([
    ['000000', 'code_mismatch'],
    [null, 'code_mismatch'],
  ])('is not confirmed by %j', async (code, reason) => {
    const { deps, told } = worldOf({ apps: [app(1, { state: 'unconfirmed', confirmedAt: null })] });
    const outcome = await confirmSetUp(deps, ALICE, { id: idOf(1), code, newCookie: COOKIE });
    expect([outcome, told]).toEqual([{ kind: 'confirmRefused', reason }, []]);
  });

  it.each<[string | null, Partial<SecondFactor>]>([
    [null, {}],
    [idOf(2), {}],
    [idOf(1), { createdAt: at(-1800) }],
  ])('is not confirmed for the set-up %j of %j', async (id, change) => {
    const { deps } = worldOf({ apps: [app(1, { state: 'unconfirmed', confirmedAt: null, ...change })] });
    const outcome = await confirmSetUp(deps, ALICE, { id, code: '000000', newCookie: COOKIE });
    expect(outcome).toEqual({ kind: 'confirmRefused', reason: 'set_up_over' });
  });
});

describe('recovery codes', () => {
  it('are made where the end-user has none', async () => {
    const { deps, inserted } = worldOf();
    const codes = await firstRecoveryCodes(deps, ALICE.userId);
    expect(codes).toHaveLength(10);
    expect(new Set(codes).size).toBe(10);
    const [[userId, rows]] = inserted as [[string, { id: string; hash: Uint8Array }[]]];
    expect([userId, new Set(rows.map(({ hash }) => Buffer.from(hash).toString('hex'))).size]).toEqual([
      ALICE.userId,
      10,
    ]);
    expect(JSON.stringify(rows)).not.toContain(codes?.[0]);
    expect(await firstRecoveryCodes(worldOf({ codes: ['c'] }).deps, ALICE.userId)).toBeNull();
  });

  it('are replaced on request', async () => {
    const { deps, loads } = worldOf({ codes: ['c', 'd'] });
    await newRecoveryCodes(deps, ALICE.userId);
    expect(loads).toEqual(['c', 'd']);
  });
});

describe('the factors of an end-user', () => {
  it('are listed', async () => {
    const { deps } = worldOf({
      passkeys: [passkey(1, { backupEligible: true, lastUsedAt: at(5) })],
      apps: [
        app(2),
        app(3, { state: 'unconfirmed', confirmedAt: null }),
        app(4, { confirmedAt: null }),
        app(5, { state: 'removed' }),
      ],
      codes: ['c', 'd'],
      secondFactor: 'everyone',
    });
    const { credentialId } = passkey(1);
    expect(await methodsOfUser(deps, ALICE)).toEqual({
      apps: [{ id: idOf(2), confirmedAt: at(1) }],
      passkeys: [
        {
          ...{ id: idOf(1), name: 'a phone', createdAt: at(0), lastUsedAt: at(5), isSynced: true },
          ...{ credentialId, transports: ['internal'], isSecondFactorOnly: false },
        },
      ],
      recoveryCodesLeft: 2,
      isDemanded: true,
    });
    expect((await methodsOfUser(worldOf().deps, ALICE)).isDemanded).toBe(false);
  });

  it('are there with one of either kind', () => {
    const one = [{}] as never;
    expect([hasFactor({ apps: [], passkeys: [] }), hasFactor({ apps: one, passkeys: [] })]).toEqual([false, true]);
    expect(hasFactor({ apps: [], passkeys: one })).toBe(true);
  });

  it.each([
    [['pwd'], true],
    [['pwd', 'otp'], true],
    [['pwd', 'otp', 'mfa'], false],
    [['hwk', 'mfa'], false],
    [[], true],
  ])('are proven beside the password by %j: %j', (amr, isAlone) => {
    expect(isByPasswordAlone(session({ amr }))).toBe(isAlone);
  });

  it.each([
    [configuration().signIn.recentSignInSeconds, true],
    [configuration().signIn.recentSignInSeconds + 1, false],
  ])('need a sign-in of at most %d seconds ago: %j', async (second, isRecent) => {
    expect(await isRecentSession(worldOf({ second }).deps, ALICE)).toBe(isRecent);
  });
});
