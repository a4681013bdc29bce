/** The session of a browser, and what it opens: signing in directly, the places where the end-user is signed in, permissions. */
import { describe, expect, it } from 'vitest';
import { hashPassword } from '../../../src/crypto/password.ts';
import { systemRandom } from '../../../src/crypto/random.ts';
import { rawSecret } from '../../../src/crypto/secret-types.ts';
import type { Grant } from '../../../src/model/grant.ts';
import type { Session } from '../../../src/model/session.ts';
import {
  createSession,
  endListedSession,
  endSession,
  findSession,
  type SessionDeps,
} from '../../../src/protocol/browser-session.ts';
import { signInDirectly, viewDirectSignIn } from '../../../src/protocol/direct-sign-in.ts';
import { type PermissionDeps, submitEndPermission, viewPermissions } from '../../../src/protocol/permissions.ts';
import type { SignInDeps } from '../../../src/protocol/sign-in.ts';
import { signedInBrowsers, submitEndSession } from '../../../src/protocol/signed-in-browsers.ts';
import { rememberedRefusals } from '../../support/sign-in-ledger.ts';
import { COOKIE, keys, SID, session, sessionsInMemory, tokenEndpoints, withChain } from './memory.ts';
import { at, client, configuration, grant } from './ports.ts';

const ALICE = session().userId;
const OTHER_SID = '00000000-0000-4000-8000-0000000000aa';
const OTHER_COOKIE = Buffer.from('the hash of another cookie');

function given(stored: readonly Session[] = [session()], second = 10) {
  const { rows, done, sessions } = sessionsInMemory(stored, second);
  const deps: SessionDeps = {
    random: systemRandom,
    configuration: () => configuration(),
    sleep: async () => {},
    sessions,
    factorsOf: async () => ({ hasApp: false, hasPasskey: false, hasPassword: false }),
    signInLedger: rememberedRefusals(),
  };
  return { rows, done, deps };
}

describe('the session of a cookie', () => {
  it.each<[string, Buffer | null, Partial<Session>, number, boolean]>([
    ['is found', COOKIE, {}, 10, true],
    ['is not that of another', OTHER_COOKIE, {}, 10, false],
    ['is none without a cookie', null, {}, 10, false],
    ['ends in time', COOKIE, {}, 3600, false],
    ['was ended', COOKIE, { state: 'ended', endedReason: 'signed_out' }, 10, false],
    ['ends with its user', COOKIE, { liveUserEpoch: null }, 10, false],
    ['ends with all sessions', COOKIE, { liveServerEpoch: 2n }, 10, false],
  ])('%s', async (_, cookie, change, second, isFound) => {
    const { deps } = given([session(change)], second);
    expect((await findSession(deps, cookie))?.sid).toBe(isFound ? SID : undefined);
  });

  it('ends at a sign-out, and no other session does', async () => {
    const { deps, done } = given([session({ idHash: OTHER_COOKIE, sid: OTHER_SID }), session()]);
    await endSession(deps, null);
    expect(done).toEqual([]);
    await endSession(deps, COOKIE);
    expect(done).toEqual([`signed_out ${SID}`]);
    expect(await findSession(deps, COOKIE)).toBeNull();
    expect(await findSession(deps, OTHER_COOKIE)).not.toBeNull();
  });

  it('ends from the list of its own user', async () => {
    const { deps, done } = given();
    expect(await endListedSession(deps, 'bob', SID)).toBe(false);
    expect(await findSession(deps, COOKIE)).not.toBeNull();
    expect(await endListedSession(deps, ALICE, SID)).toBe(true);
    expect(await endListedSession(deps, ALICE, SID)).toBe(false);
    expect(done).toEqual([`ended_by_user ${SID}`]);
  });
});

