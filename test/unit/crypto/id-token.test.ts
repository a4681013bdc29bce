/** at_hash: the examples of OpenID Connect Core, and the hash that Ed25519 has (RFC 8032). */
import { createHash, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { accessTokenHash, signIdToken } from '../../../src/crypto/id-token.ts';

describe('at_hash (OpenID Connect Core §3.1.3.6)', () => {
  it.each(['RS256', 'ES256'] as const)('%s: the example of Core appendix A.4', (alg) => {
    expect(accessTokenHash(alg, 'jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y')).toBe('77QmUPtjPfzWtF2AnpK9RQ');
  });

  it('EdDSA: 32 octets, of SHA-512', () => {
    const half = createHash('sha512').update('a-token').digest().subarray(0, 32);
    expect(accessTokenHash('EdDSA', 'a-token')).toBe(half.toString('base64url'));
  });
});

it('an ID Token has the type JWT, which resource servers do not accept as an access token (RFC 9068 §4)', () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const claims = { iss: 'https://as.test', sub: 's', aud: 'c', iat: 1, exp: 2, auth_time: 1, at_hash: 'h', acr: '0' };
  const token = signIdToken({ kid: 'k', alg: 'EdDSA', privateKey }, { ...claims, amr: ['pwd'], sid: 's' });
  const header = Buffer.from(token.split('.')[0] ?? '', 'base64url').toString();
  expect(JSON.parse(header)).toEqual({ alg: 'EdDSA', typ: 'JWT', kid: 'k' });
});
