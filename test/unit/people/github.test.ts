/** Sign-in with GitHub, which has no OpenID Connect: its answers, and the identity that they give. */
import { describe, expect, it } from 'vitest';
import { NO_PARAMETERS } from '../../../src/people/external/begin.ts';
import { githubProvider } from '../../../src/people/upstream/github.ts';
import { newSecrets, UpstreamFailure } from '../../../src/people/upstream/provider.ts';
import { OtherServerAway } from '../../../src/system/other-servers.ts';
import { upstreamOf } from '../../support/upstream.ts';

const CALLBACK = 'https://id.example/sign-in/upstream/github/callback';
const USER = { id: 583231, login: 'octocat', name: 'The Octocat', avatar_url: 'https://avatars.example/u/583231' };
const ADDRESSES = [
  { email: 'old@example.com', primary: false, verified: true },
  { email: 'octocat@example.com', primary: true, verified: true },
];

type Answers = Record<'token' | 'user' | 'emails', () => Response | Promise<Response>>;

function bed(change: Readonly<Record<string, unknown>> = {}, secret: string | null = 'a secret') {
  const answers: Answers = {
    token: () => Response.json({ access_token: 'gho_abc', token_type: 'bearer', scope: 'read:user,user:email' }),
    user: () => Response.json(USER),
    emails: () => Response.json(ADDRESSES),
  };
  const asked: { readonly url: string; readonly init: RequestInit }[] = [];
  const provider = githubProvider({
    upstreamFetch: async (url, init) => {
      asked.push({ url, init });
      const last = url.slice(url.lastIndexOf('/') + 1);
      return answers[last === 'access_token' ? 'token' : (last as 'user' | 'emails')]();
    },
    secretNamed: async () => secret ?? null,
    now: () => new Date(),
  });
  const upstream = upstreamOf({
    preset: 'github',
    name: 'github',
    client_id: 'Iv1.abc',
    ...change,
  });
  const redeem = async (sent: Readonly<Record<string, string>> = {}) => {
    const callback = new URL(CALLBACK);
    callback.search = String(new URLSearchParams({ code: 'a-code', state: 'a-state', ...sent }));
    return provider.redeem(upstream, { callback, state: 'a-state', secrets: await newSecrets(), maxAgeSeconds: null });
  };
  return { answers, asked, provider, upstream, redeem };
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: unknown) => (error instanceof UpstreamFailure ? [error.fault, error.code] : error));

it('the authorization request has PKCE and a state, asks to select the account, and names the user', async () => {
  const { provider, upstream } = bed();
  const url = await provider.authorizationUrl(upstream, {
    redirectUri: CALLBACK,
    state: 'a-state',
    secrets: await newSecrets(),
    requested: { ...NO_PARAMETERS, prompt: ['login'], loginHint: 'octocat', acrValues: ['mfa'] },
    maxAgeSeconds: 60,
  });
  expect(url.origin + url.pathname).toBe('https://github.com/login/oauth/authorize');
  const { code_challenge: challenge, ...others } = Object.fromEntries(url.searchParams);
  expect(challenge).toMatch(/^[\w-]{43}$/);
  expect(others).toEqual({
    client_id: 'Iv1.abc',
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'read:user user:email',
    state: 'a-state',
    code_challenge_method: 'S256',
    prompt: 'select_account',
    login: 'octocat',
  });
});

it('a redeemed code has the id of the account as its subject, and the verified primary address', async () => {
  const { redeem, asked } = bed();
  expect(await redeem()).toEqual({
    subject: '583231',
    claims: {
      sub: '583231',
      preferred_username: 'octocat',
      name: 'The Octocat',
      picture: USER.avatar_url,
      email: 'octocat@example.com',
      email_verified: true,
    },
    acr: null,
    amr: [],
    authTime: null,
  });
  expect(asked.map(({ url }) => url)).toEqual([
    'https://github.com/login/oauth/access_token',
    'https://api.github.com/user',
    'https://api.github.com/user/emails',
  ]);
  const [exchange, user] = asked;
  const sent = new URLSearchParams(String(exchange?.init.body));
  expect([sent.get('client_id'), sent.get('client_secret'), sent.get('code')]).toEqual([
    'Iv1.abc',
    'a secret',
    'a-code',
  ]);
  expect(sent.get('code_verifier')).toMatch(/^[\w-]{43}$/);
  expect(new Headers(user?.init.headers).get('authorization')).toBe('Bearer gho_abc');
});

