/**
 * One table from the reason of a rejected token request to the response. The precise reason goes to log and ledger. The
 * client sees the OAuth error and a description that helps its developer, but not an attacker.
 */
import type { TokenRejectReason } from '../../machines/shared/facts.ts';
import type { TokenErrorCode } from './errors.ts';
import { JWT_BEARER, JWT_SPIFFE, MAX_PARAMETERS } from './parameters.ts';

/** Reasons that arise before a machine decides. */
export type RequestReason =
  | 'content_type'
  | 'malformed_body'
  | 'body_too_large'
  | 'body_too_late'
  | 'too_many_parameters'
  | 'repeated_parameter'
  | 'missing_parameter'
  | 'malformed_parameter'
  | 'unknown_grant_type'
  | 'grant_type_not_allowed'
  | 'public_client_credentials'
  | 'profile_not_kept'
  | 'public_client_introspection'
  | 'malformed_client_authentication'
  | 'two_client_authentications'
  | 'client_unknown'
  | 'client_authentication_missing'
  | 'client_secret_mismatch'
  | 'client_has_no_secret'
  | 'client_has_no_key'
  | 'client_key_unknown'
  | 'client_keys_unavailable'
  | 'client_key_not_named'
  | 'client_assertion_type_unknown'
  | 'client_assertion_malformed'
  | 'client_assertion_algorithm'
  | 'client_assertion_issuer'
  | 'client_assertion_audience'
  | 'client_assertion_for_token_endpoint'
  | 'client_assertion_times'
  | 'client_assertion_without_jti'
  | 'client_assertion_other_algorithm'
  | 'client_assertion_mismatch'
  | 'client_assertion_expired'
  | 'client_assertion_lives_too_long'
  | 'client_assertion_from_future'
  | 'client_assertion_reused'
  | 'client_has_no_workload'
  | 'workload_issuer_mismatch'
  | 'workload_subject_mismatch'
  | 'workload_token_subject'
  | 'workload_token_audience'
  | 'workload_token_lives_too_long'
  | 'client_certificate_malformed'
  | 'client_certificate_expired'
  | 'client_certificate_not_yet_valid'
  | 'client_certificate_untrusted'
  | 'client_certificate_mismatch'
  | 'client_certificate_authorities_missing'
  | 'client_certificate_not_sent'
  | 'client_throttled'
  | 'client_rate_exceeded'
  | 'address_rate_exceeded'
  | 'too_many_pushed_requests'
  | 'authorization_code_unknown'
  | 'refresh_token_unknown'
  | 'refresh_token_malformed'
  | 'refresh_token_forged'
  | 'refresh_token_unknown_key'
  | 'scope_malformed'
  | 'scope_unknown'
  | 'scope_not_allowed'
  | 'scope_of_other_resource'
  | 'management_scope_missing'
  | 'management_not_alone'
  | 'resource_unknown'
  | 'resource_not_named'
  | 'resources_differ_in_signature'
  | 'resource_outside_profile'
  | 'resource_without_userinfo';

export type TokenReason = TokenRejectReason | RequestReason;

export type Refusal = {
  readonly error: TokenErrorCode;
  /** 400, and 401 for `invalid_client` (RFC 6749 §5.2). 408, 413 and 429 where HTTP has a more precise status. */
  readonly status: 400 | 401 | 408 | 413 | 429;
  readonly description: string;
};

const request = (description: string, status: Refusal['status'] = 400): Refusal => ({
  error: 'invalid_request',
  status,
  description,
});
const client = (description: string): Refusal => ({ error: 'invalid_client', status: 401, description });
const grant = (description: string): Refusal => ({ error: 'invalid_grant', status: 400, description });
const scope = (description: string): Refusal => ({ error: 'invalid_scope', status: 400, description });
const target = (description: string): Refusal => ({ error: 'invalid_target', status: 400, description });

const proof = (description: string): Refusal => ({ error: 'invalid_dpop_proof', status: 400, description });

/** The same text for every reason that would show a thief their progress. */
const CODE_NOT_VALID =
  'The authorization code is not valid: it is unknown, expired, already used, revoked, or bound to other values.';
const TOKEN_NOT_VALID =
  'The refresh token is not valid: it is unknown, expired, already used, revoked, or bound to another client. Do not try it again.';
const GRANT_REVOKED = 'The grant has been revoked. Do not try again: the end-user has to sign in.';
const CLIENT_NOT_AUTHENTICATED = 'Client authentication failed.';

