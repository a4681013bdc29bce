/** The outcomes of a check, as values: the access of the caller, or the response to a refused request (RFC 6750 §3). */

/** RFC 9068 §2.2, and the other claims of the token. Instants are seconds since 1970. */
export type AccessTokenClaims = {
  readonly iss: string;
  /** The end-user. For a client that acts for itself, the same as `client_id`. */
  readonly sub: string;
  readonly aud: string | readonly string[];
  readonly client_id: string;
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
  /** Words separated by spaces. Absent: none. */
  readonly scope?: string;
  /** The class and the time of the sign-in (RFC 9068 §2.2.1). Absent: there is no end-user, or the token omits it. */
  readonly acr?: string;
  readonly auth_time?: number;
  readonly [claim: string]: unknown;
};

/**
 * The caller. It contains no copy of the token, so you may log it and pass it on.
 * @template Claims the claims that the schema of the API promises.
 */
export type Access<Claims = unknown> = {
  /** `sub`. */
  readonly subject: string;
  /** `client_id`. */
  readonly clientId: string;
  /** The scopes of the token. After introspection, those that the server still confirms for this API. */
  readonly scopes: readonly string[];
  readonly claims: AccessTokenClaims & Claims;
};

/** Names in small letters. */
export type AnswerHeaders = Readonly<Record<string, string>>;

export type Granted<Claims = unknown> = {
  readonly kind: 'granted';
  readonly access: Access<Claims>;
  /** For the response: `cache-control` (replace it where caches may keep the response) and `vary`. */
  readonly headers: AnswerHeaders;
};

/** For the log of the API. The caller receives only the error, which implies the next step. */
export type RefusalReason =
  | 'no_credentials'
  | 'more_than_one_method'
  | 'malformed_credentials'
  | 'token_too_long'
  | 'token_malformed'
  | 'critical_header'
  | 'other_typ'
  | 'other_algorithm'
  | 'unknown_key'
  | 'wrong_signature'
  | 'other_issuer'
  | 'other_audience'
  | 'expired'
  | 'not_yet_valid'
  | 'claim_missing'
  | 'claims_refused'
  | 'proof_missing'
  | 'proof_refused'
  | 'dpop_proof_missing'
  | 'dpop_proof_invalid'
  | 'dpop_proof_replayed'
  | 'dpop_key_mismatch'
  | 'certificate_missing'
  | 'certificate_mismatch'
  | 'token_inactive'
  | 'scope_missing'
  | 'sign_in_too_weak'
  | 'sign_in_too_old';

/** Null: the request came without credentials (RFC 6750 §3.1: the response SHOULD NOT include an error). */
export type RefusalError =
  | 'invalid_request'
  | 'invalid_token'
  | 'invalid_dpop_proof'
  | 'insufficient_scope'
  | 'insufficient_user_authentication'
  | null;

export type Refused = {
  readonly kind: 'refused';
  readonly status: 400 | 401 | 403;
  readonly error: RefusalError;
  readonly reason: RefusalReason;
  /** The required scopes that the token does not have. Empty unless `error` is `insufficient_scope`. */
  readonly missing: readonly string[];
  /** `www-authenticate`, `cache-control` and `vary`. */
  readonly headers: AnswerHeaders;
  /** A body to send, as JSON. */
  readonly body: Readonly<Record<string, string>>;
};

/**
 * Keys, introspection or proof are unavailable. The guard grants no access, but the caller is not at fault and keeps
 * the token.
 */
export type Unavailable = {
  readonly kind: 'unavailable';
  readonly status: 503;
  readonly reason: 'keys' | 'introspection' | 'proof' | 'internal';
  /** For the log: the question and the failure. It contains no token and no secret. */
  readonly detail: string;
  /** `retry-after`, `cache-control` and `vary`. */
  readonly headers: AnswerHeaders;
  readonly body: Readonly<Record<string, string>>;
};

export type Outcome<Claims = unknown> = Granted<Claims> | Refused | Unavailable;

/** A cache may reuse no response that depends on an Authorization header (RFC 9111 §3.5, RFC 9110 §12.5.5). */
export const UNCACHED = { 'cache-control': 'no-store', vary: 'Authorization' } as const satisfies AnswerHeaders;

const ERROR_OF: Readonly<Record<RefusalReason, RefusalError>> = {
  no_credentials: null,
  more_than_one_method: 'invalid_request',
  malformed_credentials: 'invalid_request',
  token_too_long: 'invalid_token',
  token_malformed: 'invalid_token',
  critical_header: 'invalid_token',
  other_typ: 'invalid_token',
  other_algorithm: 'invalid_token',
  unknown_key: 'invalid_token',
  wrong_signature: 'invalid_token',
  other_issuer: 'invalid_token',
  other_audience: 'invalid_token',
  expired: 'invalid_token',
  not_yet_valid: 'invalid_token',
  claim_missing: 'invalid_token',
  claims_refused: 'invalid_token',
  proof_missing: 'invalid_token',
  proof_refused: 'invalid_token',
  dpop_proof_missing: 'invalid_dpop_proof',
  dpop_proof_invalid: 'invalid_dpop_proof',
  dpop_proof_replayed: 'invalid_dpop_proof',
  dpop_key_mismatch: 'invalid_token',
  certificate_missing: 'invalid_token',
  certificate_mismatch: 'invalid_token',
  token_inactive: 'invalid_token',
  scope_missing: 'insufficient_scope',
  sign_in_too_weak: 'insufficient_user_authentication',
  sign_in_too_old: 'insufficient_user_authentication',
};

