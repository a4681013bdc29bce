/** Federated and delegated sign-ins with stores in memory: each refusal, and the facts that its page and its log get. */
import { describe, expect, it } from 'vitest';
import type { Upstream } from '../../../policies/upstreams-schema.ts';
import { sha256 } from '../../../src/crypto/digest.ts';
import type { Commit } from '../../../src/engine/commit.ts';
import type { ExternalSignIn } from '../../../src/lifecycles/external-sign-in/entity.ts';
import type { NewExternalSignIn, SoughtUser } from '../../../src/lifecycles/external-sign-in/lifecycle.ts';
import type { RegisteredUser } from '../../../src/model/user.ts';
import {
  answerDelegatedSignIn,
  beginDelegatedSignIn,
  type DelegatedAnswer,
  findDelegatedSignIn,
  finishDelegatedSignIn,
  returnAddress,
} from '../../../src/people/delegated/delegated-sign-in.ts';
import { NO_PARAMETERS } from '../../../src/people/external/begin.ts';
import { finishUpstreamSignIn } from '../../../src/people/upstream/upstream-callback.ts';
import {
  beginUpstreamSignIn,
  type UpstreamDeps,
  upstreamNamed,
} from '../../../src/people/upstream/upstream-sign-in.ts';
import { OtherServerAway } from '../../../src/system/other-servers.ts';
import { testClock } from '../../support/clock.ts';
import { LIAR, lyingProvider } from '../../support/lying-provider.ts';
import { testKeys } from '../../support/macs.ts';
import { registeredUser } from '../../support/registered-user.ts';
import { knowing, upstreamOf } from '../../support/upstream.ts';
import { sessionsInMemory } from '../protocol/memory.ts';
import { configuration } from '../protocol/ports.ts';

const NOW = new Date('2030-01-01T00:00:00Z');
const SECONDS = NOW.getTime() / 1000;
const clock = testClock(NOW);
const BROWSER = Buffer.alloc(32, 1);
const OTHER_BROWSER = Buffer.alloc(32, 2);
const REFERENCE = Buffer.alloc(32, 7).toString('base64url');
const COOKIE = { old: null, new: Buffer.alloc(32, 3) };

const ADA = registeredUser({ id: '00000000-0000-4000-8000-00000000000a', username: 'ada' });
const LINKED = {
  ...{ id: 'an identity', userId: ADA.id, issuer: LIAR, subject: 'ada-there', provider: 'company' },
  ...{ linkedAt: NOW, state: 'active', removedAt: null, removedReason: null },
} as const;
const APP = {
  url: 'https://app.example/login?x=1',
  show: 'button',
  label: 'x',
  createUsers: false,
  lifetimeSeconds: 600,
};

type World = {
  readonly upstream?: Upstream | null;
  readonly delegated?: object | null;
  readonly counts?: readonly number[];
  readonly user?: RegisteredUser | null;
  readonly isLinked?: boolean;
  readonly freeUsernames?: readonly string[];
};

