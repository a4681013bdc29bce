/**
 * GitHub, and GitHub Enterprise Server: OAuth without OpenID Connect. The code gives an access token, and two calls with
 * it say who signed in. There is no ID Token, so no `auth_time` and no `acr`.
 */
import type { Configuration as Client } from 'openid-client';
import { z } from 'zod';
import type { Upstream } from '../../../policies/upstreams-schema.ts';
import type { Claims } from '../../model/user.ts';
import {
  authorizationUrlAt,
  clientAt,
  failing,
  type IdentityProvider,
  loadClient,
  type ProviderDeps,
  UpstreamFailure,
} from './provider.ts';

const USER = z.object({
  id: z.int().positive(),
  login: z.string().min(1).max(255),
  name: z.string().max(255).nullish(),
  avatar_url: z.string().max(2048).nullish(),
  html_url: z.string().max(2048).nullish(),
});

const ADDRESSES = z.array(z.object({ email: z.string().max(320), primary: z.boolean(), verified: z.boolean() }));

export function githubProvider(deps: ProviderDeps): IdentityProvider {
  const clientOf = (upstream: Upstream): Promise<Client> =>
    clientAt(deps, upstream, {
      issuer: upstream.issuer,
      authorization_endpoint: `${upstream.issuer}/login/oauth/authorize`,
      token_endpoint: `${upstream.issuer}/login/oauth/access_token`,
    });

  /** @throws UpstreamFailure */
  async function ask<Schema extends z.ZodType>(
    client: Client,
    { issuer }: Upstream,
    accessToken: string,
    path: string,
    schema: Schema,
  ): Promise<z.output<Schema>> {
    const { fetchProtectedResource } = await loadClient();
    const headers = new Headers({ accept: 'application/vnd.github+json', 'user-agent': 'statehouse' });
    const response = await fetchProtectedResource(
      client,
      accessToken,
      new URL(`${apiOf(issuer)}${path}`),
      'GET',
      null,
      headers,
    );
    const parsed = schema.safeParse(response.ok ? await response.json() : null);
    if (parsed.success) return parsed.data;
    const fault = response.status >= 500 ? 'upstream_unreachable' : 'upstream_answer_invalid';
    throw new UpstreamFailure(fault, 'PROFILE_UNUSABLE');
  }

  return {
    authorizationUrl: (upstream, request) =>
      failing(async () => {
        const { prompt, loginHint } = request.requested;
        return authorizationUrlAt(await clientOf(upstream), upstream, request, {
          // It knows no `prompt=login`: the missing auth_time refuses such a sign-in later.
          ...(prompt.length > 0 && { prompt: 'select_account' }),
          ...(loginHint !== null && { login: loginHint }),
        });
      }),

    // Its responses have no `iss`. The redirect URI, which each provider has for itself, tells them apart.
    isFrom: async (upstream, iss) => iss === null || iss === upstream.issuer,

    redeem: (upstream, { callback, state, secrets }) =>
      failing(async () => {
        const { authorizationCodeGrant } = await loadClient();
        const client = await clientOf(upstream);
        const { access_token: accessToken } = await authorizationCodeGrant(client, callback, {
          expectedState: state,
          pkceCodeVerifier: secrets.codeVerifier,
        });
        const user = await ask(client, upstream, accessToken, '/user', USER);
        const addresses = upstream.scope.some((one) => one === 'user:email' || one === 'user')
          ? await ask(client, upstream, accessToken, '/user/emails', ADDRESSES)
          : [];
        return {
          subject: String(user.id),
          claims: claimsOf(user, addresses),
          acr: null,
          amr: [],
          authTime: null,
        };
      }),
  };
}

/** https://docs.github.com/en/rest/using-the-rest-api/getting-started-with-the-rest-api */
const apiOf = (issuer: string): string =>
  issuer === 'https://github.com' ? 'https://api.github.com' : `${issuer}/api/v3`;

/** In the words of OpenID Connect Core §5.1. Only an address that GitHub has verified counts. */
function claimsOf(user: z.output<typeof USER>, addresses: z.output<typeof ADDRESSES>): Claims {
  const address = addresses.find(({ primary, verified }) => primary && verified);
  return {
    sub: String(user.id),
    preferred_username: user.login,
    ...(user.name && { name: user.name }),
    ...(user.avatar_url && { picture: user.avatar_url }),
    ...(user.html_url && { profile: user.html_url }),
    ...(address && { email: address.email, email_verified: true }),
  };
}
