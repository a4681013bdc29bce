/** Sign-in without HTTP: its requests to the stores, and their order. */
import { describe, expect, it } from 'vitest';
import { signInCapacity } from '../../../src/boot/sign-in-capacity.ts';
import { rememberDevice } from '../../../src/crypto/device-cookie.ts';
import { hashPassword } from '../../../src/crypto/password.ts';
import { systemRandom } from '../../../src/crypto/random.ts';
import { type PasswordHash, rawSecret, storedPasswordHash } from '../../../src/crypto/secret-types.ts';
import { StoreUnavailable, Unavailable } from '../../../src/engine/errors.ts';
import type { Session } from '../../../src/model/session.ts';
import { type SignInCapacity, type SignInDeps, type SignInForm, signIn } from '../../../src/protocol/sign-in.ts';
import { rememberedRefusals } from '../../support/sign-in-ledger.ts';
import { keys } from './memory.ts';
import { configuration } from './ports.ts';

const PASSWORD = 'correct horse battery staple';
const passwordHash = hashPassword(rawSecret(PASSWORD));
const policy = configuration().signIn;
const OLD = Buffer.from('the cookie from before');
const OLD_SESSION: Session = {
  idHash: OLD,
  sid: '2f0b8a52-3f5e-4c1b-9d7e-4d8f2f0a1b2c',
  userId: '3f0b8a52-3f5e-4c1b-9d7e-4d8f2f0a1b2c',
  username: 'Alice',
  userEpoch: 7n,
  serverEpoch: 3n,
  signedInAt: new Date(0),
  lastUsedAt: new Date(0),
  endsAt: new Date(1_000_000),
  state: 'active',
  endedReason: null,
  amr: ['pwd'],
  userAgent: null,
  liveUserEpoch: 7n,
  liveServerEpoch: 3n,
};
const NOW = new Date(1_000);
/** Another identifier of the account. */
const ADDRESS = 'alice@example.com';
const NEW = Buffer.from('the cookie from now on');