async function worldOf({
  upstream = upstreamOf({ issuer: LIAR, client_id: 'statehouse', claims: [], createUsers: false }),
  delegated = APP,
  counts = [1, 1],
  user = ADA,
  isLinked = true,
  freeUsernames = [],
}: World = {}) {
  const there = await lyingProvider(clock);
  const inserted: NewExternalSignIn[] = [];
  const commits: Commit[] = [];
  const sought: SoughtUser[] = [];
  const wantedNames: (readonly string[])[] = [];
  let row: ExternalSignIn | null = null;
  const shipped = configuration();
  const config = {
    ...shipped,
    upstreams: upstream === null ? [] : [upstream],
    delegatedSignIn: delegated,
    operators: { operators: ['olga'], auditors: [], clients: [] },
  } as unknown as typeof shipped;
  let drawn = 6;
  const deps = {
    issuer: 'https://as.test',
    keys: testKeys,
    random: { bytes: (size: number) => Buffer.alloc(size, ++drawn), uuid: () => `id ${drawn}` },
    configuration: () => config,
    sleep: async () => {},
    now: clock.now,
    upstreamFetch: (url: string, init: RequestInit) => there.fetch(url, init),
    secretNamed: knowing('a secret'),
    signInFailures: { count: async () => counts },
    sessions: sessionsInMemory([]).sessions,
    factorsOf: async () => ({ hasApp: false, hasPasskey: false, hasPassword: false }),
    signInLedger: { originOf: () => ({}), refused: async () => {} },
    acceptable: async () => ({
      acceptableClaims: (claims: object) => claims,
      acceptableUsername: (text: unknown) => (typeof text === 'string' ? text : null),
    }),
    externalSignIns: {
      insert: async ({ lifetimeSeconds, interactionEndsAt: _, ...one }: NewExternalSignIn) => {
        inserted.push({ ...one, lifetimeSeconds, interactionEndsAt: _ });
        const endsAt = new Date(NOW.getTime() + lifetimeSeconds * 1000);
        row = {
          ...one,
          state: 'awaiting',
          userEpoch: null,
          amr: null,
          authenticatedAt: null,
          refusal: null,
          beganAt: NOW,
          endsAt,
        };
      },
      find: async (hash: Uint8Array) =>
        row && Buffer.compare(row.referenceHash, hash) === 0 ? { now: NOW, signIn: row } : null,
      load: async (_: Uint8Array, by: SoughtUser, usernames: readonly string[]) => {
        sought.push(by);
        wantedNames.push(usernames);
        const knows = by.by === 'identity' ? isLinked : by.by !== 'signIn' || row?.userId != null;
        return {
          ...{ now: NOW, signIn: row, lastUsedBeganAt: null, serverEpoch: 1n, freeUsernames },
          user: knows ? user : null,
          identity: by.by === 'identity' && isLinked ? LINKED : null,
        };
      },
      commit: async (commit: Commit) => {
        commits.push(commit);
        const [write] = commit.writes;
        if (write.kind === 'update' && row) row = { ...row, ...write.set };
        return true;
      },
    },
  } as unknown as UpstreamDeps;
  return {
    deps,
    there,
    inserted,
    commits,
    sought,
    wantedNames,
    stored: () => row,
    change: (change: Partial<ExternalSignIn>) => {
      if (row) row = { ...row, ...change };
    },
  };
}

const ASKING = {
  id: 'an interaction',
  sealed: 'sealed',
  endsAt: NOW,
  requested: { ...NO_PARAMETERS, clientId: 'shop' },
} as const;
const BEGINNING = {
  browser: BROWSER,
  address: '192.0.2.1',
  interaction: ASKING,
  linkTo: null,
  requested: null,
} as const;
const ALONE = { ...BEGINNING, interaction: null } as const;
const RETURNING = { browser: BROWSER, cookie: COOKIE, userAgent: null } as const;
const refusal = (change: object) => ({
  ...{ kind: 'refused', code: null, provider: 'company', askedBy: ASKING, purpose: 'signIn', retryAfterSeconds: null },
  ...change,
});

