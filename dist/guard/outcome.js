/** What a check says, as values: who was let in, or the answer for a request that was not (RFC 6750 §3). */
/** What depends on an Authorization header may be kept for no other (RFC 9111 §3.5, RFC 9110 §12.5.5). */
export const UNCACHED = { 'cache-control': 'no-store', vary: 'Authorization' };
const ERROR_OF = {
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
    proof_missing: 'invalid_token',
    proof_refused: 'invalid_token',
    token_inactive: 'invalid_token',
    scope_missing: 'insufficient_scope',
    sign_in_too_weak: 'insufficient_user_authentication',
    sign_in_too_old: 'insufficient_user_authentication',
};
const STATUS = {
    invalid_request: 400,
    invalid_token: 401,
    insufficient_scope: 403,
    insufficient_user_authentication: 401,
};
const WORDS = {
    invalid_request: 'Send one access token, in one Authorization header: Bearer, a space, the token.',
    invalid_token: 'The access token is not valid for this API: get another one.',
    insufficient_scope: 'The access token lacks a scope that this request needs.',
    insufficient_user_authentication: 'The end-user has to sign in again, more recently or more strongly.',
};
export const granted = (access) => ({ kind: 'granted', access, headers: UNCACHED });
/** Every part is a constant, a scope (RFC 6749 §3.3), a class or a number of the route, or a URL as `URL` writes it: none has a quote or a backslash. */
export function refused(reason, facts, missing = []) {
    const error = ERROR_OF[reason];
    const words = error === null ? {} : { error, error_description: WORDS[error] };
    const parts = {
        ...words,
        ...(facts.scopes.length > 0 && { scope: facts.scopes.join(' ') }),
        ...(error === 'insufficient_user_authentication' && facts.signIn && signInParts(facts.signIn)),
        ...(facts.metadataUrl !== null && { resource_metadata: facts.metadataUrl }),
    };
    const named = Object.entries(parts).map(([name, value]) => `${name}="${value}"`);
    const challenge = named.length === 0 ? 'Bearer' : `Bearer ${named.join(', ')}`;
    return {
        kind: 'refused',
        status: error === null ? 401 : STATUS[error],
        error,
        reason,
        missing,
        headers: { 'www-authenticate': challenge, ...UNCACHED },
        body: missing.length === 0 ? words : { ...words, scope: facts.scopes.join(' '), missing: missing.join(' ') },
    };
}
const signInParts = ({ acrValues, maxAgeSeconds, }) => ({
    ...(acrValues !== null && { acr_values: acrValues.join(' ') }),
    ...(maxAgeSeconds !== null && { max_age: String(maxAgeSeconds) }),
});
/** @param retryAfterSeconds at least 1. */
export const unavailable = (reason, detail, retryAfterSeconds) => ({
    kind: 'unavailable',
    status: 503,
    reason,
    detail,
    headers: { 'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds))), ...UNCACHED },
    body: {
        error: 'temporarily_unavailable',
        error_description: 'Access tokens cannot be checked at the moment. The request was not carried out: try again.',
    },
});
