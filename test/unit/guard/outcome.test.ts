/** RFC 6750 §3: the answer to the caller of an API, for each reason in its log. */
import { expect, it } from 'vitest';
import { type RefusalReason, refused, unavailable } from '../../../src/guard/outcome.ts';

const FACTS = { scopes: ['read', 'write'], metadataUrl: 'https://api.example/metadata' };
const UNCACHED = { 'cache-control': 'no-store', vary: 'Authorization' };
const ABOUT = 'scope="read write", resource_metadata="https://api.example/metadata"';

const ANSWERS = {
  invalid_request: [400, 'Send one access token, in one Authorization header: Bearer, a space, the token.'],
  invalid_token: [401, 'The access token is not valid for this API: get another one.'],
  insufficient_scope: [403, 'The access token lacks a scope that this request needs.'],
} as const;

it.each<[keyof typeof ANSWERS, readonly RefusalReason[]]>([
  ['invalid_request', ['more_than_one_method', 'malformed_credentials']],
  [
    'invalid_token',
    [
      ...(['token_too_long', 'token_malformed', 'critical_header', 'other_typ', 'other_algorithm'] as const),
      ...(['unknown_key', 'wrong_signature', 'other_issuer', 'other_audience', 'expired', 'not_yet_valid'] as const),
      ...(['claim_missing', 'proof_missing', 'proof_refused', 'token_inactive'] as const),
    ],
  ],
  ['insufficient_scope', ['scope_missing']],
])('%s tells the caller what to do next, whatever the reason', (error, reasons) => {
  const [status, words] = ANSWERS[error];
  for (const reason of reasons)
    expect(refused(reason, FACTS)).toEqual({
      kind: 'refused',
      status,
      error,
      reason,
      missing: [],
      headers: { 'www-authenticate': `Bearer error="${error}", error_description="${words}", ${ABOUT}`, ...UNCACHED },
      body: { error, error_description: words },
    });
});

it('a request without credentials gets the requirements, and no error code', () => {
  const refusal = { kind: 'refused', status: 401, error: null, reason: 'no_credentials', missing: [], body: {} };
  expect(refused('no_credentials', FACTS)).toEqual({
    ...refusal,
    headers: { 'www-authenticate': `Bearer ${ABOUT}`, ...UNCACHED },
  });
  expect(refused('no_credentials', { scopes: [], metadataUrl: null })).toEqual({
    ...refusal,
    headers: { 'www-authenticate': 'Bearer', ...UNCACHED },
  });
});

it('a missing scope is named with all scopes of the request', () => {
  expect(refused('scope_missing', FACTS, ['write']).body).toEqual({
    error: 'insufficient_scope',
    error_description: ANSWERS.insufficient_scope[1],
    scope: 'read write',
    missing: 'write',
  });
});

it.each([
  [0, '1'],
  [1, '1'],
  [1.2, '2'],
  [5, '5'],
])('an unavailable check may be retried after %d seconds: %s', (seconds, header) => {
  expect(unavailable('keys', 'for the log', seconds)).toEqual({
    kind: 'unavailable',
    status: 503,
    reason: 'keys',
    detail: 'for the log',
    headers: { 'retry-after': header, ...UNCACHED },
    body: {
      error: 'temporarily_unavailable',
      error_description:
        'The API cannot check access tokens at the moment. It did not carry out the request: try again.',
    },
  });
});
