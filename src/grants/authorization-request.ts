/**
 * The checks of the authorization request, in order (OAuth 2.1 §4.1.1). Until client and redirect URI are proven nothing
 * may be redirected (§4.1.2.1: the server MUST NOT redirect to an invalid redirect URI); afterwards every error is.
 */
import type { Configuration } from '../config/configuration.ts';
import type { ClientRecord } from '../engine/ports.ts';
import type { AuthorizationErrorCode } from '../oauth/errors.ts';
import type { ParameterReading, Parameters } from '../oauth/parameters.ts';
import { isS256Challenge } from '../oauth/pkce.ts';
import { isRegisteredRedirectUri } from '../oauth/redirect-uri.ts';
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
] as const;
export type AuthorizationParameters = Parameters<(typeof AUTHORIZATION_PARAMETERS)[number]>;
type Reading = ParameterReading<(typeof AUTHORIZATION_PARAMETERS)[number]>;

/** Shown on a page, never redirected. */
export type Unproven = {
  readonly kind: 'unproven';
  readonly reason:
    | 'client_id_missing'
    | 'client_id_malformed'
    | 'client_unknown'
    | 'redirect_uri_missing'
    | 'redirect_uri_malformed'
    | 'redirect_uri_mismatch';
  readonly clientId: string | null;
  /** For a mismatch: what was registered, and what came. */
  readonly registered?: readonly string[];
  readonly received?: string;
};

export type ProvenClient = { readonly kind: 'proven'; readonly client: ClientRecord; readonly redirectUri: string };

/** `state` goes back to the client untouched. */
export type RedirectedError = {
  readonly kind: 'error';
  readonly error: AuthorizationErrorCode;
  readonly reason: string;
  readonly description: string;
};

export type AuthorizationRequest = {
  readonly kind: 'request';
  readonly access: Access;
  readonly codeChallenge: string;
};

export async function proveClientAndRedirectUri(
  { problem, parameters }: Reading,
  findClient: (clientId: string) => Promise<ClientRecord | null>,
): Promise<ProvenClient | Unproven> {
  const unproven = (reason: Unproven['reason'], clientId: string | null = null): Unproven => ({
    kind: 'unproven',
    reason,
    clientId,
  });
  const clientId = parameters.get('client_id');
  if (clientId === null)
    return unproven(problem?.parameter === 'client_id' ? 'client_id_malformed' : 'client_id_missing');
  const client = await findClient(clientId);
  if (!client) return unproven('client_unknown');
  const redirectUri = parameters.get('redirect_uri');
  if (redirectUri === null) {
    return unproven(
      problem?.parameter === 'redirect_uri' ? 'redirect_uri_malformed' : 'redirect_uri_missing',
      clientId,
    );
  }
  if (!isRegisteredRedirectUri(client, redirectUri)) {
    return { ...unproven('redirect_uri_mismatch', clientId), registered: client.redirectUris, received: redirectUri };
  }
  return { kind: 'proven', client, redirectUri };
}

type Check = readonly [
  fails: (parameters: AuthorizationParameters, client: ClientRecord) => boolean,
  error: AuthorizationErrorCode,
  reason: string,
  description: string,
];

/** One line a check; the first that fails is the answer. */
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
    'code_challenge is required from every client (OAuth 2.1 section 7.5.1)',
  ],
  // RFC 7636 §4.3: an absent method means plain, and plain is refused.
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
];

const ACCESS_ERRORS: Readonly<Record<AccessProblem, Pick<RedirectedError, 'error' | 'description'>>> = {
  scope_unknown: {
    error: 'invalid_scope',
    description: 'a scope is unknown, malformed, or more than this client may ask for',
  },
  resource_unknown: { error: 'invalid_target', description: 'a resource is unknown' },
};

export function checkAuthorizationRequest(
  { problem, parameters }: Reading,
  client: ClientRecord,
  configuration: Configuration,
): AuthorizationRequest | RedirectedError {
  if (problem) {
    const description = `${problem.parameter ?? 'the request'} ${problem.detail}`;
    return { kind: 'error', error: 'invalid_request', reason: problem.reason, description };
  }
  for (const [fails, error, reason, description] of CHECKS) {
    if (fails(parameters, client)) return { kind: 'error', error, reason, description };
  }
  const asked = { scope: parameters.get('scope'), resources: parameters.getAll('resource') };
  const access = requestedAccess(configuration, client, asked);
  if (typeof access === 'string') return { kind: 'error', reason: access, ...ACCESS_ERRORS[access] };
  return { kind: 'request', access, codeChallenge: parameters.get('code_challenge') ?? '' };
}
