/**
 * Another OpenID Provider, through openid-client, which the first use loads. The client always checks an ID Token in
 * full: signature, issuer, audience, times, nonce. It caches metadata, and fetches the keys for each sign-in, so that
 * new keys apply immediately.
 */
import type { Configuration as Client, CustomFetch, ServerMetadata } from 'openid-client';
import type { Upstream } from '../../../policies/upstreams-schema.ts';
import type { RequestedParameters } from '../../lifecycles/external-sign-in/entity.ts';
import type { Claims } from '../../model/user.ts';
import type { RequestSecrets } from '../external/begin.ts';

export type ProviderDeps = {
  /** Bounded in time and size. */
  readonly upstreamFetch: (url: string, init: RequestInit) => Promise<Response>;
  /** From the environment. undefined: not set. */
  readonly environmentVariable: (name: string) => string | undefined;
  /** The time for the checks of ID Tokens. */
  readonly now: () => Date;
};

export type UpstreamFault =
  /** It does not answer, or not in time. */
  | 'upstream_unreachable'
  /** Its answer is invalid. */
  | 'upstream_answer_invalid';

/** `code`: from openid-client, for the log. It never contains a value of the answer. */
export class UpstreamFailure extends Error {
  readonly fault: UpstreamFault;
  readonly code: string;
  constructor(fault: UpstreamFault, code: string) {
    super(`The upstream failed: ${code}`);
    this.name = 'UpstreamFailure';
    this.fault = fault;
    this.code = code;
  }
}

export type Redeemed = {
  readonly subject: string;
  /** From the ID Token, and from UserInfo where the ID Token omits them. */
  readonly claims: Claims;
  readonly acr: string | null;
  readonly amr: readonly string[];
  /** Seconds since 1970. Null: the ID Token omits it. */
  readonly authTime: number | null;
};

const METADATA_KEPT_MILLISECONDS = 10 * 60_000;
const CLOCK_TOLERANCE_SECONDS = 60;
const MAX_SUBJECT_CHARACTERS = 255;

type Kept = { readonly at: number; readonly metadata: ServerMetadata };

export type OpenIdProvider = ReturnType<typeof openIdProvider>;