describe('a sign-in', () => {
  const user = {
    id: ALICE,
    username: 'alice',
    epoch: 4n,
    serverEpoch: 5n,
    claims: {},
    disabledAt: null,
    sub: null,
    passwordByLinkAt: null,
    passwordHash: '' as never,
  };
  describe('in a trusted browser', () => {
    const TRUST = { kind: 'trustedBrowser', id: OTHER_SID } as const;
    const signedIn = async (
      standsStill: boolean,
      factors = { hasApp: true, hasPasskey: false },
      requiredClass: string | null = null,
    ) => {
      const { deps } = given([]);
      const reliedOn: unknown[] = [];
      const demanded: boolean[] = [];
      const sessions = {
        ...deps.sessions,
        insert: async (row: Parameters<typeof deps.sessions.insert>[0]) => {
          reliedOn.push(row.factor);
          return row.factor && !standsStill ? null : deps.sessions.insert(row);
        },
      };
      const standIn = async (proofIsDemanded: boolean) => {
        demanded.push(proofIsDemanded);
        return proofIsDemanded ? null : TRUST;
      };
      const world = { ...deps, sessions, factorsOf: async () => ({ ...factors, hasPassword: true }) };
      const cookie = { old: null, new: OTHER_COOKIE };
      const made = await createSession(world, user, cookie, null, { amr: ['pwd'], standIn, requiredClass });
      return { state: made?.state, amr: made?.amr, reliedOn, demanded };
    };

    it('is active by the password alone, and relies on the trust', async () => {
      expect(await signedIn(true)).toEqual({ state: 'active', amr: ['pwd'], reliedOn: [TRUST], demanded: [false] });
    });

    it('awaits the factor where the trust has ended before the session is stored', async () => {
      const { state, reliedOn } = await signedIn(false);
      expect({ state, reliedOn }).toEqual({ state: 'awaitingSecondFactor', reliedOn: [TRUST, null] });
    });

    it('asks for no trust where no factor is missing', async () => {
      expect(await signedIn(true, { hasApp: false, hasPasskey: false })).toMatchObject({
        state: 'active',
        demanded: [],
      });
    });

    it('awaits the factor where the client demands a class', async () => {
      const { state, demanded } = await signedIn(true, undefined, 'urn:statehouse:acr:multi-factor');
      expect({ state, demanded }).toEqual({ state: 'awaitingSecondFactor', demanded: [true] });
    });
  });

  it('creates a session of its own, with the lifetime of the policy', async () => {
    const { deps, done, rows } = given();
    const made = await createSession(deps, user, { old: null, new: OTHER_COOKIE }, 'Firefox', {
      amr: ['swk', 'user', 'mfa'],
    });
    expect(made).toEqual({
      idHash: OTHER_COOKIE,
      sid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      userId: ALICE,
      username: 'alice',
      userEpoch: 4n,
      serverEpoch: 5n,
      liveUserEpoch: 4n,
      liveServerEpoch: 5n,
      signedInAt: at(10),
      lastUsedAt: at(10),
      endsAt: at(3610),
      state: 'active',
      endedReason: null,
      amr: ['swk', 'user', 'mfa'],
      signInTimeIsKnown: true,
      userAgent: 'Firefox',
    });
    expect(done).toEqual(['insert']);
    expect(rows).toHaveLength(2);
  });

  it('ends the session of the earlier cookie', async () => {
    const { deps, done } = given();
    await createSession(deps, user, { old: COOKIE, new: OTHER_COOKIE }, null, { amr: ['pwd'] });
    expect(done).toEqual([`signed_in_again ${SID}`, 'insert']);
    expect(await findSession(deps, COOKIE)).toBeNull();
    expect(await findSession(deps, OTHER_COOKIE)).toMatchObject({ userAgent: null });
  });

  it('stores only the first part of the User-Agent', async () => {
    const { deps } = given();
    const made = await createSession(deps, user, { old: null, new: OTHER_COOKIE }, `${'x'.repeat(256)}y`, {
      amr: ['pwd'],
    });
    expect(made?.userAgent).toBe('x'.repeat(256));
  });
});