async function signInWith(
  typed: Partial<SignInForm>,
  given: {
    /** Of account and address, of the address, of the account. */
    readonly counts?: readonly [number, number, number];
    /** While the address was throttled. */
    readonly behind?: number;
    /** Of this browser, where the account trusts it. */
    readonly ofDevice?: number;
    /** Seconds since the last failure of each; 0 when left out. */
    readonly since?: number;
    readonly stored?: PasswordHash;
    readonly rehashFails?: Error;
    readonly cookie?: string;
    /** The count of another node meanwhile. */
    readonly countedAs?: number;
    readonly disabled?: boolean;
    readonly capacity?: SignInCapacity;
  } = {},
) {
  const asked: string[] = [];
  const user = {
    id: '3f0b8a52-3f5e-4c1b-9d7e-4d8f2f0a1b2c',
    username: 'Alice',
    passwordHash: given.stored ?? (await passwordHash),
    claims: {},
    epoch: 7n,
    serverEpoch: 3n,
    disabledAt: given.disabled ? new Date(0) : null,
    sub: null,
    passwordByLinkAt: null,
  };
  const looked: string[] = [];
  const counted: string[] = [];
  const lasted: string[] = [];
  const rehashed: unknown[] = [];
  const remembered: { cookie: string; lifetime: number }[] = [];
  const deps: SignInDeps = {
    keys,
    sleep: async () => {},
    random: systemRandom,
    configuration: () => configuration(),
    users: {
      keyOf: (username) => username.toLowerCase(),
      accountKeyOf: async (typed) => (typed.toLowerCase() === ADDRESS ? 'alice' : typed.toLowerCase()),
      findToVerify: async (id) => (id === user.id ? user : null),
      rehashed: async (id, checked, renewed) => {
        asked.push('rehash');
        rehashed.push({ id, checked, renewed });
        if (given.rehashFails) throw given.rehashFails;
      },
      findForSignIn: async (username) => {
        asked.push('find user');
        return ['alice', ADDRESS].includes(username.toLowerCase()) ? user : null;
      },
    },
    signInFailures: {
      forget: async () => {},
      recentOf: async (hashes) => {
        asked.push('look at failures');
        looked.push(...hashes.map((hash) => hash.toString('hex')));
        const [pair, address, account] = given.counts ?? [0, 0, 0];
        const failures = [pair, address, account, given.behind ?? 0, given.ofDevice ?? 0];
        return {
          now: NOW,
          failures: failures.map((count) => ({ failures: count, secondsSince: given.since ?? 0, secondsLeft: 77.5 })),
        };
      },
      count: async (hashes, _, lasting = []) => {
        asked.push('count');
        counted.push(...hashes.map((hash) => hash.toString('hex')));
        lasted.push(...lasting.map((hash) => hash.toString('hex')));
        return hashes.map(() => given.countedAs ?? 1);
      },
    },
    factorsOf: async () => ({ hasApp: false, hasPasskey: false, hasPassword: false }),
    signInLedger: rememberedRefusals(),
    signInCapacity: given.capacity ?? signInCapacity(4),
    sessions: {
      load: async (key) => {
        if ('idHash' in key) asked.push(`load ${key.idHash}`);
        return { now: new Date(1_000), session: OLD_SESSION };
      },
      list: async () => ({ now: new Date(1_000), sessions: [] }),
      insert: async ({ idHash, userId, userEpoch, serverEpoch }) => {
        expect({ userId, userEpoch, serverEpoch }).toEqual({ userId: user.id, userEpoch: 7n, serverEpoch: 3n });
        asked.push(`insert ${idHash}`);
        return { signedInAt: new Date(1_000), lastUsedAt: new Date(1_000), endsAt: new Date(2_000) };
      },
      commit: async (commit) => {
        asked.push(`${commit.kind} ${commit.loaded.idHash}`);
        return true;
      },
    },
  };
  const form = {
    username: 'alice',
    password: PASSWORD,
    address: '192.0.2.1',
    cookie: { old: OLD, new: NEW, browser: Buffer.from('a browser') },
    amr: ['pwd'],
    device: {
      cookie: given.cookie ?? null,
      remember: (cookie: string, lifetime: number) => void remembered.push({ cookie, lifetime }),
    },
    userAgent: null,
    gone: new AbortController().signal,
    ...typed,
  };
  return { outcome: await signIn(deps, form), asked, looked, counted, lasted, rehashed, remembered };
}

const {
  failuresPerAccountAndAddress: OF_PAIR,
  failuresPerAddress: OF_ADDRESS,
  failuresPerAccount: OF_ACCOUNT,
} = policy;
const refused = (reason: string, username = 'alice', retryAfterSeconds: number | null = null) => ({
  kind: 'signInRefused',
  reason,
  username,
  retryAfterSeconds,
});
/** The rest of the window, rounded up. */
const throttled = (reason: string, username = 'alice') => refused(reason, username, 78);
const turnedAway = (kind: 'full' | 'abandoned') => ({ run: async () => ({ kind }) });