describe('the beginning at an identity provider', () => {
  it('stores the sign-in, and leads there', async () => {
    const { deps, inserted, there } = await worldOf();
    const begun = await beginUpstreamSignIn(deps, 'company', BEGINNING);
    if (begun.kind !== 'leaves') throw new Error('it was refused');
    const { searchParams, origin } = begun.url;
    expect([origin, searchParams.get('redirect_uri')]).toEqual([
      LIAR,
      'https://as.test/sign-in/upstream/company/callback',
    ]);
    expect(inserted).toMatchObject([{ kind: 'upstream', provider: 'company', purpose: 'signIn' }]);
    expect(inserted[0]?.referenceHash).toEqual(sha256(searchParams.get('state') ?? ''));
    expect(there.asked).toEqual(['openid-configuration']);
  });

  it.each<[string, World, string | null, object]>([
    ['unknown', { upstream: null }, 'company', { reason: 'upstream_unknown' }],
    ['nearly named', {}, 'Company', { reason: 'upstream_unknown', provider: 'Company' }],
    ['not named', {}, null, { reason: 'upstream_unknown', provider: null }],
    ['begun too often', { counts: [2001, 1] }, 'company', { reason: 'throttled', retryAfterSeconds: 900 }],
  ])('is refused where it is %s', async (_, world, name, expected) => {
    const { deps, inserted } = await worldOf(world);
    expect(await beginUpstreamSignIn(deps, name, BEGINNING)).toEqual(refusal(expected));
    const link = { ...ALONE, linkTo: ADA.id };
    const linking = refusal({ ...expected, askedBy: null, purpose: 'link' });
    expect(await beginUpstreamSignIn(deps, name, link)).toEqual(linking);
    expect(inserted).toEqual([]);
  });

  it.each<[string, () => Response | Promise<Response>, object]>([
    ['away', () => Promise.reject(new OtherServerAway('NO_ANSWER')), { reason: 'upstream_unreachable' }],
    ['broken', () => new Response('', { status: 500 }), { reason: 'upstream_unreachable' }],
    ['another', () => Response.json({ issuer: 'https://evil.example' }), { reason: 'upstream_answer_invalid' }],
  ])('is refused where the provider is %s, and stores nothing', async (_, metadata, expected) => {
    const { deps, inserted, there } = await worldOf();
    there.answers.metadata = metadata;
    const code = expect.any(String);
    expect(await beginUpstreamSignIn(deps, 'company', BEGINNING)).toEqual(refusal({ ...expected, code }));
    expect(inserted).toEqual([]);
  });

  it('asks for a sign-in as recent as the client and the session need it', async () => {
    const { sessionLifetimeSeconds } = configuration().signIn;
    const maxAge = async (authTime: string, maxAgeSeconds: number | null) => {
      const { deps } = await worldOf({ upstream: upstreamOf({ issuer: LIAR, client_id: 'statehouse', authTime }) });
      const interaction = { ...ASKING, requested: { ...ASKING.requested, maxAgeSeconds } };
      const begun = await beginUpstreamSignIn(deps, 'company', { ...BEGINNING, interaction });
      return begun.kind === 'leaves' && begun.url.searchParams.get('max_age');
    };
    expect(await maxAge('optional', null)).toBeNull();
    expect(await maxAge('optional', 5)).toBe('5');
    expect(await maxAge('required', null)).toBe(String(sessionLifetimeSeconds));
    expect(await maxAge('required', 5)).toBe('5');
    expect(await maxAge('required', sessionLifetimeSeconds + 1)).toBe(String(sessionLifetimeSeconds));
  });

  it('finds a provider by its exact name', async () => {
    const { deps } = await worldOf();
    expect(upstreamNamed(deps, 'company')?.issuer).toBe(LIAR);
    expect([upstreamNamed(deps, 'compan'), upstreamNamed(deps, ''), upstreamNamed(deps, null)]).toEqual([
      null,
      null,
      null,
    ]);
  });
});

