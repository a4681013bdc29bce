/** Error codes of the endpoints: closed unions in the words of the standards. */

/**
 * RFC 6749 §5.2, RFC 8707 §2, RFC 9449 §5 and §8. `temporarily_unavailable` (§4.1.2.1) where the client may try again later:
 * `invalid_client` would mean that its secret is wrong, which the server did not check.
 */
export type TokenErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_dpop_proof'
  | 'use_dpop_nonce'
  | 'temporarily_unavailable';

/**
 * Sent by redirect, so without a status. RFC 6749 §4.1.2.1, RFC 8707 §2, OpenID Connect Core §3.1.2.6 and Unmet
 * Authentication Requirements §2.
 */
export type AuthorizationErrorCode =
  | 'invalid_request'
  | 'unauthorized_client'
  | 'access_denied'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'login_required'
  | 'consent_required'
  | 'unmet_authentication_requirements'
  // RFC 9101 §7.
  | 'invalid_request_object'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'registration_not_supported'
  | 'server_error'
  | 'temporarily_unavailable';

/** RFC 6749 §5.2: error_description MUST NOT include characters outside %x20-21 / %x23-5B / %x5D-7E. */
export const errorDescription = (text: string): string =>
  text.replace(/"/g, "'").replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?');
