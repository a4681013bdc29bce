import { calculateJwkThumbprint, createLocalJWKSet, type JWK, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { type AccessTokenClaims, signAccessToken } from '../../src/crypto/access-token.ts';
import { rootKeys } from '../../src/crypto/root-secret.ts';
import { makeSigningKey, openSigningKey } from '../../src/crypto/signing-keys.ts';

const FIRST = 'the first root secret, of at least 32 bytes';
const OTHER = 'the other root secret, of at least 32 bytes';
const keys = rootKeys([FIRST]);
const stored = await makeSigningKey(keys, 'ES256');

const claims: AccessTokenClaims = {
  iss: 'https://server.example',
  sub: 'somebody',
  aud: 'https://api.example',
  client_id: 'client',
  scope: 'read',
  jti: 'token-1',
  iat: 1_900_000_000,
  exp: 1_900_000_300,
};

describe('a signing key', () => {
  test('signs access tokens that its public half verifies', async () => {
    const token = await signAccessToken(await openSigningKey(keys, stored), claims);
    const jwks = createLocalJWKSet({ keys: [stored.publicJwk as JWK] });
    const currentDate = new Date(claims.iat * 1000);
    const { payload, protectedHeader } = await jwtVerify(token, jwks, {
      currentDate,
      typ: 'at+jwt',
      issuer: claims.iss,
    });
    expect(payload).toEqual(claims);
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: stored.kid });
  });

  test('is named by its thumbprint, and its public half holds nothing private', async () => {
    expect(stored.kid).toBe(await calculateJwkThumbprint(stored.publicJwk as JWK));
    expect(Object.keys(stored.publicJwk).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  });

  test('is another one each time', async () => {
    expect((await makeSigningKey(keys, 'ES256')).kid).not.toBe(stored.kid);
  });

  test('opens as long as the root secret that encrypted it is listed', async () => {
    await expect(openSigningKey(rootKeys([OTHER, FIRST]), stored)).resolves.toMatchObject({ kid: stored.kid });
  });

  test('otherwise the error names the key and what to do, and no secret', async () => {
    const failure = await openSigningKey(rootKeys([OTHER]), stored).catch(String);
    expect(failure).toContain(stored.kid);
    expect(failure).toContain(keys.first.id);
    expect(failure).toContain('STATEHOUSE_SECRET');
    expect(failure).not.toContain(OTHER);
  });

  test('that was changed in the database does not open', async () => {
    const [header = '', key = '', iv = '', text = '', tag = ''] = stored.privateJwe.split('.');
    const changed = (text.startsWith('A') ? 'B' : 'A') + text.slice(1);
    const privateJwe = [header, key, iv, changed, tag].join('.');
    await expect(openSigningKey(keys, { ...stored, privateJwe })).rejects.toThrow();
  });
});
