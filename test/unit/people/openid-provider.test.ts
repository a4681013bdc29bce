/** The answers of another OpenID Provider, and the identity that they give: without pages and without a database. */
import { describe, expect, it } from 'vitest';
import { openIdProvider } from '../../../src/people/upstream/openid-provider.ts';
import { newSecrets, UpstreamFailure } from '../../../src/people/upstream/provider.ts';
import { OtherServerAway } from '../../../src/system/other-servers.ts';
import { testClock } from '../../support/clock.ts';
import { LIAR, lyingProvider } from '../../support/lying-provider.ts';
import { CALLBACK, knowing, upstreamOf } from '../../support/upstream.ts';

const clock = testClock(new Date());
const DEFAULTS = { issuer: LIAR, client_id: 'statehouse', claims: ['name'] };
const NOTHING = { prompt: [], acrValues: [], loginHint: null, uiLocales: [] };

async function bed(change: Readonly<Record<string, unknown>> = {}, secret: string | null = 'a secret') {
  const there = await lyingProvider(clock);
  const upstream = upstreamOf({ ...DEFAULTS, ...change });
  const provider = openIdProvider({
    upstreamFetch: (url, init) => there.fetch(url, init),
    secretNamed: secret === null ? async () => null : knowing(secret),
    now: clock.now,
  });
  const begin = async (requested: Readonly<Record<string, unknown>> = {}, maxAgeSeconds: number | null = null) => {
    const secrets = await newSecrets();
    const request = { ...NOTHING, ...requested } as unknown as Parameters<
      typeof provider.authorizationUrl
    >[1]['requested'];
    const url = await provider.authorizationUrl(upstream, {
      redirectUri: CALLBACK,
      state: 'a-state',
      secrets,
      requested: request,
      maxAgeSeconds,
    });
    return { secrets, url };
  };
  const redeem = async () => {
    const { secrets, url } = await begin();
    const callback = new URL(there.callback(String(url)), CALLBACK);
    return provider.redeem(upstream, { callback, state: 'a-state', secrets, maxAgeSeconds: null });
  };
  return { there, upstream, provider, begin, redeem };
}

/** @returns the fault and its code, or what came. */
const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: unknown) => (error instanceof UpstreamFailure ? [error.fault, error.code] : error));

describe('the authorization URL', () => {
  it('has the parameters that were asked for, and no others', async () => {
    const { begin } = await bed();
    const bare = [...(await begin()).url.searchParams.keys()].toSorted();
    const asked = { prompt: ['login', 'consent'], acrValues: ['a', 'b'], loginHint: 'ada', uiLocales: ['de', 'en'] };
    const { searchParams } = (await begin(asked, 60)).url;
    expect(bare).toEqual(
      [
        ...['client_id', 'code_challenge', 'code_challenge_method', 'nonce', 'redirect_uri', 'response_type'],
        ...['scope', 'state'],
      ].toSorted(),
    );
    expect(Object.fromEntries(searchParams)).toMatchObject({
      prompt: 'login',
      max_age: '60',
      acr_values: 'a b',
      login_hint: 'ada',
      ui_locales: 'de en',
    });
  });

  it('is not made without the client secret of the policy', async () => {
    const { begin } = await bed({}, null);
    expect(await failureOf(begin())).toEqual(['upstream_unreachable', 'SECRET_NOT_SET']);
  });

  it('needs no secret for a client without authentication', async () => {
    const { begin } = await bed({ token_endpoint_auth_method: 'none', client_secret_environment: undefined }, null);
    expect((await begin()).url.href).toContain(`${LIAR}/authorize?`);
  });
});

describe('the issuer of a response', () => {
  it.each([
    [LIAR, true],
    [`${LIAR}/`, false],
    [LIAR.toUpperCase(), false],
    ['', false],
  ])('%s counts as the provider: %s', async (iss, expected) => {
    const { provider, upstream, there } = await bed();
    expect(await provider.isFrom(upstream, iss)).toBe(expected);
    expect(there.asked).toEqual([]);
  });

  it.each([
    [true, false],
    [false, true],
    ['true', true],
    [undefined, true],
  ])('may be absent where the metadata promise it with %s: %s', async (promised, expected) => {
    const { provider, upstream, there } = await bed();
    const metadata = (await (await lyingProvider(clock)).answers.metadata({})).json();
    there.answers.metadata = async () =>
      Response.json({ ...((await metadata) as object), authorization_response_iss_parameter_supported: promised });
    expect(await provider.isFrom(upstream, null)).toBe(expected);
  });
});

