/**
 * The checks of the authorization request, in order (OAuth 2.1 §4.1.1). Until client and redirect URI are verified, the
 * server redirects no error (§4.1.2.1: the server MUST NOT redirect to an invalid redirect URI). Afterwards it
 * redirects every error.
 */
import { type Configuration, policyOf } from '../config/configuration.ts';
import type { Client } from '../model/client.ts';
import type { ResponseMode } from '../model/interaction.ts';
import { type AuthenticationClass, classAskedFor, classNamed, strongestOf } from '../oauth/authentication-methods.ts';
import type { AuthorizationErrorCode } from '../oauth/errors.ts';
import type { ParameterReading, Parameters } from '../oauth/parameters.ts';
import { isS256Challenge } from '../oauth/pkce.ts';
import { type Prompt, parsePrompt } from '../oauth/prompt.ts';
import { isRegisteredRedirectUri } from '../oauth/redirect-uri.ts';
import { shortScope } from '../oauth/scope.ts';
import { againstProfile } from './profile.ts';
import { type Access, type AccessProblem, requestedAccess } from './requested-access.ts';

export const AUTHORIZATION_PARAMETERS = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'resource',
  // OpenID Connect Core §3.1.2.1. `display` and `claims_locales` are voluntary: accepted, unread. `ui_locales` is read apart from
  // these, since no request fails for it.
  'nonce',
  'prompt',
  'max_age',
  'acr_values',
  'login_hint',
  'id_token_hint',
  'response_mode',
  // RFC 9449 §10.
  'dpop_jkt',
  'request',
  'request_uri',
  'registration',
] as const;
export type AuthorizationParameters = Parameters<(typeof AUTHORIZATION_PARAMETERS)[number]>;
export type AuthorizationReading = ParameterReading<(typeof AUTHORIZATION_PARAMETERS)[number]>;

/** Shown on a page, never redirected. */
export type UnverifiedRequest = {
  readonly kind: 'unverified';
  readonly reason:
    | 'too_many_parameters'
    | 'client_id_missing'
    | 'client_id_malformed'
    | 'client_unknown'
    | 'redirect_uri_missing'
    | 'redirect_uri_malformed'
    | 'redirect_uri_mismatch';
  readonly clientId: string | null;
  /** For a mismatch: the registered URIs, and the URI in the request. */
  readonly registered?: readonly string[];
  readonly received?: string;
  /** Whether the client introduced itself: its developer does not read the log of this server, and no operator keeps its URIs. */
  readonly introducedItself?: true;
};

/** Includes the loaded rows. */
export type VerifiedRequest<Loaded> = Loaded & {
  readonly kind: 'verified';
  readonly client: Client;
  readonly redirectUri: string;
};

/** `state` returns to the client unchanged. */
export type RedirectedError = {
  readonly kind: 'error';
  readonly error: AuthorizationErrorCode;
  readonly reason: string;
  readonly description: string;
  /** The scope that caused the error, for the log. */
  readonly scope?: string;
};

export type AuthorizationRequest = {
  readonly kind: 'request';
  readonly access: Access;
  readonly codeChallenge: string;
  /** The thumbprint of the key to which the client binds the code. */
  readonly dpopJkt: string | null;
  readonly nonce: string | null;
  readonly prompt: readonly Prompt[];
  /** Seconds: the least of the values that the request, the client's policy and the resources demand. */
  readonly maxAgeSeconds: number | null;
  /** The strongest of the classes that the request, the client's policy and the resources demand. */
  readonly requiredClass: AuthenticationClass | null;
  readonly loginHint: string | null;
  /** The end-user of the `id_token_hint`. */
  readonly hintedUserId: string | null;
};

/** @param load treats a deleted client as unknown. */
export async function verifyClientAndRedirectUri<Loaded extends { readonly client: Client | null }>(
  { problem, parameters }: AuthorizationReading,
  load: (clientId: string) => Promise<Loaded>,
): Promise<VerifiedRequest<Loaded> | UnverifiedRequest> {
  const unverified = (reason: UnverifiedRequest['reason'], clientId: string | null = null): UnverifiedRequest => ({
    kind: 'unverified',
    reason,
    clientId,
  });
  if (problem?.reason === 'too_many_parameters') return unverified(problem.reason);
  const clientId = parameters.get('client_id');
  if (clientId === null)
    return unverified(problem?.parameter === 'client_id' ? 'client_id_malformed' : 'client_id_missing');
  const loaded = await load(clientId);
  const { client } = loaded;
  if (!client || client.deletedAt !== null) return unverified('client_unknown');
  const redirectUri = parameters.get('redirect_uri');
  if (redirectUri === null) {
    return unverified(
      problem?.parameter === 'redirect_uri' ? 'redirect_uri_malformed' : 'redirect_uri_missing',
      clientId,
    );
  }
  if (!isRegisteredRedirectUri(client, redirectUri)) {
    return {
      ...unverified('redirect_uri_mismatch', clientId),
      registered: client.redirectUris,
      received: redirectUri,
      ...(client.registeredBy === 'self' && { introducedItself: true }),
    };
  }
  return { ...loaded, kind: 'verified', client, redirectUri };
}