describe('the direct sign-in', () => {
  const PASSWORD = 'correct horse battery staple';
  const passwordHash = hashPassword(rawSecret(PASSWORD));
  const direct = (stored: readonly Session[] = [], second?: number) => {
    const { deps, rows } = given(stored, second);
    const line = {
      run: async <T>(_: unknown, job: () => Promise<T>) => ({ kind: 'done', value: await job() }) as const,
    };
    const all: SignInDeps = {
      ...deps,
      keys,
      users: {
        keyOf: (username) => username,
        accountKeyOf: async (typed) => typed,
        findToVerify: async () => null,
        rehashed: async () => {},
        findForSignIn: async (username) =>
          username === 'alice'
            ? {
                id: ALICE,
                username,
                epoch: 1n,
                serverEpoch: 1n,
                claims: {},
                disabledAt: null,
                sub: null,
                passwordByLinkAt: null,
                passwordHash: await passwordHash,
              }
            : null,
      },
      signInFailures: {
        forget: async () => {},
        recentOf: async () => ({ now: new Date(0), failures: [] }),
        count: async () => [1, 1, 1],
      },
      signInCapacity: { attempts: line as never, hashes: line as never },
    };
    return { deps: all, rows };
  };
  const form = (isOurForm: (purpose: string) => boolean, password = PASSWORD) => ({
    username: 'alice',
    password,
    address: '192.0.2.1',
    cookie: { old: null, new: COOKIE, browser: null },
    userAgent: null,
    gone: new AbortController().signal,
    isOurForm,
  });

  it('shows a form, unless the browser is signed in', async () => {
    const view = (deps: SignInDeps, cookie: Buffer | null = COOKIE) =>
      viewDirectSignIn(deps, cookie, { needsRecentSignIn: false });
    const form = { kind: 'signIn', formPurpose: 'sign-in', again: null };
    expect(await view(direct().deps)).toEqual(form);
    expect(await view(direct([session()]).deps, null)).toEqual(form);
    expect(await view(direct([session()]).deps)).toEqual({ kind: 'alreadySignedIn' });
  });

  it.each([
    [true, 600, { kind: 'alreadySignedIn' }],
    [
      true,
      601,
      { kind: 'signIn', formPurpose: 'sign-in', again: { userId: session().userId, username: session().username } },
    ],
    [false, 601, { kind: 'alreadySignedIn' }],
  ])(
    'where a recent sign-in is needed (%s), with a session of %d seconds',
    async (needsRecentSignIn, second, expected) => {
      const { deps } = direct([session()], second);
      expect(await viewDirectSignIn(deps, COOKIE, { needsRecentSignIn })).toEqual(expected);
    },
  );

  it('accepts its own form, and no other', async () => {
    const { deps, rows } = direct();
    expect(
      await signInDirectly(
        deps,
        form((purpose) => purpose !== 'sign-in'),
      ),
    ).toEqual({ kind: 'formRefused' });
    expect(rows).toEqual([]);
    expect(
      await signInDirectly(
        deps,
        form((purpose) => purpose === 'sign-in', 'wrong'),
      ),
    ).toEqual({
      kind: 'signInRefused',
      reason: 'credentials_mismatch',
      username: 'alice',
      retryAfterSeconds: null,
      formPurpose: 'sign-in',
    });
    const signedIn = await signInDirectly(
      deps,
      form((purpose) => purpose === 'sign-in'),
    );
    expect(signedIn).toEqual({ kind: 'signedIn', session: expect.objectContaining({ username: 'alice' }) });
    expect(rows).toHaveLength(1);
  });
});

describe('the list of sessions', () => {
  it('shows the active ones, and marks the one of this browser', async () => {
    const other = session({ sid: OTHER_SID, userAgent: 'Firefox', lastUsedAt: at(5) });
    const { deps } = given([session(), other]);
    expect(await signedInBrowsers(deps, session())).toEqual([
      { sid: SID, userAgent: null, amr: ['pwd'], signedInAt: at(0), lastUsedAt: at(0), isThis: true },
      { sid: OTHER_SID, userAgent: 'Firefox', amr: ['pwd'], signedInAt: at(0), lastUsedAt: at(5), isThis: false },
    ]);
  });

  it.each<[string, Partial<Session>, number, idle?: number]>([
    ['was ended', { state: 'ended' }, 10],
    ['ended with its user', { liveUserEpoch: 2n }, 10],
    ['is over', {}, 3600],
    ['expired under the current policy', { endsAt: at(1e6) }, 3600],
    ['was not used for too long', { lastUsedAt: at(20) }, 120, 100],
  ])('and not what %s', async (_, change, second, sessionIdleLifetimeSeconds) => {
    const shown = async (now: number, stored: Session) => {
      const { deps } = given([stored], now);
      const { signIn } = configuration();
      const policy = configuration({ signIn: { ...signIn, sessionIdleLifetimeSeconds } });
      return (await signedInBrowsers({ ...deps, configuration: () => policy }, session())).length;
    };
    expect(await shown(second, session(change))).toBe(0);
    if (second > 10) expect(await shown(second - 0.001, session(change))).toBe(1);
  });

  const submit = (
    deps: SessionDeps,
    sid: string | null,
    isOurForm = (purpose: string): boolean => purpose === `permissions of ${SID}`,
    cookie: Buffer | null = COOKIE,
  ) => submitEndSession(deps, { sid, cookie, isOurForm });

  it('terminates one of them by a form', async () => {
    const { deps, rows } = given([session(), session({ sid: OTHER_SID, idHash: OTHER_COOKIE })]);
    const ended = { kind: 'ended', userId: ALICE, sid: OTHER_SID };
    expect(await submit(deps, OTHER_SID)).toEqual({ ...ended, hasEnded: true });
    expect(await submit(deps, OTHER_SID)).toEqual({ ...ended, hasEnded: false });
    expect(rows.map(({ state }) => state)).toEqual(['active', 'ended']);
  });

  it.each([
    null,
    '',
    'x',
    `x${OTHER_SID}`,
    `${OTHER_SID}x`,
    OTHER_SID.toUpperCase(),
    OTHER_SID.replace('0', 'g'),
    OTHER_SID.replace('-', ''),
  ])('terminates none by a form with %j', async (sid) => {
    const { deps, done } = given();
    expect(await submit(deps, sid)).toEqual({ kind: 'formRefused' });
    expect(done).toEqual([]);
  });

  it('terminates none by a form of another page, or without a session', async () => {
    const { deps, rows } = given();
    expect(await submit(deps, SID, (purpose) => purpose !== `permissions of ${SID}`)).toEqual({ kind: 'formRefused' });
    expect(await submit(deps, SID, undefined, null)).toEqual({ kind: 'signInRequired' });
    expect(rows).toEqual([session()]);
  });
});