describe('sign-in', () => {
  it('reads the failures, checks the password, counts nothing, and replaces the session and its cookie', async () => {
    const { outcome, asked } = await signInWith({});
    expect(outcome).toMatchObject({ kind: 'signedIn', session: { username: 'Alice', signedInAt: new Date(1_000) } });
    expect(asked).toEqual(['look at failures', 'find user', `load ${OLD}`, `end ${OLD}`, `insert ${NEW}`]);
  });

  it.each([{ username: null }, { username: '' }, { password: null }, { password: '' }])(
    'makes no request for an incomplete form: %o',
    async (typed) => {
      const { outcome, asked } = await signInWith(typed);
      expect(outcome).toMatchObject({ kind: 'signInRefused', reason: 'form_incomplete', retryAfterSeconds: null });
      expect(asked).toEqual([]);
    },
  );

  it.each([
    [{ password: 'wrong' }, {}],
    [{ username: 'unknown' }, {}],
    [{}, { disabled: true }],
  ])(
    'gives a wrong password, an unknown and a disabled user one outcome, and counts them: %o %o',
    async (typed, given) => {
      const { outcome, asked, looked, counted, lasted } = await signInWith(typed, given);
      expect(outcome).toEqual(refused('credentials_mismatch', { username: 'alice', ...typed }.username));
      expect(asked).toEqual(['look at failures', 'find user', 'count']);
      expect(new Set(counted)).toEqual(new Set(looked.slice(0, 3)));
      expect(counted).toHaveLength(3);
      // Those of the place last longer than those of all places.
      expect(lasted).toEqual(looked.slice(0, 1));
    },
  );

  describe('an account at one address', () => {
    it.each([
      [0, 0],
      [1, 0],
      [2, 0],
      [3, 2],
      [4, 4],
      [9, 128],
      [OF_PAIR, policy.failureWindowSeconds],
      [OF_PAIR + 5, policy.failureWindowSeconds],
    ])('after %i failures the next attempt waits %i seconds after the last', async (failures, delay) => {
      const counts = [failures, 0, 0] as const;
      expect((await signInWith({}, { counts, since: delay })).outcome.kind).toBe('signedIn');
      const wrong = await signInWith({ password: 'wrong' }, { counts, since: delay, countedAs: failures + 1 });
      expect(wrong.outcome).toEqual(refused('credentials_mismatch'));
      if (delay === 0) return;
      for (const password of [PASSWORD, 'wrong']) {
        const early = await signInWith({ password }, { counts, since: delay - 0.3 });
        expect(early.outcome).toEqual(refused('throttled_account', 'alice', 1));
        expect(early.asked).toEqual(['look at failures']);
      }
      expect((await signInWith({}, { counts })).outcome).toEqual(refused('throttled_account', 'alice', delay));
    });

    it('checks neither the password nor the account at the limit, and does not count the attempt', async () => {
      for (const password of [PASSWORD, 'wrong']) {
        const { outcome, asked } = await signInWith({ password }, { counts: [OF_PAIR, 0, 0] });
        expect(outcome).toEqual(refused('throttled_account', 'alice', policy.failureWindowSeconds));
        expect(asked).toEqual(['look at failures']);
      }
    });

    it('reveals no result to a guess that other nodes have outrun', async () => {
      const counts = [OF_PAIR - 1, 0, 0] as const;
      const raced = { counts, since: 800, countedAs: OF_PAIR + 1 };
      const { outcome } = await signInWith({ password: 'wrong' }, raced);
      expect(outcome).toEqual(refused('throttled_account', 'alice', policy.failureWindowSeconds));
    });
  });

  describe('an address with many failures', () => {
    const counts = [0, OF_ADDRESS, 0] as const;

    it('still signs in with the correct password, since the failures were at other accounts', async () => {
      expect((await signInWith({}, { counts })).outcome.kind).toBe('signedIn');
      const failedHere = { counts: [OF_PAIR - 1, OF_ADDRESS, 0], since: 128 } as const;
      expect((await signInWith({}, failedHere)).outcome.kind).toBe('signedIn');
    });

    it('gets one answer to any other attempt, after the same work', async () => {
      const known = await signInWith({ password: 'wrong' }, { counts });
      const unknown = await signInWith({ username: 'unknown' }, { counts });
      const disabled = await signInWith({}, { counts, disabled: true });
      expect(known.outcome).toEqual(throttled('throttled_address'));
      expect(unknown.outcome).toEqual(throttled('throttled_address', 'unknown'));
      expect(disabled.outcome).toEqual(throttled('throttled_address'));
      for (const { asked, counted } of [known, unknown, disabled]) {
        expect(asked).toEqual(['look at failures', 'find user', 'count']);
        expect(counted).toHaveLength(2);
      }
    });

    it('counts no more for itself, still counts for existing accounts, and stores no row for an unknown username', async () => {
      const known = await signInWith({ password: 'wrong' }, { counts });
      const [pair, address, account, behind] = known.looked;
      expect(known.counted[0]).toBe(behind);
      for (const key of [pair, address, account]) expect(known.counted).not.toContain(key);
      const [one, other] = [
        await signInWith({ username: 'unknown' }, { counts }),
        await signInWith({ username: 'unknown too' }, { counts }),
      ];
      expect(one.counted).toEqual(other.counted);
      expect(one.counted[1]).toBe(known.counted[1]);
      for (const key of [...one.looked, ...other.looked, address]) expect(one.counted).not.toContain(key);
      const elsewhere = await signInWith({ username: 'unknown', address: '192.0.2.2' }, { counts });
      expect(elsewhere.counted).not.toEqual(one.counted);
    });

    it('is rejected at an account where it has failed too often, after the same work and with the same answer', async () => {
      const guessed = await signInWith({}, { counts, behind: OF_PAIR });
      expect(guessed.outcome).toEqual(throttled('throttled_address'));
      expect(guessed.asked).toEqual(['look at failures', 'find user', 'count']);
      // A throttled attempt does not count.
      expect(guessed.counted).not.toContain(guessed.looked[3]);
      expect((await signInWith({}, { counts, behind: OF_PAIR, since: 900 })).outcome.kind).toBe('signedIn');
    });

    it('makes an address wait longer where it has failed at the account, from its own last failure', async () => {
      const failed = (over: number, since: number) => signInWith({}, { counts: [1, OF_ADDRESS + over, 0], since });
      expect((await failed(0, 1)).outcome.kind).toBe('signedIn');
      expect((await failed(5, 31)).outcome.kind).toBe('signInRefused');
      expect((await failed(5, 32)).outcome.kind).toBe('signedIn');
      expect((await failed(5000, 900)).outcome.kind).toBe('signedIn');
    });

    it('counts every failure everywhere, one failure under the limit', async () => {
      const below = await signInWith({ username: 'unknown' }, { counts: [0, OF_ADDRESS - 1, 0] });
      expect(below.outcome).toEqual(refused('credentials_mismatch', 'unknown'));
      expect(new Set(below.counted)).toEqual(new Set(below.looked.slice(0, 3)));
    });
  });

  describe('an account with many failures from everywhere', () => {
    it('accepts a sign-in from an address that has not failed there', async () => {
      expect((await signInWith({}, { counts: [0, 0, OF_ACCOUNT] })).outcome.kind).toBe('signedIn');
      const wrong = await signInWith({ password: 'wrong' }, { counts: [0, 0, OF_ACCOUNT] });
      expect(wrong.outcome).toEqual(refused('credentials_mismatch'));
    });

    it.each([
      [0, 1],
      [1, 2],
      [9, 512],
      [10, policy.failureWindowSeconds],
      [100_000, policy.failureWindowSeconds],
    ])('accepts one from an address with failures: %i more than the limit, after %i seconds', async (over, delay) => {
      const counts = [1, 1, OF_ACCOUNT + over] as const;
      const { outcome, asked } = await signInWith({}, { counts });
      expect(outcome).toEqual(refused('throttled_account', 'alice', delay));
      expect(asked).toEqual(['look at failures']);
      expect((await signInWith({}, { counts, since: delay })).outcome.kind).toBe('signedIn');
      expect((await signInWith({}, { counts: [1, 1, OF_ACCOUNT - 1] })).outcome.kind).toBe('signedIn');
    });
  });

  it('counts one account under every spelling of its name, and every account under the address', async () => {
    const [pair, address, account] = (await signInWith({})).looked;
    expect((await signInWith({ username: 'ALICE' })).looked.slice(0, 3)).toEqual([pair, address, account]);
    const [anotherPair, sameAddress, anotherAccount] = (await signInWith({ username: 'bob' })).looked;
    expect(sameAddress).toBe(address);
    expect([pair, account]).not.toContain(anotherPair);
    expect([pair, account]).not.toContain(anotherAccount);
    const [pairThere, addressThere, sameAccount] = (await signInWith({ address: '192.0.2.2' })).looked;
    expect(sameAccount).toBe(account);
    expect([pair, address]).not.toContain(pairThere);
    expect([pair, address]).not.toContain(addressThere);
  });

  it('counts one account under its username and its address, and trusts the same browsers', async () => {
    const byName = await signInWith({ password: 'wrong' });
    const byAddress = await signInWith({ username: ADDRESS, password: 'wrong' });
    expect(byAddress.looked).toEqual(byName.looked);
    expect(byAddress.counted).toEqual(byName.counted);
    // The form shows again what was typed.
    expect(byAddress.outcome).toEqual(refused('credentials_mismatch', ADDRESS));
    const [trusted] = (await signInWith({ username: ADDRESS })).remembered;
    const known = await signInWith({}, { counts: [OF_PAIR, OF_ADDRESS, OF_ACCOUNT], cookie: trusted?.cookie ?? '' });
    expect(known.outcome.kind).toBe('signedIn');
  });

  it.each([ADDRESS, 'unknown@example.com'])(
    'makes the same requests for an address, known or not: %s',
    async (username) => {
      const { outcome, asked, counted } = await signInWith({ username, password: 'wrong' });
      expect(outcome).toEqual(refused('credentials_mismatch', username));
      expect(asked).toEqual(['look at failures', 'find user', 'count']);
      expect(counted).toHaveLength(3);
    },
  );

  it('counts as two where one name begins with the end of the address', async () => {
    const [one] = (await signInWith({ address: '192.0.2.1', username: '1x' })).looked;
    const [other] = (await signInWith({ address: '192.0.2.11', username: 'x' })).looked;
    expect(one).not.toBe(other);
  });

  it("waits in the queue of the address, and uses the tickets of the browser's cookie", async () => {
    const places: unknown[] = [];
    const run: SignInCapacity['attempts']['run'] = async (place) => {
      places.push(place);
      return { kind: 'full' };
    };
    const capacity = { ...signInCapacity(4), attempts: { run } };
    const gone = new AbortController().signal;
    await signInWith({ gone }, { capacity });
    await signInWith({ gone, cookie: { old: null, new: NEW, browser: null } }, { capacity });
    const line = { line: '192.0.2.1', signal: gone, ahead: false };
    expect(places).toEqual([
      { ...line, ticket: Buffer.from('a browser').toString('hex') },
      { ...line, ticket: '' },
    ]);
  });

  describe('a browser that the account trusts', () => {
    const random = systemRandom;
    const cookieFor = (name: string, endsAt = new Date(NOW.getTime() + 60_000)) =>
      rememberDevice({ keys, random }, null, { name, userId: 'an id' }, endsAt);
    const attacked = { counts: [OF_PAIR, OF_ADDRESS + 100, OF_ACCOUNT + 100] } as const;

    it('signs in whatever failures others have, at its address or anywhere', async () => {
      const { outcome } = await signInWith({}, { ...attacked, cookie: cookieFor('alice') });
      expect(outcome.kind).toBe('signedIn');
    });

    it.each([
      ['none', undefined],
      ['that of another account', cookieFor('bob')],
      ['one that has ended', cookieFor('alice', NOW)],
      ['one with another end', `${cookieFor('alice').slice(0, 7)}A${cookieFor('alice').slice(8)}`],
      ['any text', 'x'.repeat(51)],
    ])('is not recognized by %s', async (_, cookie) => {
      const { outcome } = await signInWith({}, { ...attacked, ...(cookie !== undefined && { cookie }) });
      expect(outcome).toMatchObject({ kind: 'signInRefused', reason: 'throttled_address' });
    });

    it('waits for its own failures, which do not count for others at its address', async () => {
      const cookie = cookieFor('alice');
      const wrong = await signInWith({ password: 'wrong' }, { ...attacked, cookie });
      expect(wrong.outcome).toEqual(refused('credentials_mismatch'));
      const [pair, address, account, , device] = wrong.looked;
      expect(wrong.counted).toEqual([device, account, address]);
      expect(wrong.counted).not.toContain(pair);
      expect((await signInWith({}, { cookie, ofDevice: 4 })).outcome).toEqual(refused('throttled_account', 'alice', 4));
      expect((await signInWith({}, { cookie, ofDevice: 4, since: 4 })).outcome.kind).toBe('signedIn');
    });

    it('becomes trusted by the correct password alone, keeps its id, and stays trusted by other accounts', async () => {
      expect((await signInWith({ password: 'wrong' })).remembered).toEqual([]);
      const bob = cookieFor('bob');
      const [first] = (await signInWith({}, { cookie: bob })).remembered;
      expect(first?.lifetime).toBe(policy.knownDeviceLifetimeSeconds);
      const again = await signInWith({}, { cookie: first?.cookie ?? '' });
      const [second] = again.remembered;
      const entries = (cookie = '') => cookie.split('.');
      expect(entries(second?.cookie)).toHaveLength(2);
      expect(entries(second?.cookie)[1]).toBe(bob);
      const deviceOf = async (cookie = '') => (await signInWith({}, { cookie })).looked[4];
      expect(await deviceOf(second?.cookie)).toBe(await deviceOf(first?.cookie));
    });

    it('waits in a queue of its own, ahead of untrusted browsers', async () => {
      const places: unknown[] = [];
      const free = signInCapacity(4);
      const spying = (run: SignInCapacity['hashes']): SignInCapacity['hashes'] => ({
        run: (place, work) => {
          places.push(place);
          return run.run(place, work);
        },
      });
      const capacity = { attempts: spying(free.attempts), hashes: spying(free.hashes) };
      await signInWith({}, { capacity, cookie: cookieFor('alice') });
      const own = { line: expect.stringMatching(/^device ./), ahead: true };
      expect(places).toEqual([expect.objectContaining(own), expect.objectContaining(own)]);
    });
  });

  describe('a hash of another system', () => {
    const stored = storedPasswordHash('$2b$08$abcdefghijklmnopqrstuubAvJmxpQuyV3jn7x.SUSPxe.DearCPe');

    it('is replaced by our own at the sign-in', async () => {
      const { outcome, rehashed, asked } = await signInWith({ password: 'correct horse' }, { stored });
      expect(outcome.kind).toBe('signedIn');
      const renewed = expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
      expect(rehashed).toEqual([{ id: '3f0b8a52-3f5e-4c1b-9d7e-4d8f2f0a1b2c', checked: stored, renewed }]);
      expect(asked.indexOf('rehash')).toBeLessThan(asked.indexOf(`insert ${NEW}`));
    });

    it('stays where the password is wrong, the end-user disabled, or the hash our own', async () => {
      expect((await signInWith({ password: 'wrong' }, { stored })).rehashed).toEqual([]);
      const disabled = await signInWith({ password: 'correct horse' }, { stored, disabled: true });
      expect(disabled.rehashed).toEqual([]);
      expect((await signInWith({})).rehashed).toEqual([]);
    });

    it('does not block the sign-in when the database rejects the replacement', async () => {
      const rehashFails = new Unavailable('store_unavailable', { cause: new StoreUnavailable(false) });
      const { outcome } = await signInWith({ password: 'correct horse' }, { stored, rehashFails });
      expect(outcome.kind).toBe('signedIn');
      const broken = signInWith({ password: 'correct horse' }, { stored, rehashFails: new Error('a defect') });
      await expect(broken).rejects.toThrow('a defect');
    });
  });

  describe('beyond the capacity of a node', () => {
    const free = signInCapacity(4);
    it.each([
      ['busy', 'full'],
      ['caller_gone', 'abandoned'],
    ] as const)('%s: reads nothing and counts nothing', async (reason, kind) => {
      const atTheDoor = await signInWith({}, { capacity: { ...free, attempts: turnedAway(kind) } });
      expect(atTheDoor.outcome).toEqual(refused(reason, 'alice', 2));
      expect(atTheDoor.asked).toEqual([]);
      const beforeTheHash = await signInWith(
        { password: 'wrong' },
        { capacity: { ...free, hashes: turnedAway(kind) } },
      );
      expect(beforeTheHash.outcome).toEqual(refused(reason, 'alice', 2));
      expect(beforeTheHash.asked).toEqual(['look at failures', 'find user']);
    });
  });
});
