/** Sign-in without HTTP: what is asked of the stores, and in which order. */
import { describe, expect, it } from 'vitest';
import { hashPassword } from '../../../src/crypto/password.ts';
import { systemRandom } from '../../../src/crypto/random.ts';
import { rawSecret } from '../../../src/crypto/secret-types.ts';
import type { Session } from '../../../src/model/session.ts';
import { type SignInDeps, type SignInForm, signIn } from '../../../src/protocol/sign-in.ts';
import { shippedConfiguration, testKeys } from '../../support/app.ts';

const PASSWORD = 'correct horse battery staple';
const passwordHash = hashPassword(rawSecret(PASSWORD));
const policy = shippedConfiguration.signIn;
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
  given: { readonly counts?: number[]; readonly disabled?: boolean } = {},
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
  const keys: string[][] = [];
  const deps: SignInDeps = {
    keys: testKeys,
    sleep: async () => {},
    random: systemRandom,
    configuration: () => shippedConfiguration,
    users: {
      keyOf: (username) => username.toLowerCase(),
      findForSignIn: async (username) => {
        asked.push('find user');
        return username.toLowerCase() === 'alice' ? user : null;
      },
    },
    signInFailures: {
      count: async (hashes) => {
        asked.push('count');
        keys.push(hashes.map((hash) => hash.toString('hex')));
        return given.counts ?? [1, 1];
      },
      giveBack: async () => asked.push('give back'),
    },
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
    cookie: { old: OLD, new: NEW },
    userAgent: null,
    ...typed,
  };
  return { outcome: await signIn(deps, form), asked, keys: keys.flat() };
}

describe('sign-in', () => {
  it('counts before it looks at the password, gives the attempt back, and replaces the session and its cookie', async () => {
    const { outcome, asked } = await signInWith({});
    expect(outcome).toMatchObject({ kind: 'signedIn', session: { username: 'Alice', signedInAt: new Date(1_000) } });
    expect(asked).toEqual(['count', 'find user', 'give back', `load ${OLD}`, `end ${OLD}`, `insert ${NEW}`]);
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
    'a wrong password, an unknown and a disabled user get one outcome, and keep their count: %o %o',
    async (typed, given) => {
      const { outcome, asked } = await signInWith(typed, given);
      const username = { username: 'alice', ...typed }.username;
      expect(outcome).toEqual({
        kind: 'signInRefused',
        reason: 'credentials_mismatch',
        username,
        retryAfterSeconds: null,
      });
      expect(asked).toEqual(['count', 'find user']);
    },
  );

  it.each([
    ['throttled_account', [policy.failuresPerAccountAndAddress + 1, 1]],
    ['throttled_address', [1, policy.failuresPerAddress + 1]],
  ])('%s: the right password is not looked at', async (reason, counts) => {
    const { outcome, asked } = await signInWith({}, { counts });
    const retryAfterSeconds = policy.failureWindowSeconds;
    expect(outcome).toEqual({ kind: 'signInRefused', reason, username: 'alice', retryAfterSeconds });
    expect(asked).toEqual(['count']);
  });

  it('counts one account under every spelling of its name, and every account under the address', async () => {
    const [account, address] = (await signInWith({})).keys;
    expect((await signInWith({ username: 'ALICE' })).keys).toEqual([account, address]);
    const [another, sameAddress] = (await signInWith({ username: 'bob' })).keys;
    expect(another).not.toBe(account);
    expect(sameAddress).toBe(address);
    expect((await signInWith({ address: '192.0.2.2' })).keys).not.toContain(account);
  });
});