describe('permissions', () => {
  const shop = client();
  function permissions(grants: readonly Grant[], clients = [shop]) {
    const asked: string[] = [];
    const { deps } = given();
    const endpoints = tokenEndpoints(clients, grants);
    const all: PermissionDeps = {
      ...deps,
      store: {
        ...endpoints.deps.store,
        commit: async (commit) => {
          asked.push('commit');
          return endpoints.deps.store.commit(commit);
        },
      },
      permissions: {
        load: async (userId) => {
          asked.push(`load ${userId}`);
          const known = new Map(clients.map((one) => [one.clientId, one]));
          return { now: at(10), grants, consents: [], clients: known };
        },
        grantIds: async (userId, clientId) => {
          asked.push(`grants of ${userId} for ${clientId}`);
          return [...grants.map(({ id }) => id), 'gone'];
        },
        forgetConsents: async (userId, clientId) => {
          asked.push(`forget ${userId} ${clientId}`);
          return 1;
        },
      },
    };
    return { deps: all, asked, rows: endpoints.rows };
  }
  const isOurForm = (purpose: string) => purpose === `permissions of ${SID}`;

  it('belong to the session', async () => {
    const { deps, asked } = permissions([withChain()]);
    expect(await viewPermissions(deps, null)).toEqual({ kind: 'signInRequired' });
    expect(asked).toEqual([]);
    expect(await viewPermissions(deps, COOKIE)).toEqual({
      kind: 'permissions',
      formPurpose: `permissions of ${SID}`,
      userId: session().userId,
      username: 'alice',
      allowed: [expect.objectContaining({ clientId: 'shop' })],
      more: false,
      browsers: [expect.objectContaining({ sid: SID, isThis: true })],
    });
    expect(asked).toEqual([`load ${ALICE}`]);
  });

  it('are shown up to a hundred, and the page reports that more exist', async () => {
    const many = (count: number) => {
      const clients = Array.from({ length: count }, (_, n) => client({ clientId: `client ${n}` }));
      return permissions(
        clients.map(({ clientId }, n) => grant({ clientId, createdAt: at(n / 1000), id: `grant ${n}` })),
        clients,
      ).deps;
    };
    const shown = async (count: number) => {
      const view = await viewPermissions(many(count), COOKIE);
      return view.kind === 'permissions' ? [view.allowed.length, view.more, view.allowed[0]?.clientId] : null;
    };
    expect(await shown(100)).toEqual([100, false, 'client 99']);
    expect(await shown(101)).toEqual([100, true, 'client 100']);
  });

  it('are revoked by a form: the consents first, then every active grant', async () => {
    const ended = withChain({ id: '00000000-0000-4000-8000-00000000000e', state: 'revoked', revokedReason: 'x' });
    const { deps, asked, rows } = permissions([ended, withChain()]);
    expect(await submitEndPermission(deps, { clientId: 'shop', cookie: COOKIE, isOurForm })).toEqual({
      kind: 'ended',
      clientId: 'shop',
      userId: ALICE,
      grants: 1,
    });
    expect(asked).toEqual([`forget ${ALICE} shop`, `grants of ${ALICE} for shop`, 'commit']);
    expect(rows.map(({ state }) => state)).toEqual(['revoked', 'revoked']);
  });

  it('are not revoked by another form, without a client, or without a session', async () => {
    const { deps, asked } = permissions([withChain()]);
    const submit = (change: object) =>
      submitEndPermission(deps, { clientId: 'shop', cookie: COOKIE, isOurForm, ...change });
    expect(await submit({ isOurForm: (purpose: string) => !isOurForm(purpose) })).toEqual({ kind: 'formRefused' });
    expect(await submit({ clientId: null })).toEqual({ kind: 'formRefused' });
    expect(await submit({ cookie: null })).toEqual({ kind: 'signInRequired' });
    expect(await submit({ cookie: OTHER_COOKIE })).toEqual({ kind: 'signInRequired' });
    expect(asked).toEqual([]);
  });
});
