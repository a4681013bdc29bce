/** An OpenID Provider without a network, which lies as a test says: the `fetch` of a server that sends people there. */
import { createHash } from 'node:crypto';
import type { TestClock } from './clock.ts';
import { type FakeKey, sharedKey, signedBy } from './fake-issuer.ts';

export const LIAR = 'https://login.liar.example';

type Answer = (init: RequestInit) => Response | Promise<Response>;

export type LyingProvider = {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** The answer of each address; a test replaces them. */
  readonly answers: { metadata: Answer; keys: Answer; token: Answer; userinfo: Answer };
  /** Changes of the next ID Token. Undefined takes a claim away. */
  lie: { claims?: Readonly<Record<string, unknown>>; header?: Readonly<Record<string, unknown>>; signer?: FakeKey };
  published: unknown[];
  /** The last part of each URL that was asked, in order. */
  readonly asked: string[];
  /** The callback that the browser would be sent to. @param url of the authorization request. */
  readonly callback: (url: string, change?: Readonly<Record<string, string | null>>) => string;
};

export async function lyingProvider(clock: TestClock): Promise<LyingProvider> {
  const key = await sharedKey('first', 'RS256');
  const asked: string[] = [];
  const json = (value: unknown, status = 200) =>
    new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } });
  let request = new URLSearchParams();

  const provider: LyingProvider = {
    lie: {},
    published: [key.jwk],
    asked,
    answers: {
      metadata: () =>
        json({
          issuer: LIAR,
          authorization_endpoint: `${LIAR}/authorize`,
          token_endpoint: `${LIAR}/token`,
          userinfo_endpoint: `${LIAR}/userinfo`,
          jwks_uri: `${LIAR}/keys`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          authorization_response_iss_parameter_supported: true,
        }),
      keys: () => json({ keys: provider.published }),
      token: (init) => {
        const sent = new URLSearchParams(String(init.body));
        const challenge = createHash('sha256')
          .update(sent.get('code_verifier') ?? '')
          .digest('base64url');
        if (challenge !== request.get('code_challenge')) return json({ error: 'invalid_grant' }, 400);
        const { claims = {}, header = {}, signer = key } = provider.lie;
        const seconds = Math.floor(clock.now().getTime() / 1000);
        const all = {
          ...{ iss: LIAR, aud: request.get('client_id'), sub: 'ada-there', nonce: request.get('nonce') },
          ...{ iat: seconds, exp: seconds + 300, auth_time: seconds, amr: ['pwd'], preferred_username: 'ada' },
          ...claims,
        };
        const token = signedBy(signer, { alg: 'RS256', kid: signer.jwk.kid, ...header }, all);
        return json({ access_token: 'an-access-token', token_type: 'Bearer', id_token: token });
      },
      userinfo: () => json({ sub: 'ada-there', name: 'Ada' }),
    },
    fetch: async (url, init) => {
      const name = url.slice(url.lastIndexOf('/') + 1);
      asked.push(name);
      const answer = new Map([
        ['openid-configuration', provider.answers.metadata],
        ['keys', provider.answers.keys],
        ['token', provider.answers.token],
        ['userinfo', provider.answers.userinfo],
      ]).get(name);
      return answer ? answer(init) : json({}, 404);
    },
    callback: (url, change = {}) => {
      request = new URL(url).searchParams;
      const to = new URL(request.get('redirect_uri') ?? '');
      const parameters = { code: 'a-code', state: request.get('state'), iss: LIAR, ...change };
      for (const [name, value] of Object.entries(parameters)) if (value !== null) to.searchParams.set(name, value);
      return `${to.pathname}${to.search}`;
    },
  };
  return provider;
}