type Check = readonly [
  fails: (parameters: AuthorizationParameters, client: Client, prompts: readonly Prompt[]) => boolean,
  error: AuthorizationErrorCode,
  reason: string,
  description: string,
];

/** One line for each check. The first check that fails decides the error. */
const CHECKS: readonly Check[] = [
  [(p) => p.get('response_type') === null, 'invalid_request', 'response_type_missing', 'response_type is required'],
  [
    (p) => p.get('response_type') !== 'code',
    'unsupported_response_type',
    'response_type_unsupported',
    'only response_type=code is supported',
  ],
  [
    (_, c) => !c.grantTypes.includes('authorization_code'),
    'unauthorized_client',
    'grant_type_not_allowed',
    'this client is not registered for the authorization code grant',
  ],
  [
    (p) => p.get('code_challenge') === null,
    'invalid_request',
    'code_challenge_missing',
    'code_challenge is required from every client (OAuth 2.1 section 7.5.1.1)',
  ],
  // RFC 7636 §4.3: an absent method means plain, which the server rejects.
  [
    (p) => p.get('code_challenge_method') === null,
    'invalid_request',
    'code_challenge_method_missing',
    'code_challenge_method is required and must be S256',
  ],
  [
    (p) => p.get('code_challenge_method') !== 'S256',
    'invalid_request',
    'code_challenge_method_unsupported',
    'code_challenge_method must be S256',
  ],
  [
    (p) => !isS256Challenge(p.get('code_challenge') ?? ''),
    'invalid_request',
    'code_challenge_malformed',
    'code_challenge is not the base64url of a SHA-256 hash',
  ],
  // RFC 9449 §10: the base64url of a SHA-256 hash, as a code_challenge is.
  [
    (p) => p.get('dpop_jkt') !== null && !isS256Challenge(p.get('dpop_jkt') ?? ''),
    'invalid_request',
    'dpop_jkt_malformed',
    'dpop_jkt is not the base64url of a SHA-256 thumbprint',
  ],
  // OpenID Connect Core §6.1, §6.2 and §7.2.1: an OP that does not support them MUST say so with these errors. A request object of a
  // client with keys was opened before.
  [
    (p) => p.get('request') !== null,
    'request_not_supported',
    'request_object',
    'request is not supported for a client without jwks or jwks_uri',
  ],
  [(p) => p.get('request_uri') !== null, 'request_uri_not_supported', 'request_uri', 'request_uri is not supported'],
  [
    (p) => p.get('registration') !== null,
    'registration_not_supported',
    'registration_parameter',
    'registration is not supported',
  ],
  [
    (p) => !Object.hasOwn(RESPONSE_MODES, p.get('response_mode') ?? 'query'),
    'invalid_request',
    'response_mode_unsupported',
    'response_mode must be query, form_post, jwt, query.jwt or form_post.jwt',
  ],
  [
    (p) => parsePrompt(p.get('prompt') ?? '') === null,
    'invalid_request',
    'prompt_malformed',
    'prompt must be none alone, or a list of login, consent, select_account and create',
  ],
  [
    (p, _, prompts) => parsePrompt(p.get('prompt') ?? '')?.every((prompt) => prompts.includes(prompt)) !== true,
    'invalid_request',
    'prompt_unsupported',
    'prompt=create is not supported: this server has no open sign-up',
  ],
  [
    (p) => !/^\d{1,9}$/.test(p.get('max_age') ?? '0'),
    'invalid_request',
    'max_age_malformed',
    'max_age must be a number of seconds',
  ],
];

/** By `response_mode`. JARM §2.3.4: `jwt` is the default of the response type, which is the query for a code. */
export const RESPONSE_MODES = {
  query: 'query',
  form_post: 'form_post',
  jwt: 'query.jwt',
  'query.jwt': 'query.jwt',
  'form_post.jwt': 'form_post.jwt',
} as const satisfies Readonly<Record<string, ResponseMode>>;

/**
 * The way in which the response reaches the client, errors included. The server answers an unsupported mode in the
 * query.
 */
export function responseModeOf(parameters: AuthorizationParameters): ResponseMode {
  const named = parameters.get('response_mode') ?? 'query';
  return Object.hasOwn(RESPONSE_MODES, named) ? RESPONSE_MODES[named as keyof typeof RESPONSE_MODES] : 'query';
}

