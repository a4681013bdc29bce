/** The answer to each reason: a client acts on the error and the status. */
import { describe, expect, it } from 'vitest';
import { errorDescription } from '../../../src/oauth/errors.ts';
import { REFUSALS, type TokenReason } from '../../../src/oauth/refusals.ts';

const ANSWERS: Readonly<Record<string, readonly TokenReason[]>> = {
  '400 invalid_request': [
    'content_type',
    'malformed_body',
    'too_many_parameters',
    'repeated_parameter',
    'missing_parameter',
    'malformed_parameter',
    'two_client_authentications',
    'client_certificate_missing',
  ],
  '408 invalid_request': ['body_too_late'],
  '413 invalid_request': ['body_too_large'],
  '401 invalid_client': [
    'public_client_introspection',
    'malformed_client_authentication',
    'client_unknown',
    'client_authentication_missing',
    'client_secret_mismatch',
    'client_has_no_secret',
    'client_has_no_key',
    'client_has_no_workload',
    'workload_issuer_mismatch',
    'workload_subject_mismatch',
    'client_key_unknown',
    'client_keys_unavailable',
    'client_key_not_named',
    'client_assertion_type_unknown',
    'client_assertion_malformed',
    'client_assertion_algorithm',
    'client_assertion_issuer',
    'client_assertion_audience',
    'client_assertion_for_token_endpoint',
    'client_assertion_times',
    'client_assertion_without_jti',
    'client_assertion_other_algorithm',
    'client_assertion_mismatch',
    'client_assertion_expired',
    'client_assertion_lives_too_long',
    'client_assertion_from_future',
    'client_assertion_reused',
    'workload_token_subject',
    'workload_token_audience',
    'workload_token_lives_too_long',
    'client_certificate_not_sent',
    'client_certificate_malformed',
    'client_certificate_expired',
    'client_certificate_not_yet_valid',
    'client_certificate_untrusted',
    'client_certificate_mismatch',
    'client_certificate_authorities_missing',
  ],
  // RFC 9449 §12.2.
  '400 invalid_dpop_proof': ['dpop_proof_invalid', 'dpop_proof_missing'],
  '400 use_dpop_nonce': ['dpop_nonce_missing'],
  '429 temporarily_unavailable': [
    'client_throttled',
    'client_rate_exceeded',
    'address_rate_exceeded',
    'too_many_pushed_requests',
  ],
  '400 unsupported_grant_type': ['unknown_grant_type'],
  '400 unauthorized_client': ['grant_type_not_allowed', 'public_client_credentials', 'profile_not_kept'],
  '400 invalid_scope': [
    'scope_malformed',
    'scope_unknown',
    'scope_not_allowed',
    'scope_of_other_resource',
    'management_scope_missing',
    'scope_exceeds_grant',
  ],
  '400 invalid_target': [
    'resource_unknown',
    'resource_not_named',
    'management_not_alone',
    'resources_differ_in_signature',
    'resource_outside_profile',
    'resource_without_userinfo',
    'resource_exceeds_grant',
  ],
  '400 invalid_grant': [
    'authorization_code_unknown',
    'refresh_token_unknown',
    'refresh_token_malformed',
    'refresh_token_forged',
    'refresh_token_unknown_key',
    'client_mismatch',
    'dpop_key_mismatch',
    'redirect_uri_mismatch',
    'code_verifier_mismatch',
    'authorization_code_expired',
    'authorization_code_reused',
    'refresh_token_expired',
    'refresh_token_reused',
    'newer_token_issued',
    'chain_behind_token',
    'refresh_not_allowed',
    'grant_has_nothing_left',
    'grant_revoked',
    'client_ended',
    'user_ended',
    'server_epoch_raised',
  ],
};

/** The difference would reveal how far a stolen value or a guess got. */
const ALIKE: readonly (readonly TokenReason[])[] = [
  ['authorization_code_unknown', 'authorization_code_expired', 'authorization_code_reused'],
  [
    'refresh_token_unknown',
    'refresh_token_malformed',
    'refresh_token_forged',
    'refresh_token_unknown_key',
    'refresh_token_expired',
    'refresh_token_reused',
    'chain_behind_token',
  ],
  [
    'client_unknown',
    'client_authentication_missing',
    'client_secret_mismatch',
    'client_has_no_secret',
    'client_has_no_key',
    'client_has_no_workload',
    'workload_issuer_mismatch',
    'workload_subject_mismatch',
    'client_key_unknown',
    'client_keys_unavailable',
    'client_key_not_named',
    'client_assertion_other_algorithm',
    'client_assertion_mismatch',
    'client_certificate_not_sent',
    'client_certificate_untrusted',
    'client_certificate_mismatch',
    'client_certificate_authorities_missing',
  ],
  ['grant_revoked', 'client_ended', 'user_ended', 'server_epoch_raised'],
];

describe('an OAuth error', () => {
  it('has the code and the status of the standards, for every reason', () => {
    const answers = Object.entries(REFUSALS).map(([reason, { status, error }]) => [reason, `${status} ${error}`]);
    const expected = Object.entries(ANSWERS).flatMap(([answer, reasons]) => reasons.map((reason) => [reason, answer]));
    expect(Object.fromEntries(answers)).toEqual(Object.fromEntries(expected));
  });

  it.each(ALIKE)('does not distinguish %s from %s', (...reasons) => {
    expect(new Set(reasons.map((reason) => JSON.stringify(REFUSALS[reason]))).size).toBe(1);
  });

  it('otherwise has a description of its own', () => {
    const alike = new Set(ALIKE.flatMap(([, ...rest]) => rest));
    const reasons = (Object.keys(REFUSALS) as TokenReason[]).filter((reason) => !alike.has(reason));
    expect(new Set(reasons.map((reason) => REFUSALS[reason].description)).size).toBe(reasons.length);
  });

  it.each(Object.entries(REFUSALS))('has a description for %s in characters that may be sent', (_, { description }) => {
    expect(description).toMatch(/^[A-Za-z_]+:? .+\.$/);
    expect(errorDescription(description)).toBe(description);
  });

  it('names the bound, and the supported values', () => {
    expect(REFUSALS.too_many_parameters.description).toContain('100 parameters');
    expect(REFUSALS.unknown_grant_type.description).toBe(
      'Supported: authorization_code, refresh_token, client_credentials.',
    );
  });
});