const tooMany = (description: string): Refusal => ({ error: 'temporarily_unavailable', status: 429, description });

export const REFUSALS: Readonly<Record<TokenReason, Refusal>> = {
  content_type: request('The body must be application/x-www-form-urlencoded.'),
  malformed_body: request('The body is not well-formed application/x-www-form-urlencoded data in UTF-8.'),
  body_too_large: request('The body is larger than this endpoint accepts.', 413),
  body_too_late: request('The body did not arrive in time. Nothing was changed. Try again.', 408),
  too_many_parameters: request(`The request has more than ${MAX_PARAMETERS} parameters.`),
  repeated_parameter: request('A parameter is repeated.'),
  missing_parameter: request('A required parameter is missing.'),
  malformed_parameter: request('A parameter has a value that it cannot have.'),
  unknown_grant_type: {
    error: 'unsupported_grant_type',
    status: 400,
    description: 'Supported: authorization_code, refresh_token, client_credentials.',
  },
  grant_type_not_allowed: {
    error: 'unauthorized_client',
    status: 400,
    description: 'This client is not registered for this grant type.',
  },
  public_client_credentials: {
    error: 'unauthorized_client',
    status: 400,
    description: 'Public clients cannot use client credentials.',
  },
  profile_not_kept: {
    error: 'unauthorized_client',
    status: 400,
    description: 'This client breaks a rule of the profile that its policy names; statehouse check names the rule.',
  },
  public_client_introspection: client('Public clients cannot introspect.'),
  malformed_client_authentication: client('The Authorization header is not well-formed Basic authentication.'),
  two_client_authentications: request('The client authenticated in more than one way, or as more than one client.'),
  client_unknown: client(CLIENT_NOT_AUTHENTICATED),
  client_authentication_missing: client(CLIENT_NOT_AUTHENTICATED),
  client_secret_mismatch: client(CLIENT_NOT_AUTHENTICATED),
  client_has_no_secret: client(CLIENT_NOT_AUTHENTICATED),
  client_has_no_key: client(CLIENT_NOT_AUTHENTICATED),
  client_key_unknown: client(CLIENT_NOT_AUTHENTICATED),
  client_keys_unavailable: client(CLIENT_NOT_AUTHENTICATED),
  client_key_not_named: client(CLIENT_NOT_AUTHENTICATED),
  client_assertion_other_algorithm: client(CLIENT_NOT_AUTHENTICATED),
  client_assertion_mismatch: client(CLIENT_NOT_AUTHENTICATED),
  client_assertion_type_unknown: client(
    `client_assertion_type must be ${JWT_BEARER}, or ${JWT_SPIFFE} with a JWT-SVID.`,
  ),
  client_assertion_malformed: client('The client assertion is not a well-formed signed JWT.'),
  client_assertion_algorithm: client('The client assertion is not signed with an algorithm of this server.'),
  client_assertion_issuer: client(
    'iss and sub of the client assertion must both be the client_id. With the token of a workload, send client_id too.',
  ),
  client_assertion_audience: client('aud of the client assertion must be the issuer of this server, as one string.'),
  client_assertion_for_token_endpoint: client(
    'aud of the client assertion must be the issuer of this server. The policy of this client does not accept the token endpoint.',
  ),
  client_assertion_times: client('The client assertion needs exp; exp, nbf and iat are seconds since 1970.'),
  client_assertion_without_jti: client('The client assertion needs a jti of at most 512 characters.'),
  client_assertion_expired: client('The client assertion has expired.'),
  client_assertion_lives_too_long: client('exp of the client assertion is more than five minutes in the future.'),
  client_assertion_from_future: client('nbf or iat of the client assertion is in the future.'),
  client_assertion_reused: client('The jti of the client assertion was used before: sign one for each request.'),
  client_has_no_workload: client(CLIENT_NOT_AUTHENTICATED),
  workload_issuer_mismatch: client(CLIENT_NOT_AUTHENTICATED),
  workload_subject_mismatch: client(CLIENT_NOT_AUTHENTICATED),
  workload_token_subject: client('The token of a workload needs sub; sub of a JWT-SVID is a SPIFFE ID.'),
  workload_token_audience: client(
    'aud of the token of a workload must be the issuer of this server, and nothing else.',
  ),
  workload_token_lives_too_long: client('exp of the token of a workload is more than 24 hours in the future.'),
  client_certificate_malformed: client('The TLS client certificate cannot be read.'),
  client_certificate_expired: client('The TLS client certificate has expired.'),
  client_certificate_not_yet_valid: client('The TLS client certificate is not valid yet.'),
  client_certificate_not_sent: client(CLIENT_NOT_AUTHENTICATED),
  client_certificate_untrusted: client(CLIENT_NOT_AUTHENTICATED),
  client_certificate_mismatch: client(CLIENT_NOT_AUTHENTICATED),
  client_certificate_authorities_missing: client(CLIENT_NOT_AUTHENTICATED),
  client_throttled: tooMany(
    'Too many wrong client secrets for this client from this address. The server did not check this one.',
  ),
  client_rate_exceeded: tooMany('This client sends more token requests than its rate limit allows.'),
  address_rate_exceeded: tooMany('This address sends more token requests than its rate limit allows.'),
  too_many_pushed_requests: tooMany('So many pushed requests of this client are open that it has to wait.'),
  authorization_code_unknown: grant(CODE_NOT_VALID),
  refresh_token_unknown: grant(TOKEN_NOT_VALID),
  refresh_token_malformed: grant(TOKEN_NOT_VALID),
  refresh_token_forged: grant(TOKEN_NOT_VALID),
  refresh_token_unknown_key: grant(TOKEN_NOT_VALID),
  scope_malformed: scope('It is not a list of scope tokens separated by spaces.'),
  scope_unknown: scope('This scope is unknown.'),
  scope_not_allowed: scope('This scope is more than the client may ask for.'),
  scope_of_other_resource: scope('This scope is known, but not at the requested resources.'),
  management_scope_missing: scope('A request for the management API names its scopes, and the API as resource.'),
  management_not_alone: target('The management API is asked for alone: its tokens are for no other API.'),
  resource_unknown: target('A resource is unknown, malformed, or was not requested.'),
  resource_not_named: target('The request names no resource, and its scope fits more than one or none.'),

  resources_differ_in_signature: target(
    'These resources need different signatures, and an access token has one: request one resource at a time.',
  ),
  resource_outside_profile: target(
    'A resource has its access tokens signed with RS256, which the profile of this client does not have.',
  ),
  resource_without_userinfo: target(
    'Tokens for this resource do not open the UserInfo Endpoint: ask for a token for one of them at a time.',
  ),

  client_mismatch: grant('It was issued to another client.'),
  dpop_proof_invalid: proof(
    'The DPoP proof is not valid: it is malformed, too old, used before, or for another method, URL or key.',
  ),
  dpop_proof_missing: proof('This client gets DPoP-bound access tokens alone: send one DPoP header.'),
  dpop_nonce_missing: {
    error: 'use_dpop_nonce',
    status: 400,
    description: 'Repeat the request with a new DPoP proof that has the nonce of the DPoP-Nonce header.',
  },
  client_certificate_missing: request(
    'This client gets certificate-bound access tokens alone: connect with its TLS client certificate, in the period of its validity.',
  ),
  dpop_key_mismatch: grant(
    'It is bound to a key: send a DPoP proof that this key signs, or connect with the TLS client certificate to which it is bound.',
  ),
  redirect_uri_mismatch: grant('redirect_uri is not the one of the authorization request.'),
  code_verifier_mismatch: grant('code_verifier does not match the code_challenge.'),
  authorization_code_expired: grant(CODE_NOT_VALID),
  authorization_code_reused: grant(CODE_NOT_VALID),
  refresh_token_expired: grant(TOKEN_NOT_VALID),
  refresh_token_reused: grant(TOKEN_NOT_VALID),
  newer_token_issued: grant('A newer token was issued to this client: use that one.'),
  chain_behind_token: grant(TOKEN_NOT_VALID),
  refresh_not_allowed: grant('This client may no longer refresh this grant.'),
  grant_has_nothing_left: grant('The client may no longer use any of the access that the resource owner granted.'),
  scope_exceeds_grant: scope('The scope is more than the resource owner granted.'),
  resource_exceeds_grant: target('The resource is not one that the resource owner granted.'),
  grant_revoked: grant(GRANT_REVOKED),
  client_ended: grant(GRANT_REVOKED),
  user_ended: grant(GRANT_REVOKED),
  server_epoch_raised: grant(GRANT_REVOKED),
};