describe('a redeemed code', () => {
  it.each([
    ['x'.repeat(255), 'x'.repeat(255)],
    ['x'.repeat(256), ['upstream_answer_invalid', 'SUBJECT_UNUSABLE']],
    ['', ['upstream_answer_invalid', 'SUBJECT_UNUSABLE']],
  ])('has the subject %s', async (sub, expected) => {
    const { there, redeem } = await bed({ claims: [], usernameClaim: 'preferred_username' });
    there.lie = { claims: { sub } };
    expect(await failureOf(redeem().then(({ subject }) => subject))).toEqual(expected);
  });

  it.each([
    [60, 'ada-there'],
    [61, ['upstream_answer_invalid', 'ISSUED_IN_THE_FUTURE']],
  ])('may be issued %i seconds from now', async (ahead, expected) => {
    const { there, redeem } = await bed();
    const seconds = Math.floor(clock.now().getTime() / 1000);
    there.lie = { claims: { iat: seconds + ahead, exp: seconds + 300 } };
    expect(await failureOf(redeem().then(({ subject }) => subject))).toEqual(expected);
  });

  it.each<[string, unknown, readonly string[]]>([
    ['texts', ['pwd', 'otp'], ['pwd', 'otp']],
    ['one text', 'pwd', []],
    ['other values', ['pwd', 7, null, {}, ['otp']], ['pwd']],
    ['long texts', ['a'.repeat(64), 'a'.repeat(65)], ['a'.repeat(64)]],
    ['texts with other characters', ['pwd otp', 'é', '', 'pwd\n', '~!'], ['~!']],
    ['twenty-one texts', Array.from({ length: 21 }, (_, n) => `m${n}`), Array.from({ length: 20 }, (_, n) => `m${n}`)],
  ])('has its methods: %s', async (_name, amr, expected) => {
    const { there, redeem } = await bed();
    there.lie = { claims: { amr } };
    expect((await redeem()).amr).toEqual(expected);
  });

  it.each([
    ['acr', 'silver', 'silver'],
    ['acr', 7, null],
    ['auth_time', 1_700_000_000, 1_700_000_000],
  ])('has its %s %s as %s', async (name, value, expected) => {
    const { there, redeem } = await bed();
    there.lie = { claims: { [name]: value } };
    const { acr, authTime } = await redeem();
    expect(name === 'acr' ? acr : authTime).toBe(expected);
  });

  it.each<[string, Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>, boolean]>([
    ['asks nothing more where the ID Token has each claim', {}, { name: 'Ada' }, false],
    ['asks UserInfo for a missing claim', {}, {}, true],
    ['asks UserInfo for a missing address', { admit: { emailDomains: ['a.example'] } }, { name: 'Ada' }, true],
    [
      'asks UserInfo whether the address is verified',
      { admit: { emailDomains: ['a.example'] } },
      { name: 'Ada', email: 'ada@a.example' },
      true,
    ],
    [
      'asks UserInfo for the claim of the admission',
      { admit: { claim: { name: 'hd', values: ['a'] } } },
      { name: 'Ada' },
      true,
    ],
  ])('%s', async (_name, change, claims, isAsked) => {
    const { there, redeem } = await bed(change);
    there.lie = { claims };
    expect((await redeem()).claims).toMatchObject({ name: 'Ada', sub: 'ada-there' });
    expect(there.asked.includes('userinfo')).toBe(isAsked);
  });

  it('has the claims of the ID Token alone where the provider has no UserInfo Endpoint', async () => {
    const { there, redeem } = await bed();
    const metadata = (await (await lyingProvider(clock)).answers.metadata({})).json();
    there.answers.metadata = async () =>
      Response.json({ ...((await metadata) as object), userinfo_endpoint: undefined });
    expect((await redeem()).claims).not.toHaveProperty('name');
    expect(there.asked).not.toContain('userinfo');
  });

  it('keeps a claim of the ID Token that UserInfo contradicts', async () => {
    const { there, redeem } = await bed({ claims: ['name', 'nickname'] });
    there.lie = { claims: { name: 'Ada of the ID Token' } };
    expect((await redeem()).claims).toMatchObject({ name: 'Ada of the ID Token' });
  });
});

describe('a failure', () => {
  const answering = (status: number, body: unknown) => () => Response.json(body, { status });
  it.each<[string, () => Response | Promise<Response>, readonly [string, string]]>([
    ['an OAuth error', answering(400, { error: 'invalid_grant' }), ['upstream_answer_invalid', 'invalid_grant']],
    [
      'an error that is no word of OAuth',
      answering(400, { error: 'Secret: abc' }),
      ['upstream_answer_invalid', 'OAUTH_RESPONSE_BODY_ERROR'],
    ],
    [
      'an error that ends like a word of OAuth',
      answering(400, { error: '7invalid_grant' }),
      ['upstream_answer_invalid', 'OAUTH_RESPONSE_BODY_ERROR'],
    ],
    [
      'an error of 41 characters',
      answering(400, { error: 'x'.repeat(41) }),
      ['upstream_answer_invalid', 'OAUTH_RESPONSE_BODY_ERROR'],
    ],
    ['a broken server', answering(500, {}), ['upstream_unreachable', 'OAUTH_RESPONSE_IS_NOT_CONFORM']],
    ['no answer', () => Promise.reject(new OtherServerAway('NO_ANSWER')), ['upstream_unreachable', 'ClientError']],
    ['a broken connection', () => Promise.reject(new TypeError('fetch failed')), ['upstream_unreachable', 'TypeError']],
  ])('of the token endpoint: %s', async (_name, token, expected) => {
    const { there, redeem } = await bed();
    there.answers.token = token;
    expect(await failureOf(redeem())).toEqual(expected);
  });

  it('never contains a value of the answer', async () => {
    const { there, redeem } = await bed();
    there.answers.token = answering(400, { error: 'invalid_grant', error_description: 'the code abc' });
    const { message } = await redeem().then(
      () => new Error('no failure'),
      (error: Error) => error,
    );
    expect(message).toBe('The upstream failed: invalid_grant');
  });
});