export function openIdProvider(deps: ProviderDeps) {
  /** By issuer. */
  const kept = new Map<string, Kept>();
  const load = () => import('openid-client');
  const fetchIt: CustomFetch = (url, init) => deps.upstreamFetch(url, init as RequestInit);

  async function metadataOf(upstream: Upstream): Promise<ServerMetadata> {
    const known = kept.get(upstream.issuer);
    if (known && performance.now() - known.at < METADATA_KEPT_MILLISECONDS) return known.metadata;
    const { allowInsecureRequests, customFetch, discovery, None } = await load();
    const found = await discovery(new URL(upstream.issuer), upstream.client_id, undefined, None(), {
      [customFetch]: fetchIt,
      execute: [allowInsecureRequests],
    });
    const metadata = { ...found.serverMetadata() };
    if (new URL(upstream.issuer).protocol === 'https:' && namesHttp(metadata)) {
      throw new UpstreamFailure('upstream_answer_invalid', 'METADATA_NAMES_HTTP');
    }
    kept.set(upstream.issuer, { at: performance.now(), metadata });
    return metadata;
  }

  /** New for each sign-in: it caches the keys that it has fetched. */
  async function clientOf(upstream: Upstream): Promise<Client> {
    const client = await load();
    const metadata = await metadataOf(upstream);
    const fresh = new client.Configuration(
      metadata,
      upstream.client_id,
      {
        id_token_signed_response_alg: upstream.id_token_signed_response_alg,
        [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS,
        [client.clockSkew]: Math.round((deps.now().getTime() - Date.now()) / 1000),
      },
      await authenticationOf(upstream),
    );
    fresh[client.customFetch] = fetchIt;
    // The policy decides which issuers use http, and allows only those on this machine.
    client.allowInsecureRequests(fresh);
    client.enableNonRepudiationChecks(fresh);
    return fresh;
  }

  async function authenticationOf({ client_secret_environment: name, token_endpoint_auth_method: method }: Upstream) {
    const { ClientSecretBasic, ClientSecretPost, None } = await load();
    if (method === 'none') return None();
    const secret = name === undefined ? undefined : deps.environmentVariable(name);
    if (!secret) throw new UpstreamFailure('upstream_unreachable', 'SECRET_NOT_SET');
    return method === 'client_secret_post' ? ClientSecretPost(secret) : ClientSecretBasic(secret);
  }

  return {
    newSecrets: async (): Promise<RequestSecrets> => {
      const { randomNonce, randomPKCECodeVerifier } = await load();
      return { nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() };
    },

    /** @throws UpstreamFailure */
    authorizationUrl: (
      upstream: Upstream,
      request: {
        redirectUri: string;
        state: string;
        secrets: RequestSecrets;
        requested: RequestedParameters;
        maxAgeSeconds: number | null;
      },
    ): Promise<URL> =>
      failing(async () => {
        const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await load();
        const { redirectUri, state, secrets, requested, maxAgeSeconds } = request;
        const prompt = requested.prompt.filter((one) => one === 'login' || one === 'select_account');
        return buildAuthorizationUrl(await clientOf(upstream), {
          redirect_uri: redirectUri,
          scope: upstream.scope.join(' '),
          state,
          nonce: secrets.nonce,
          code_challenge: await calculatePKCECodeChallenge(secrets.codeVerifier),
          code_challenge_method: 'S256',
          ...(prompt.length > 0 && { prompt: prompt.join(' ') }),
          ...(maxAgeSeconds !== null && { max_age: String(maxAgeSeconds) }),
          ...(requested.acrValues.length > 0 && { acr_values: requested.acrValues.join(' ') }),
          ...(requested.loginHint !== null && { login_hint: requested.loginHint }),
          ...(requested.uiLocales.length > 0 && { ui_locales: requested.uiLocales.join(' ') }),
        });
      }),

    /**
     * RFC 9207 §2.4: whether the response comes from this provider. Checked before any other parameter.
     * @throws UpstreamFailure
     */
    isFrom: (upstream: Upstream, iss: string | null): Promise<boolean> =>
      failing(async () => {
        if (iss !== null) return iss === upstream.issuer;
        const metadata = await metadataOf(upstream);
        return metadata['authorization_response_iss_parameter_supported'] !== true;
      }),

    /** Exchanges the code, and checks the ID Token. @throws UpstreamFailure */
    redeem: (
      upstream: Upstream,
      response: { callback: URL; state: string; secrets: RequestSecrets; maxAgeSeconds: number | null },
    ): Promise<Redeemed> =>
      failing(async () => {
        const { authorizationCodeGrant } = await load();
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
        // openid-client does not check `iat` (Core §3.1.3.7, 10).
        if (claims.iat > deps.now().getTime() / 1000 + CLOCK_TOLERANCE_SECONDS) {
          throw new UpstreamFailure('upstream_answer_invalid', 'ISSUED_IN_THE_FUTURE');
        }
        const more = await claimsOfUserInfo(client, upstream, tokens.access_token, claims);
        if (!isStorable({ ...more, ...claims })) {
          throw new UpstreamFailure('upstream_answer_invalid', 'CLAIMS_NOT_TEXT');
        }
        return {
          subject: claims.sub,
          claims: { ...more, ...claims },
          acr: typeof claims['acr'] === 'string' ? claims['acr'] : null,
          amr: texts(claims['amr']),
          authTime: typeof claims.auth_time === 'number' ? claims.auth_time : null,
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
    const { fetchUserInfo } = await load();
    return fetchUserInfo(client, accessToken, told.sub);
  }
}

/** The endpoints that receive the client's secret, the code or an access token, and the URL of the keys. */
const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'] as const;

/** For a provider on https: none of its endpoints may use clear text. */
const namesHttp = (metadata: ServerMetadata): boolean =>
  ENDPOINTS.some((name) => metadata[name] !== undefined && !/^https:/i.test(String(metadata[name])));

/** JSON may contain U+0000 and lone surrogates, but the database cannot store them. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every((member) => member.every(isStorable));
}

const MAX_METHODS = 20;
const texts = (value: unknown): readonly string[] =>
  Array.isArray(value)
    ? value
        .filter((one): one is string => typeof one === 'string' && /^[\x21-\x7e]{1,64}$/.test(one))
        .slice(0, MAX_METHODS)
    : [];

async function failing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw failureOf(error);
  }
}

/** The failures that openid-client names. Every other failure concerns the connection. */
function failureOf(error: unknown): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  const { code, name, status, error: oauthError } = error as Readonly<Record<string, unknown>>;
  const text = typeof oauthError === 'string' && /^[a-z_]{1,40}$/.test(oauthError) ? oauthError : code;
  const told = typeof text === 'string' && /^\w{1,60}$/.test(text) ? text : String(name ?? 'Error');
  const isAway =
    name === 'TimeoutError' ||
    name === 'AbortError' ||
    code === 'OAUTH_TIMEOUT' ||
    isConnection(error) ||
    isBroken(status);
  return new UpstreamFailure(isAway ? 'upstream_unreachable' : 'upstream_answer_invalid', told);
}

const isBroken = (status: unknown): boolean => typeof status === 'number' && status >= 500;

/** `fetch` throws a TypeError with a cause. openid-client passes it on, or wraps it. */
function isConnection(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (
      at.name === 'OtherServerAway' ||
      at.name === 'TimeoutError' ||
      (at instanceof TypeError && at.message === 'fetch failed')
    )
      return true;
    if (isBroken((at.cause as { status?: unknown } | undefined)?.status)) return true;
  }
  return false;
}