it('an Enterprise Server has its own addresses', async () => {
  const { redeem, asked } = bed({ issuer: 'https://github.work.example' });
  await redeem();
  expect(asked.map(({ url }) => url)).toEqual([
    'https://github.work.example/login/oauth/access_token',
    'https://github.work.example/api/v3/user',
    'https://github.work.example/api/v3/user/emails',
  ]);
});

describe('the address', () => {
  it.each<[string, unknown]>([
    ['is not verified', [{ email: 'a@example.com', primary: true, verified: false }]],
    ['is not the primary one', [{ email: 'a@example.com', primary: false, verified: true }]],
    ['is absent', []],
  ])('does not count where it %s', async (_, addresses) => {
    const { redeem, answers } = bed();
    answers.emails = () => Response.json(addresses);
    const { claims } = await redeem();
    expect(claims).not.toHaveProperty('email');
    expect(claims).not.toHaveProperty('email_verified');
  });

  it('is not asked for without its scope', async () => {
    const { redeem, asked } = bed({ scope: 'read:user' });
    expect((await redeem()).claims).not.toHaveProperty('email');
    expect(asked).toHaveLength(2);
  });
});

describe('the issuer of a response', () => {
  it.each([
    [null, true],
    ['https://github.com', true],
    ['https://github.com/', false],
    ['https://github.com.evil.example', false],
    ['', false],
  ])('%j counts as GitHub: %s', async (iss, expected) => {
    const { provider, upstream } = bed();
    expect(await provider.isFrom(upstream, iss)).toBe(expected);
  });
});

describe('a failure', () => {
  const answering =
    (body: unknown, status = 200) =>
    () =>
      Response.json(body, { status });
  it.each<[string, Partial<Answers>, readonly [string, string]]>([
    [
      'of a spent code, which GitHub reports with status 200',
      { token: answering({ error: 'bad_verification_code' }) },
      ['upstream_answer_invalid', 'OAUTH_INVALID_RESPONSE'],
    ],
    [
      'of the secret',
      { token: answering({ error: 'incorrect_client_credentials' }, 400) },
      ['upstream_answer_invalid', 'incorrect_client_credentials'],
    ],
    [
      'of a user without an id',
      { user: answering({ ...USER, id: undefined }) },
      ['upstream_answer_invalid', 'PROFILE_UNUSABLE'],
    ],
    [
      'of an id that is text',
      { user: answering({ ...USER, id: '583231' }) },
      ['upstream_answer_invalid', 'PROFILE_UNUSABLE'],
    ],
    [
      'of an id that is no positive number',
      { user: answering({ ...USER, id: 0 }) },
      ['upstream_answer_invalid', 'PROFILE_UNUSABLE'],
    ],
    ['of an empty login', { user: answering({ ...USER, login: '' }) }, ['upstream_answer_invalid', 'PROFILE_UNUSABLE']],
    [
      'of a refused token',
      { user: answering({ message: 'Bad credentials' }, 403) },
      ['upstream_answer_invalid', 'PROFILE_UNUSABLE'],
    ],
    ['of a broken profile call', { user: answering({}, 502) }, ['upstream_unreachable', 'PROFILE_UNUSABLE']],
    [
      'of addresses that are no list',
      { emails: answering({ message: 'Not Found' }, 404) },
      ['upstream_answer_invalid', 'PROFILE_UNUSABLE'],
    ],
    [
      'of a server that is away',
      { token: () => Promise.reject(new OtherServerAway('NO_ANSWER')) },
      ['upstream_unreachable', 'ClientError'],
    ],
  ])('%s', async (_, change, expected) => {
    const { redeem, answers } = bed();
    Object.assign(answers, change);
    expect(await failureOf(redeem())).toEqual(expected);
  });

  it('of another state never reaches GitHub', async () => {
    const { redeem, asked } = bed();
    expect(await failureOf(redeem({ state: 'another' }))).toEqual([
      'upstream_answer_invalid',
      'OAUTH_INVALID_RESPONSE',
    ]);
    expect(asked).toEqual([]);
  });

  it('of a missing secret never reaches GitHub', async () => {
    const { redeem, asked } = bed({}, null);
    expect(await failureOf(redeem())).toEqual(['upstream_unreachable', 'SECRET_NOT_SET']);
    expect(asked).toEqual([]);
  });
});
