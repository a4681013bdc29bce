/** The required form of a token response and an access token. */
import assert from 'node:assert/strict';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import type { Reply } from './http.ts';
import type { Tokens } from './requests.ts';
import { ACCESS_TOKEN_SECONDS, CLIENT_ID, RESOURCE, SCOPE } from './setting.ts';
import type { Target } from './targets/target.ts';

export function issued({ status, text, headers }: Reply): Tokens {
  assert.equal(status, 200, text);
  assert.equal(headers['cache-control'], 'no-store');
  const answer = JSON.parse(text) as Tokens & { token_type: string; expires_in: number; scope: string };
  assert.equal(answer.token_type, 'Bearer');
  assert.equal(answer.expires_in, ACCESS_TOKEN_SECONDS);
  assert.equal(answer.scope, SCOPE.join(' '));
  return answer;
}

export function refused({ status, text }: Reply, what: string): void {
  assert.equal(status, 400, `${what}: ${text}`);
  assert.equal((JSON.parse(text) as { error: string }).error, 'invalid_grant', what);
}

/** RFC 9068. */
export async function verifyAccessToken({ jwksUrl }: Target, token: string, subject: string): Promise<void> {
  const keys = createLocalJWKSet((await (await fetch(jwksUrl)).json()) as JSONWebKeySet);
  const { payload } = await jwtVerify(token, keys, {
    algorithms: ['ES256'],
    typ: 'at+jwt',
    audience: RESOURCE,
    subject,
    requiredClaims: ['iss', 'jti', 'iat', 'exp'],
  });
  assert.equal(payload['client_id'], CLIENT_ID);
  assert.equal(payload['scope'], SCOPE.join(' '));
  assert.equal((payload.exp ?? 0) - (payload.iat ?? 0), ACCESS_TOKEN_SECONDS);
}