describe('the callback of an identity provider', () => {
  type Given = {
    readonly query?: Readonly<Record<string, string | null>>;
    readonly more?: string;
    readonly name?: string;
    readonly returning?: object;
    readonly beginning?: Parameters<typeof beginUpstreamSignIn>[2];
    readonly before?: (world: Awaited<ReturnType<typeof worldOf>>) => void;
  };
  const returned = async (world: World, { query = {}, more = '', name = 'company', ...given }: Given = {}) => {
    const made = await worldOf(world);
    const begun = await beginUpstreamSignIn(made.deps, 'company', given.beginning ?? BEGINNING);
    if (begun.kind !== 'leaves') throw new Error('it was refused');
    const callback = new URL(made.there.callback(String(begun.url), query), 'https://as.test');
    given.before?.(made);
    const sent = new URLSearchParams(`${callback.searchParams}${more}`);
    const outcome = await finishUpstreamSignIn(made.deps, name, sent, { ...RETURNING, ...given.returning });
    return { ...made, outcome, sent };
  };
  const BY = { id: ASKING.id, sealed: ASKING.sealed };
  const UNKNOWN = refusal({ reason: 'external_sign_in_unknown', provider: null, askedBy: null });
  const MALFORMED = refusal({ reason: 'upstream_answer_invalid', code: 'RESPONSE_MALFORMED', askedBy: BY });

  it('signs the linked end-user in', async () => {
    const { outcome, sought, there, stored } = await returned({});
    expect(outcome).toMatchObject({ kind: 'signedIn', askedBy: BY, provider: 'company', session: { userId: ADA.id } });
    const identity = { issuer: LIAR, subject: 'ada-there' };
    expect(sought).toEqual([
      { by: 'signIn', identity: null },
      { by: 'identity', identity },
    ]);
    expect(stored()).toMatchObject({ state: 'used', amr: ['pwd'], authenticatedAt: NOW });
    expect(there.asked).toContain('token');
  });

  it.each<[string, World, Given, object]>([
    ['no state', {}, { query: { state: null } }, UNKNOWN],
    ['another state', {}, { query: { state: 'x'.repeat(43) } }, UNKNOWN],
    ['a state that is none', {}, { query: { state: 'x' } }, UNKNOWN],
    ['the state twice', {}, { more: '&state=x' }, UNKNOWN],
    ['another provider', {}, { name: 'other' }, UNKNOWN],
    ['a delegated sign-in', {}, { before: ({ change }) => change({ kind: 'delegated' }) }, UNKNOWN],
    ['the code twice', {}, { more: '&code=a' }, MALFORMED],
    ['another parameter twice', {}, { more: '&x=a&x=b' }, MALFORMED],
    ['neither code nor error', {}, { query: { code: null } }, MALFORMED],
    [
      'another issuer',
      {},
      { query: { iss: `${LIAR}/` } },
      refusal({ reason: 'upstream_answer_invalid', code: 'ISSUER_MISMATCH', askedBy: BY }),
    ],
    [
      'no secrets that a listed root secret opens',
      {},
      { before: ({ change }) => change({ sealedSecrets: 'x' }) },
      refusal({ reason: 'external_sign_in_unknown', askedBy: BY }),
    ],
    [
      'a refusal of the end-user',
      {},
      { query: { code: null, error: 'access_denied' } },
      refusal({ reason: 'external_sign_in_denied', code: 'access_denied', askedBy: BY }),
    ],
    [
      'another error',
      {},
      { query: { code: null, error: 'server_error' } },
      refusal({ reason: 'upstream_refused', code: 'server_error', askedBy: BY }),
    ],
    [
      'an error that is no word',
      {},
      { query: { code: null, error: 'Server error' } },
      refusal({ reason: 'upstream_refused', code: 'unreadable', askedBy: BY }),
    ],
    [
      'an error of 61 letters',
      {},
      { query: { code: null, error: 'x'.repeat(61) } },
      refusal({ reason: 'upstream_refused', code: 'unreadable', askedBy: BY }),
    ],
    [
      'another browser',
      {},
      { returning: { browser: OTHER_BROWSER } },
      refusal({ reason: 'another_browser', askedBy: null }),
    ],
    ['no cookie', {}, { returning: { browser: null } }, refusal({ reason: 'another_browser', askedBy: null })],
    [
      'another browser with an error',
      {},
      { returning: { browser: OTHER_BROWSER }, query: { code: null, error: 'access_denied' } },
      refusal({ reason: 'another_browser', askedBy: null }),
    ],
    [
      'an answer to an answered sign-in',
      {},
      { before: ({ change }) => change({ state: 'used' }) },
      refusal({ reason: 'external_sign_in_used', askedBy: BY }),
    ],
    ['no linked end-user', { isLinked: false }, {}, refusal({ reason: 'nobody_linked', askedBy: BY })],
    ['a disabled end-user', { user: { ...ADA, disabledAt: NOW } }, {}, refusal({ reason: 'user_ended', askedBy: BY })],
    [
      'an end-user whom the policy does not admit',
      { upstream: upstreamOf({ issuer: LIAR, client_id: 'x', admit: { emailDomains: ['a.example'] } }) },
      {},
      refusal({ reason: 'not_admitted', askedBy: BY }),
    ],
    [
      'a sign-in of before',
      {},
      {
        beginning: { ...BEGINNING, interaction: { ...ASKING, requested: { ...ASKING.requested, prompt: ['login'] } } },
        before: ({ there }) => {
          there.lie = { claims: { auth_time: SECONDS - 61 } };
        },
      },
      refusal({ reason: 'sign_in_too_old', askedBy: BY }),
    ],
    [
      'a code that the provider does not take',
      {},
      {
        before: ({ there }) => {
          there.answers.token = () => Response.json({ error: 'invalid_grant' }, { status: 400 });
        },
      },
      refusal({ reason: 'upstream_answer_invalid', code: 'invalid_grant', askedBy: BY }),
    ],
  ])('with %s is refused', async (_, world, given, expected) => {
    const { outcome } = await returned(world, given);
    expect(outcome).toEqual(expected);
  });

  it('is spent with its first response, also one that the provider does not take', async () => {
    const { outcome, deps, sent, there } = await returned(
      {},
      {
        before: (world) => {
          world.there.answers.token = () => Response.json({ error: 'invalid_grant' }, { status: 400 });
        },
      },
    );
    expect(outcome.kind).toBe('refused');
    const asked = there.asked.length;
    const again = await finishUpstreamSignIn(deps, 'company', sent, RETURNING);
    expect(again).toMatchObject({ kind: 'refused', reason: 'external_sign_in_answered' });
    expect(there.asked).toHaveLength(asked);
  });

  it.each([
    [undefined, NOW],
    [SECONDS - 5, new Date((SECONDS - 5) * 1000)],
  ])('with the auth_time %s is a sign-in of %s', async (authTime, expected) => {
    const upstream = upstreamOf({ issuer: LIAR, client_id: 'statehouse', claims: [], authTime: 'optional' });
    const { stored } = await returned(
      { upstream },
      {
        before: ({ there }) => {
          there.lie = { claims: { auth_time: authTime } };
        },
      },
    );
    expect(stored()?.authenticatedAt).toEqual(expected);
  });

  it('looks for a username where the policy registers just-in-time users, and only there', async () => {
    const claims = { preferred_username: 'ada2', email: 'ada@example.com', name: 'Ada' };
    const before: Given['before'] = ({ there }) => {
      there.lie = { claims };
    };
    const creating = { issuer: LIAR, client_id: 'statehouse', createUsers: true };
    const made = await returned(
      { isLinked: false, freeUsernames: ['ada2'], upstream: upstreamOf(creating) },
      { before },
    );
    expect(made.outcome.kind).toBe('signedIn');
    expect(made.wantedNames.at(-1)?.[0]).toBe('ada2');
    expect((await returned({}, { before })).wantedNames).toEqual([[], []]);
  });
});