const STATUS = {
  invalid_request: 400,
  invalid_token: 401,
  invalid_dpop_proof: 401,
  insufficient_scope: 403,
  insufficient_user_authentication: 401,
} as const;

const WORDS: Readonly<Record<keyof typeof STATUS, string>> = {
  invalid_request: 'Send one access token, in one Authorization header: Bearer, a space, the token.',
  invalid_token: 'The access token is not valid for this API: get another one.',
  invalid_dpop_proof: 'Send one new DPoP proof for this request, signed with the key of the access token.',
  insufficient_scope: 'The access token lacks a scope that this request needs.',
  insufficient_user_authentication: 'The end-user has to sign in again, more recently or more strongly.',
};

export const granted = <Claims>(access: Access<Claims>): Granted<Claims> => ({
  kind: 'granted',
  access,
  headers: UNCACHED,
});

/** The facts in every challenge of an API, for any refusal. */
export type ChallengeFacts = {
  /** RFC 6750 §3: the needs of the request. */
  readonly scopes: readonly string[];
  /** RFC 9728 §5.1. Null: the identifier of the API is no URL. */
  readonly metadataUrl: string | null;
  /** RFC 9449 §7.1: the algorithms of proofs, and whether the request had that scheme. Absent: the API takes no proofs. */
  readonly dpop?: { readonly algorithms: readonly string[]; readonly isPresented: boolean } | null;
  /**
   * RFC 9470 §3: the required sign-in. The challenge names it only where the sign-in does not suffice. Absent: no
   * requirement.
   */
  readonly signIn?: { readonly acrValues: readonly string[] | null; readonly maxAgeSeconds: number | null };
};

/**
 * Every part is a constant, a scope (RFC 6749 §3.3), a class or a number of the route, or a URL in `URL`'s form. None
 * has a quote or a backslash.
 */
export function refused(reason: RefusalReason, facts: ChallengeFacts, missing: readonly string[] = []): Refused {
  const error = ERROR_OF[reason];
  const words: Readonly<Record<string, string>> = error === null ? {} : { error, error_description: WORDS[error] };
  const parts = {
    ...words,
    ...(facts.scopes.length > 0 && { scope: facts.scopes.join(' ') }),
    ...(error === 'insufficient_user_authentication' && facts.signIn && signInParts(facts.signIn)),
    ...(facts.metadataUrl !== null && { resource_metadata: facts.metadataUrl }),
  };
  return {
    kind: 'refused',
    status: error === null ? 401 : STATUS[error],
    error,
    reason,
    missing,
    headers: { 'www-authenticate': challengeOf(parts, facts.dpop ?? null), ...UNCACHED },
    body: missing.length === 0 ? words : { ...words, scope: facts.scopes.join(' '), missing: missing.join(' ') },
  };
}

/** RFC 9449 §7.1: under the scheme of the request. §7.2: a request without that scheme learns of it too. */
function challengeOf(
  parts: Readonly<Record<string, string>>,
  dpop: NonNullable<ChallengeFacts['dpop']> | null,
): string {
  if (dpop === null) return schemed('Bearer', parts);
  const algs = { algs: dpop.algorithms.join(' ') };
  if (dpop.isPresented) return schemed('DPoP', { ...parts, ...algs });
  return `${schemed('Bearer', parts)}, ${schemed('DPoP', algs)}`;
}

function schemed(scheme: string, parts: Readonly<Record<string, string>>): string {
  const named = Object.entries(parts).map(([name, value]) => `${name}="${value}"`);
  return named.length === 0 ? scheme : `${scheme} ${named.join(', ')}`;
}

const signInParts = ({
  acrValues,
  maxAgeSeconds,
}: NonNullable<ChallengeFacts['signIn']>): Readonly<Record<string, string>> => ({
  ...(acrValues !== null && { acr_values: acrValues.join(' ') }),
  ...(maxAgeSeconds !== null && { max_age: String(maxAgeSeconds) }),
});

/** @param retryAfterSeconds at least 1. */
export const unavailable = (reason: Unavailable['reason'], detail: string, retryAfterSeconds: number): Unavailable => ({
  kind: 'unavailable',
  status: 503,
  reason,
  detail,
  headers: { 'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds))), ...UNCACHED },
  body: {
    error: 'temporarily_unavailable',
    error_description: 'The API cannot check access tokens at the moment. It did not carry out the request: try again.',
  },
});
