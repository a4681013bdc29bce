/**
 * Another OpenID Provider, through openid-client, which the first use loads. The client always checks an ID Token in
 * full: signature, issuer, audience, times, nonce. It caches metadata, and fetches the keys for each sign-in, so that
 * new keys apply immediately.
 */
import type { Configuration as Client, ServerMetadata } from 'openid-client';
import type { Upstream } from '../../../policies/upstreams-schema.ts';
import type { Claims } from '../../model/user.ts';
import { isStorable } from '../../oauth/sent-text.ts';
import {
  authorizationUrlAt,
  clientAt,
  failing,
  fetchOf,
  type IdentityProvider,
  loadClient,
  type ProviderDeps,
  UpstreamFailure,
} from './provider.ts';

const METADATA_KEPT_MILLISECONDS = 10 * 60_000;
const CLOCK_TOLERANCE_SECONDS = 60;
const MAX_SUBJECT_CHARACTERS = 255;

type Kept = { readonly at: number; readonly metadata: ServerMetadata };

export function openIdProvider(deps: ProviderDeps): IdentityProvider {
  /** By issuer. */
  const kept = new Map<string, Kept>();

  async function metadataOf(upstream: Upstream): Promise<ServerMetadata> {
    const known = kept.get(upstream.issuer);
    if (known && performance.now() - known.at < METADATA_KEPT_MILLISECONDS) return known.metadata;
    const { allowInsecureRequests, customFetch, discovery, None } = await loadClient();
    const found = await discovery(new URL(upstream.issuer), upstream.client_id, undefined, None(), {
      [customFetch]: fetchOf(deps),
      execute: [allowInsecureRequests],
    });
    const metadata = { ...found.serverMetadata() };
    if (new URL(upstream.issuer).protocol === 'https:' && namesHttp(metadata)) {
      throw new UpstreamFailure('upstream_answer_invalid', 'METADATA_NAMES_HTTP');
    }
    kept.set(upstream.issuer, { at: performance.now(), metadata });
    return metadata;
  }

  /** New for each sign-in, so that new keys apply immediately. */
  async function clientOf(upstream: Upstream): Promise<Client> {
    const { clockSkew, clockTolerance, enableNonRepudiationChecks } = await loadClient();
    const client = await clientAt(deps, upstream, await metadataOf(upstream), {
      id_token_signed_response_alg: upstream.id_token_signed_response_alg,
      [clockTolerance]: CLOCK_TOLERANCE_SECONDS,
      [clockSkew]: Math.round((deps.now().getTime() - Date.now()) / 1000),
    });
    enableNonRepudiationChecks(client);
    return client;
  }

  return {
    authorizationUrl: (upstream, request) =>
      failing(async () => {
        const { secrets, requested, maxAgeSeconds } = request;
        const prompt = requested.prompt.filter((one) => one === 'login' || one === 'select_account');
        return authorizationUrlAt(await clientOf(upstream), upstream, request, {
          nonce: secrets.nonce,
          ...(prompt.length > 0 && { prompt: prompt.join(' ') }),
          ...(maxAgeSeconds !== null && { max_age: String(maxAgeSeconds) }),
          ...(requested.acrValues.length > 0 && { acr_values: requested.acrValues.join(' ') }),
          ...(requested.loginHint !== null && { login_hint: requested.loginHint }),
          ...(requested.uiLocales.length > 0 && { ui_locales: requested.uiLocales.join(' ') }),
        });
      }),

    isFrom: (upstream, iss) =>
      failing(async () => {
        if (iss !== null) return iss === upstream.issuer;
        const metadata = await metadataOf(upstream);
        return metadata['authorization_response_iss_parameter_supported'] !== true;
      }),

    redeem: (upstream, response) =>
      failing(async () => {
        const { authorizationCodeGrant } = await loadClient();
        const { callback, state, secrets, maxAgeSeconds } = response;
        const client = await clientOf(upstream);
        const tokens = await authorizationCodeGrant(client, callback, {
          expectedState: state,
          expectedNonce: secrets.nonce,
          pkceCodeVerifier: secrets.codeVerifier,
          idTokenExpected: true,
          ...(maxAgeSeconds !== null && { maxAge: maxAgeSeconds }),
        });
        const claims = tokens.claims();
        if (!claims || claims.sub.length === 0 || claims.sub.length > MAX_SUBJECT_CHARACTERS) {
          throw new UpstreamFailure('upstream_answer_invalid', 'SUBJECT_UNUSABLE');
        }
        const latest = deps.now().getTime() / 1000 + CLOCK_TOLERANCE_SECONDS;
        // openid-client does not check `iat` (Core §3.1.3.7, 10), and `auth_time` only against `max_age`.
        if (claims.iat > latest) throw new UpstreamFailure('upstream_answer_invalid', 'ISSUED_IN_THE_FUTURE');
        const authTime = typeof claims.auth_time === 'number' ? claims.auth_time : null;
        if (authTime !== null && authTime > latest) {
          throw new UpstreamFailure('upstream_answer_invalid', 'SIGNED_IN_IN_THE_FUTURE');
        }
        const more = await claimsOfUserInfo(client, upstream, tokens.access_token, claims);
        if (!isStorableJson({ ...more, ...claims })) {
          throw new UpstreamFailure('upstream_answer_invalid', 'CLAIMS_NOT_TEXT');
        }
        return {
          subject: claims.sub,
          claims: { ...more, ...claims },
          acr: typeof claims['acr'] === 'string' ? claims['acr'] : null,
          amr: texts(claims['amr']),
          authTime,
        };
      }),
  };

  /** Called only where the ID Token omits claims that the policy names. */
  async function claimsOfUserInfo(
    client: Client,
    upstream: Upstream,
    accessToken: string,
    told: { sub: string },
  ): Promise<Claims> {
    const { admit, claims, usernameClaim } = upstream;
    const wanted = [
      ...claims,
      usernameClaim,
      ...(admit.emailDomains ? ['email', 'email_verified'] : []),
      ...(admit.claim ? [admit.claim.name] : []),
    ];
    const isTold = wanted.every((name) => name in told);
    if (isTold || client.serverMetadata().userinfo_endpoint === undefined) return {};
    const { fetchUserInfo } = await loadClient();
    return fetchUserInfo(client, accessToken, told.sub);
  }
}

/** The endpoints that receive the client's secret, the code or an access token, and the URL of the keys. */
const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'] as const;

/** For a provider on https: none of its endpoints may use clear text. */
const namesHttp = (metadata: ServerMetadata): boolean =>
  ENDPOINTS.some((name) => metadata[name] !== undefined && !/^https:/i.test(String(metadata[name])));

/** JSON may contain U+0000 and lone surrogates, but the database cannot store them. */
function isStorableJson(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every((member) => member.every(isStorableJson));
}

const MAX_METHODS = 20;
const texts = (value: unknown): readonly string[] =>
  Array.isArray(value)
    ? value
        .filter((one): one is string => typeof one === 'string' && /^[\x21-\x7e]{1,64}$/.test(one))
        .slice(0, MAX_METHODS)
    : [];