describe('a delegated sign-in', () => {
  const actor = { kind: 'client', id: 'the app', addressHash: null } as const;
  const SIGNED_IN: DelegatedAnswer = { kind: 'signedIn', who: { sub: ADA.id }, amr: ['pwd'], authTime: SECONDS };
  const begun = async (world: World = {}, beginning: Parameters<typeof beginDelegatedSignIn>[1] = BEGINNING) => {
    const made = await worldOf(world);
    const away = await beginDelegatedSignIn(made.deps, beginning);
    const reference = away.kind === 'leaves' ? (away.url.searchParams.get('reference') ?? '') : '';
    return { ...made, away, reference };
  };
  const answeredWith = async (answer: DelegatedAnswer, world: World = {}, beginning: typeof BEGINNING = BEGINNING) => {
    const made = await begun(world, beginning);
    const outcome = await answerDelegatedSignIn(made.deps, {
      reference: made.reference,
      actor,
      newUserId: 'a new user',
      answer,
    });
    return { ...made, outcome };
  };
  const refused = (reason: string, askedBy: object | null, retryAfterSeconds: number | null = null) => ({
    ...{ kind: 'refused', reason, askedBy, retryAfterSeconds },
  });
  const BY = { id: ASKING.id, sealed: ASKING.sealed };

  it('leads to the application with its reference', async () => {
    const { away, reference, inserted } = await begun();
    expect(away.kind === 'leaves' && away.url.href).toBe(`https://app.example/login?x=1&reference=${reference}`);
    expect(reference).toBe(REFERENCE);
    expect(inserted).toMatchObject([
      { kind: 'delegated', provider: 'delegated', lifetimeSeconds: 600, sealedSecrets: null },
    ]);
    expect(returnAddress('https://as.test', 'r')).toBe('https://as.test/sign-in/delegated/r');
  });

  it('does not begin while it is off, or too often', async () => {
    expect((await begun({ delegated: null })).away).toEqual(refused('delegated_sign_in_off', ASKING));
    expect((await begun({ counts: [2001, 1] })).away).toEqual(refused('throttled', ASKING, 900));
  });

  it('is found by its reference, and by no other name', async () => {
    const { deps, reference, change } = await begun();
    expect((await findDelegatedSignIn(deps, reference))?.signIn.kind).toBe('delegated');
    expect(await findDelegatedSignIn(deps, 'x'.repeat(43))).toBeNull();
    expect(await findDelegatedSignIn(deps, 'x')).toBeNull();
    change({ kind: 'upstream' });
    expect(await findDelegatedSignIn(deps, reference)).toBeNull();
    expect(await finishDelegatedSignIn(deps, reference, RETURNING)).toEqual(refused('external_sign_in_unknown', null));
  });

  it('signs the end-user in whom the application names', async () => {
    const { outcome, deps, reference, sought } = await answeredWith(SIGNED_IN);
    expect(outcome).toMatchObject({ kind: 'done', row: { signIn: { state: 'answered', userId: ADA.id } } });
    expect(sought).toEqual([{ by: 'sub', sub: ADA.id }]);
    expect(await finishDelegatedSignIn(deps, reference, { ...RETURNING, browser: OTHER_BROWSER })).toEqual(
      refused('another_browser', null),
    );
    expect(await finishDelegatedSignIn(deps, reference, RETURNING)).toMatchObject({ kind: 'signedIn', askedBy: BY });
    expect(await finishDelegatedSignIn(deps, reference, RETURNING)).toEqual(refused('external_sign_in_used', BY));
  });

  it('is not finished without an answer, without its reference, or while it is off', async () => {
    const { deps, reference } = await begun();
    expect(await finishDelegatedSignIn(deps, reference, RETURNING)).toEqual(refused('external_sign_in_unanswered', BY));
    expect(await finishDelegatedSignIn(deps, 'x', RETURNING)).toEqual(refused('external_sign_in_unknown', null));
    const { deps: off, reference: known } = await answeredWith(SIGNED_IN);
    const without = { ...off, configuration: () => ({ ...off.configuration(), delegatedSignIn: null }) };
    expect(await finishDelegatedSignIn(without, known, RETURNING)).toEqual(refused('not_admitted', BY));
    expect(
      await answerDelegatedSignIn(without, { reference: known, actor, newUserId: 'x', answer: SIGNED_IN }),
    ).toEqual({ kind: 'unknown' });
  });

  it.each([
    [60, 'done'],
    [61, 'inFuture'],
  ])('may be of %d seconds from now: %s', async (ahead, kind) => {
    expect((await answeredWith({ ...SIGNED_IN, authTime: SECONDS + ahead })).outcome.kind).toBe(kind);
  });

  it.each([
    [60, 'done'],
    [61, 'tooOld'],
  ])('that has to be repeated may be of %d seconds before: %s', async (before, kind) => {
    const requested = { ...ASKING.requested, prompt: ['login'] as const };
    const beginning = { ...BEGINNING, interaction: { ...ASKING, requested } } as unknown as typeof BEGINNING;
    const { outcome } = await answeredWith({ ...SIGNED_IN, authTime: SECONDS - before }, {}, beginning);
    expect(outcome.kind).toBe(kind);
  });

  it('is denied once, and stays so', async () => {
    const { outcome, deps, reference } = await answeredWith({ kind: 'denied', reason: 'login_failed' });
    expect(outcome).toMatchObject({ kind: 'done', row: { signIn: { state: 'denied', refusal: 'login_failed' } } });
    const again = await answerDelegatedSignIn(deps, { reference, actor, newUserId: 'x', answer: SIGNED_IN });
    expect(again).toMatchObject({ kind: 'rejected', reason: 'external_sign_in_denied' });
    const unknown = { reference: 'x'.repeat(43), actor, newUserId: 'x', answer: SIGNED_IN };
    expect(await answerDelegatedSignIn(deps, unknown)).toEqual({ kind: 'unknown' });
  });

  const named = (username: string): DelegatedAnswer => ({ ...SIGNED_IN, who: { username, claims: { name: 'G' } } });
  it.each<[string, string, World, object, readonly string[]]>([
    ['an existing end-user', 'ada', {}, { kind: 'done' }, []],
    ['no end-user', 'grace', { user: null }, { kind: 'rejected', reason: 'nobody_linked' }, []],
    [
      'a just-in-time user',
      'grace',
      { user: null, delegated: { ...APP, createUsers: true }, freeUsernames: ['grace'] },
      { kind: 'done', row: { user: { id: 'a new user', username: 'grace', claims: { name: 'G' } } } },
      ['grace'],
    ],
    [
      'a name that is not visible',
      'a\u200bb',
      { user: null, delegated: { ...APP, createUsers: true }, freeUsernames: ['x'] },
      { kind: 'rejected', reason: 'nobody_linked' },
      [],
    ],
    [
      'a new end-user with the name of an operator',
      'olga',
      { user: null, delegated: { ...APP, createUsers: true }, freeUsernames: ['olga'] },
      { kind: 'usernameIsReserved' },
      [],
    ],
    [
      'an existing end-user with the name of an operator',
      'olga',
      { user: { ...ADA, username: 'olga' }, delegated: { ...APP, createUsers: true } },
      { kind: 'done' },
      [],
    ],
  ])('names %s', async (_, username, world, expected, names) => {
    const { outcome, sought, wantedNames } = await answeredWith(named(username), world);
    expect(outcome).toMatchObject(expected);
    expect(sought).toEqual([{ by: 'username', username }]);
    expect(wantedNames).toEqual([names]);
  });

  it('that names a `sub` registers no end-user', async () => {
    const world = { user: null, delegated: { ...APP, createUsers: true }, freeUsernames: ['x'] };
    const { outcome, wantedNames } = await answeredWith(SIGNED_IN, world);
    expect([outcome.kind, wantedNames]).toEqual(['rejected', [[]]]);
  });
});
