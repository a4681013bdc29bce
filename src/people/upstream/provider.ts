/**
 * The port of an identity provider, and what its two kinds share: the failures, the client authentication, and the
 * authorization request.
 */
import type { Configuration as Client, ClientAuth, ClientMetadata, CustomFetch, ServerMetadata } from 'openid-client';
import type { Upstream } from '../../../policies/upstreams-schema.ts';
import type { RequestedParameters } from '../../lifecycles/external-sign-in/entity.ts';
import type { Claims } from '../../model/user.ts';
import type { RequestSecrets } from '../external/begin.ts';

export type ProviderDeps = {
  /** Bounded in time and size. */
  readonly upstreamFetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Null: not set. */
  readonly secretNamed: (name: string) => Promise<string | null>;
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

export type AuthorizationRequest = {
  readonly redirectUri: string;
  readonly state: string;
  readonly secrets: RequestSecrets;
  readonly requested: RequestedParameters;
  readonly maxAgeSeconds: number | null;
};

export type ProviderResponse = {
  readonly callback: URL;
  readonly state: string;
  readonly secrets: RequestSecrets;
  readonly maxAgeSeconds: number | null;
};

/** Each function throws UpstreamFailure. */
export type IdentityProvider = {
  readonly authorizationUrl: (upstream: Upstream, request: AuthorizationRequest) => Promise<URL>;
  /** RFC 9207 §2.4: whether the response comes from this provider. Checked before any other parameter. */
  readonly isFrom: (upstream: Upstream, iss: string | null) => Promise<boolean>;
  /** Exchanges the code, and checks who signed in. */
  readonly redeem: (upstream: Upstream, response: ProviderResponse) => Promise<Redeemed>;
};

/** The first use loads it. */
export const loadClient = () => import('openid-client');

export const fetchOf =
  ({ upstreamFetch }: ProviderDeps): CustomFetch =>
  (url, init) =>
    upstreamFetch(url, init as RequestInit);

export async function newSecrets(): Promise<RequestSecrets> {
  const { randomNonce, randomPKCECodeVerifier } = await loadClient();
  return { nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() };
}

async function authenticationAt(deps: ProviderDeps, upstream: Upstream): Promise<ClientAuth> {
  const { client_secret_environment: name, token_endpoint_auth_method: method } = upstream;
  const { ClientSecretBasic, ClientSecretPost, None } = await loadClient();
  if (method === 'none') return None();
  const secret = name === undefined ? null : await deps.secretNamed(name);
  if (!secret) throw new UpstreamFailure('upstream_unreachable', 'SECRET_NOT_SET');
  return method === 'client_secret_post' ? ClientSecretPost(secret) : ClientSecretBasic(secret);
}

/** A new client of openid-client, which keeps the keys that it has fetched. @param settings of ID Tokens. */
export async function clientAt(
  deps: ProviderDeps,
  upstream: Upstream,
  metadata: ServerMetadata,
  settings: Partial<ClientMetadata> = {},
): Promise<Client> {
  const { allowInsecureRequests, Configuration, customFetch } = await loadClient();
  const client = new Configuration(metadata, upstream.client_id, settings, await authenticationAt(deps, upstream));
  Object.assign(client, { [customFetch]: fetchOf(deps) });
  // The policy decides which issuers use http, and allows only those on this machine.
  allowInsecureRequests(client);
  return client;
}

/** @param more parameters of this kind of provider. */
export async function authorizationUrlAt(
  client: Client,
  upstream: Upstream,
  { redirectUri, state, secrets }: AuthorizationRequest,
  more: Readonly<Record<string, string>>,
): Promise<URL> {
  const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await loadClient();
  return buildAuthorizationUrl(client, {
    redirect_uri: redirectUri,
    scope: upstream.scope.join(' '),
    state,
    code_challenge: await calculatePKCECodeChallenge(secrets.codeVerifier),
    code_challenge_method: 'S256',
    ...more,
  });
}

export async function failing<T>(work: () => Promise<T>): Promise<T> {
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
