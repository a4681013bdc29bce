/** Sign-in without HTTP: what is asked of the stores, and in which order. */
import { describe, expect, it } from 'vitest';
import { signInCapacity } from '../../../src/boot/sign-in-capacity.ts';
import { hashPassword } from '../../../src/crypto/password.ts';
import { systemRandom } from '../../../src/crypto/random.ts';
import { rawSecret } from '../../../src/crypto/secret-types.ts';
import type { Session } from '../../../src/model/session.ts';
import { type SignInCapacity, type SignInDeps, type SignInForm, signIn } from '../../../src/protocol/sign-in.ts';
import { keys } from './memory.ts';
import { configuration } from './world.ts';

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
  userAgent: null,
  liveUserEpoch: 7n,
  liveServerEpoch: 3n,
};
const NEW = Buffer.from('the cookie from now on');

async function signInWith(
  typed: Partial<SignInForm>,
  given: {
    /** Of account and address, of the address, of the account. */
    readonly counts?: readonly [number, number, number];
    /** What another node has counted meanwhile. */
    readonly countedAs?: number;
    readonly disabled?: boolean;
    readonly capacity?: SignInCapacity;
  } = {},
) {
  const asked: string[] = [];
  const user = {
    id: '3f0b8a52-3f5e-4c1b-9d7e-4d8f2f0a1b2c',
    username: 'Alice',
    passwordHash: await passwordHash,
    claims: {},
    epoch: 7n,
    serverEpoch: 3n,
    disabledAt: given.disabled ? new Date(0) : null,
  };
  const looked: string[] = [];
  const counted: string[] = [];
  const deps: SignInDeps = {
    keys,
    sleep: async () => {},
    random: systemRandom,
    configuration: () => configuration(),
    users: {
      keyOf: (username) => username.toLowerCase(),
      findForSignIn: async (username) => {
        asked.push('find user');
        return username.toLowerCase() === 'alice' ? user : null;
      },
    },
    signInFailures: {
      countsOf: async (hashes) => {
        asked.push('look at failures');
        looked.push(...hashes.map((hash) => hash.toString('hex')));
        return [...(given.counts ?? [0, 0, 0])];
      },
      count: async (hashes) => {
        asked.push('count');
        counted.push(...hashes.map((hash) => hash.toString('hex')));
        return hashes.map(() => given.countedAs ?? 1);
      },
    },
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
        return { signedInAt: new Date(1_000), endsAt: new Date(2_000) };
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
    userAgent: null,
    gone: new AbortController().signal,
    ...typed,
  };
  return { outcome: await signIn(deps, form), asked, looked, counted };
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
const throttled = (reason: string, username = 'alice') => refused(reason, username, policy.failureWindowSeconds);
const turnedAway = (kind: 'full' | 'abandoned') => ({ run: async () => ({ kind }) });

describe('sign-in', () => {
  it('looks at the failures, checks the password, counts nothing, and replaces the session and its cookie', async () => {
    const { outcome, asked } = await signInWith({});
    expect(outcome).toMatchObject({ kind: 'signedIn', session: { username: 'Alice', signedInAt: new Date(1_000) } });
    expect(asked).toEqual(['look at failures', 'find user', `load ${OLD}`, `end ${OLD}`, `insert ${NEW}`]);
  });

  it.each([{ username: null }, { username: '' }, { password: null }, { password: '' }])(
    'asks nobody about an incomplete form: %o',
    async (typed) => {
      const { outcome, asked } = await signInWith(typed);
      expect(outcome).toMatchObject({ kind: 'signInRefused', reason: 'form_incomplete', retryAfterSeconds: null });
      expect(asked).toEqual([]);
    },
  );

  it.each([
    [{ password: 'wrong' }, {}],
    [{ username: 'nobody' }, {}],
    [{}, { disabled: true }],
  ])(
    'a wrong password, an unknown and a disabled user get one outcome, and are counted: %o %o',
    async (typed, given) => {
      const { outcome, asked, looked, counted } = await signInWith(typed, given);
      expect(outcome).toEqual(refused('credentials_mismatch', { username: 'alice', ...typed }.username));
      expect(asked).toEqual(['look at failures', 'find user', 'count']);
      expect(new Set(counted)).toEqual(new Set(looked));
      expect(counted).toHaveLength(3);
    },
  );

  describe('an account at one address', () => {
    it('one failure under the limit, the password is checked', async () => {
      const counts = [OF_PAIR - 1, 0, 0] as const;
      expect((await signInWith({}, { counts })).outcome.kind).toBe('signedIn');
      const wrong = await signInWith({ password: 'wrong' }, { counts, countedAs: OF_PAIR });
      expect(wrong.outcome).toEqual(refused('credentials_mismatch'));
    });

    it('at the limit no password is looked at, nor the account, and the attempt does not count', async () => {
      for (const password of [PASSWORD, 'wrong']) {
        const { outcome, asked } = await signInWith({ password }, { counts: [OF_PAIR, 0, 0] });
        expect(outcome).toEqual(throttled('throttled_account'));
        expect(asked).toEqual(['look at failures']);
      }
    });

    it('a guess that other nodes have outrun is told nothing', async () => {
      const counts = [OF_PAIR - 1, 0, 0] as const;
      const { outcome } = await signInWith({ password: 'wrong' }, { counts, countedAs: OF_PAIR + 1 });
      expect(outcome).toEqual(throttled('throttled_account'));
    });
  });

  describe('an address with many failures', () => {
    const counts = [0, OF_ADDRESS, 0] as const;

    it('still signs in with the right password, since the failures were at other accounts', async () => {
      expect((await signInWith({}, { counts })).outcome.kind).toBe('signedIn');
      expect((await signInWith({}, { counts: [OF_PAIR - 1, OF_ADDRESS, 0] })).outcome.kind).toBe('signedIn');
    });

    it('gets one answer to everything else, after the same work', async () => {
      const known = await signInWith({ password: 'wrong' }, { counts });
      const unknown = await signInWith({ username: 'nobody' }, { counts });
      const disabled = await signInWith({}, { counts, disabled: true });
      expect(known.outcome).toEqual(throttled('throttled_address'));
      expect(unknown.outcome).toEqual(throttled('throttled_address', 'nobody'));
      expect(disabled.outcome).toEqual(throttled('throttled_address'));
      for (const { asked, counted } of [known, unknown, disabled]) {
        expect(asked).toEqual(['look at failures', 'find user', 'count']);
        expect(counted).toHaveLength(2);
      }
    });

    it('counts no more for itself, goes on counting for accounts that exist, and has no row for each made-up name', async () => {
      const known = await signInWith({ password: 'wrong' }, { counts });
      const [pair, address, account] = known.looked;
      expect(known.counted).toEqual([pair, account]);
      const [one, other] = [
        await signInWith({ username: 'nobody' }, { counts }),
        await signInWith({ username: 'nobody else' }, { counts }),
      ];
      expect(one.counted).toEqual(other.counted);
      for (const key of [...one.looked, ...other.looked, address]) expect(one.counted).not.toContain(key);
      const elsewhere = await signInWith({ username: 'nobody', address: '192.0.2.2' }, { counts });
      expect(elsewhere.counted).not.toEqual(one.counted);
    });

    it('one failure under the limit, every failure counts everywhere', async () => {
      const below = await signInWith({ username: 'nobody' }, { counts: [0, OF_ADDRESS - 1, 0] });
      expect(below.outcome).toEqual(refused('credentials_mismatch', 'nobody'));
      expect(new Set(below.counted)).toEqual(new Set(below.looked));
    });
  });

  describe('an account with many failures from everywhere', () => {
    it('can be signed in to from an address that has not failed there', async () => {
      expect((await signInWith({}, { counts: [0, 0, OF_ACCOUNT] })).outcome.kind).toBe('signedIn');
      const wrong = await signInWith({ password: 'wrong' }, { counts: [0, 0, OF_ACCOUNT] });
      expect(wrong.outcome).toEqual(refused('credentials_mismatch'));
    });

    it('and from an address that has, not before the window ends', async () => {
      const { outcome, asked } = await signInWith({}, { counts: [1, 1, OF_ACCOUNT] });
      expect(outcome).toEqual(throttled('throttled_account'));
      expect(asked).toEqual(['look at failures']);
      expect((await signInWith({}, { counts: [1, 1, OF_ACCOUNT - 1] })).outcome.kind).toBe('signedIn');
    });
  });

  it('counts one account under every spelling of its name, and every account under the address', async () => {
    const [pair, address, account] = (await signInWith({})).looked;
    expect((await signInWith({ username: 'ALICE' })).looked).toEqual([pair, address, account]);
    const [anotherPair, sameAddress, anotherAccount] = (await signInWith({ username: 'bob' })).looked;
    expect(sameAddress).toBe(address);
    expect([pair, account]).not.toContain(anotherPair);
    expect([pair, account]).not.toContain(anotherAccount);
    const [pairThere, addressThere, sameAccount] = (await signInWith({ address: '192.0.2.2' })).looked;
    expect(sameAccount).toBe(account);
    expect([pair, address]).not.toContain(pairThere);
    expect([pair, address]).not.toContain(addressThere);
  });

  it('counts where one name begins with the end of the address as two', async () => {
    const [one] = (await signInWith({ address: '192.0.2.1', username: '1x' })).looked;
    const [other] = (await signInWith({ address: '192.0.2.11', username: 'x' })).looked;
    expect(one).not.toBe(other);
  });

  it('waits in the line of the address, and pays with the cookie of the browser', async () => {
    const places: unknown[] = [];
    const run: SignInCapacity['attempts']['run'] = async (place) => {
      places.push(place);
      return { kind: 'full' };
    };
    const capacity = { ...signInCapacity(4), attempts: { run } };
    const gone = new AbortController().signal;
    await signInWith({ gone }, { capacity });
    await signInWith({ gone, cookie: { old: null, new: NEW, browser: null } }, { capacity });
    const line = { line: '192.0.2.1', signal: gone };
    expect(places).toEqual([
      { ...line, ticket: Buffer.from('a browser').toString('hex') },
      { ...line, ticket: '' },
    ]);
  });

  describe('beyond what a node takes at once', () => {
    const free = signInCapacity(4);
    it.each([
      ['busy', 'full'],
      ['caller_gone', 'abandoned'],
    ] as const)('%s: nothing is looked at and nothing counts', async (reason, kind) => {
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