const ACCESS_ERRORS: Readonly<Record<AccessProblem['reason'], Pick<RedirectedError, 'error' | 'description'>>> = {
  scope_malformed: { error: 'invalid_scope', description: 'scope is not a list of scope tokens separated by spaces' },
  scope_unknown: { error: 'invalid_scope', description: 'a scope is unknown' },
  scope_not_allowed: { error: 'invalid_scope', description: 'a scope is more than this client may ask for' },
  scope_of_other_resource: {
    error: 'invalid_scope',
    description: 'a scope is known, but not at the requested resources',
  },
  openid_missing: {
    error: 'invalid_scope',
    description: 'scopes about the identity of the end-user, such as profile and email, need the scope openid as well',
  },
  management_scope_missing: {
    error: 'invalid_scope',
    description: 'a request for the management API names its scopes, and the API as resource',
  },
  management_not_alone: {
    error: 'invalid_target',
    description: 'the management API is asked for alone: its tokens are for no other API',
  },
  resource_unknown: { error: 'invalid_target', description: 'a resource is unknown' },
  resource_not_named: {
    error: 'invalid_target',
    description: 'the request names no resource, and its scope fits more than one or none: send the parameter resource',
  },
};

/**
 * Names the scope. It is a scope token, so an error_description may contain all of its characters (RFC 6749 §4.1.2.1).
 */
function accessError({ reason, scope }: AccessProblem): RedirectedError {
  const { error, description } = ACCESS_ERRORS[reason];
  if (scope === null) return { kind: 'error', reason, error, description };
  const named = shortScope(scope);
  return { kind: 'error', reason, error, description: `${named}: ${description}`, scope: named };
}

/**
 * @param prompts the supported values.
 * @param readHint returns null for any text but an ID Token of this server.
 */
export async function checkAuthorizationRequest(
  { problem, parameters }: AuthorizationReading,
  client: Client,
  configuration: Configuration,
  prompts: readonly Prompt[],
  readHint: (idToken: string) => Promise<{ readonly userId: string; readonly aud: string } | null>,
): Promise<AuthorizationRequest | RedirectedError> {
  if (problem) {
    const description = `${problem.parameter ?? 'the request'} ${problem.detail}`;
    return { kind: 'error', error: 'invalid_request', reason: problem.reason, description };
  }
  for (const [fails, error, reason, description] of CHECKS) {
    if (fails(parameters, client, prompts)) return { kind: 'error', error, reason, description };
  }
  const against = againstProfile(configuration, client, responseModeOf(parameters));
  if (against !== null) return { kind: 'error', ...against };
  const asked = { scope: parameters.get('scope'), resources: parameters.getAll('resource') };
  const access = requestedAccess(configuration, client, asked);
  if ('reason' in access) return accessError(access);
  const hinted = parameters.get('id_token_hint');
  const hint = hinted === null ? null : await readHint(hinted);
  // Only for the client that received the ID Token: with prompt=none, another client could learn which user is signed
  // in.
  if (hinted !== null && hint?.aud !== client.clientId) return HINT_REFUSED;
  const maxAge = parameters.get('max_age');
  const demanded = demandedSignIn(configuration, client, access);
  const ages = [...demanded.ages, ...(maxAge === null ? [] : [Number(maxAge)])];
  return {
    kind: 'request',
    access,
    codeChallenge: parameters.get('code_challenge') ?? '',
    dpopJkt: parameters.get('dpop_jkt'),
    nonce: parameters.get('nonce'),
    prompt: parsePrompt(parameters.get('prompt') ?? '') ?? [],
    maxAgeSeconds: ages.length === 0 ? null : Math.min(...ages),
    requiredClass: strongestOf([...demanded.classes, classAskedFor(parameters.get('acr_values') ?? '')]),
    loginHint: parameters.get('login_hint'),
    hintedUserId: hint?.userId ?? null,
  };
}

/** The demands of the client's policy and the resources on the sign-in. */
function demandedSignIn(configuration: Configuration, client: Client, { resources }: Access) {
  const demanding = [
    policyOf(configuration, client),
    ...configuration.resources.filter(({ identifier }) => resources.includes(identifier)),
  ];
  return {
    ages: demanding.flatMap(({ maxAuthenticationAgeSeconds }) => maxAuthenticationAgeSeconds ?? []),
    classes: demanding.flatMap(({ requiredAuthenticationClass: one }) => (one ? [classNamed(one)] : [])),
  };
}

const HINT_REFUSED: RedirectedError = {
  kind: 'error',
  error: 'invalid_request',
  reason: 'id_token_hint_refused',
  description: 'id_token_hint is not an ID Token that this server made for this client',
};
