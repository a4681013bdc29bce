import { calculateJwkThumbprint, createLocalJWKSet, decodeProtectedHeader, type JWK, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { type AccessTokenClaims, signAccessToken } from '../../../src/crypto/access-token.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import {
  kidOf,
  makeSigningKey,
  openSigningKey,
  requireRootSecretOf,
  resealSigningKey,
} from '../../../src/crypto/signing-keys.ts';
import { SIGNING_ALGORITHMS } from '../../../src/oauth/signing-algorithms.ts';

const FIRST = 'the first root secret, of at least 32 bytes';
const OTHER = 'the other root secret, of at least 32 bytes';
const keys = rootKeys([FIRST]);
const stored = await makeSigningKey(keys, 'ES256');

const claims: AccessTokenClaims = {
  iss: 'https://server.example',
  sub: 'a-user',
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

  test('is named by its thumbprint, and its public half contains no private member', async () => {
    expect(stored.kid).toBe(await calculateJwkThumbprint(stored.publicJwk as JWK));
    expect(Object.keys(stored.publicJwk).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  });

  // Members besides the required ones change no bit: `alg` and `kid` are in the RFC's example too.
  test.each([
    [
      'RFC 7638 §3.1',
      {
        kty: 'RSA',
        n: '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw',
        e: 'AQAB',
        alg: 'RS256',
        kid: '2011-04-29',
      },
      'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs',
    ],
    [
      'RFC 8037 appendix A.3',
      { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
      'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
    ],
  ])('has the thumbprint of the RFC in the example of %s', async (_, jwk, thumbprint) => {
    expect(await kidOf(jwk)).toBe(thumbprint);
  });

  test('is different each time', async () => {
    expect((await makeSigningKey(keys, 'ES256')).kid).not.toBe(stored.kid);
  });

  test('opens as long as its root secret is listed', async () => {
    await expect(openSigningKey(rootKeys([OTHER, FIRST]), stored)).resolves.toMatchObject({ kid: stored.kid });
  });

  test('otherwise fails with an error that names the key and the remedy, and no secret', async () => {
    const failure = await openSigningKey(rootKeys([OTHER]), stored).catch(String);
    expect(failure).toBe(
      `RootSecretError: The stored signing key ${stored.kid} was encrypted with a root secret (key id ${keys.first.id}) that ` +
        'STATEHOUSE_SECRET does not list. Add that secret to the end of the list: the first makes, all verify.',
    );
  });

  test('is encrypted again under the first root secret, once, and stays the same key', async () => {
    const rotated = rootKeys([OTHER, FIRST]);
    const privateJwe = await resealSigningKey(rotated, stored);
    if (privateJwe === null) throw new Error('not encrypted again');
    const resealed = { ...stored, privateJwe };
    const pem = async (...made: Parameters<typeof openSigningKey>) =>
      (await openSigningKey(...made)).privateKey.export({ type: 'pkcs8', format: 'pem' });
    expect(await pem(rootKeys([OTHER]), resealed)).toBe(await pem(keys, stored));
    expect(await resealSigningKey(rotated, resealed)).toBeNull();
    expect(await resealSigningKey(keys, stored)).toBeNull();
    await expect(resealSigningKey(rootKeys([OTHER]), stored)).rejects.toThrow('does not list');
  });

  test('is stored in AES-256-GCM under a key of the root secret that it names', () => {
    expect(decodeProtectedHeader(stored.privateJwe)).toEqual({ alg: 'dir', enc: 'A256GCM', kid: keys.first.id });
  });

  test('does not open after a change in the database', async () => {
    const [header = '', key = '', iv = '', text = '', tag = ''] = stored.privateJwe.split('.');
    const changed = (text.startsWith('A') ? 'B' : 'A') + text.slice(1);
    const privateJwe = [header, key, iv, changed, tag].join('.');
    await expect(openSigningKey(keys, { ...stored, privateJwe })).rejects.toThrow();
  });

  test('of every algorithm: its signatures are verified by its public half, and by no other', async () => {
    for (const alg of SIGNING_ALGORITHMS) {
      const made = await makeSigningKey(keys, alg);
      const other = await makeSigningKey(keys, alg);
      const token = signAccessToken(await openSigningKey(keys, made), claims);
      const verify = (...jwks: JWK[]) =>
        jwtVerify(token, createLocalJWKSet({ keys: jwks }), { currentDate: new Date(claims.iat * 1000) });
      const { protectedHeader, payload } = await verify(other.publicJwk as JWK, made.publicJwk as JWK);
      expect({ protectedHeader, payload }).toEqual({
        protectedHeader: { alg, typ: 'at+jwt', kid: made.kid },
        payload: claims,
      });
      await expect(verify({ ...other.publicJwk, kid: made.kid } as JWK)).rejects.toThrow(
        'signature verification failed',
      );
      expect(made.publicJwk).toMatchObject({ kid: made.kid, alg, use: 'sig' });
      for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi']) expect(made.publicJwk).not.toHaveProperty(secret);
    }
  });

  // RFC 7638 §3.1.
  test("has the thumbprint of the RFC's example", async () => {
    const n =
      '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMs' +
      'tn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1' +
      'n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw';
    const jwk = { kty: 'RSA', n, e: 'AQAB', alg: 'RS256', kid: '2011-04-29' };
    expect(await kidOf(jwk)).toBe('NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs');
  });

  test('has a name that no command line takes for an option', async () => {
    const made = await Promise.all(Array.from({ length: 400 }, () => makeSigningKey(keys, 'ES256')));
    expect(made.filter(({ kid }) => kid.startsWith('-'))).toEqual([]);
  });

  test('needs no root secret once its private half is erased', () => {
    expect(() => requireRootSecretOf(rootKeys([OTHER]), { ...stored, privateJwe: null })).not.toThrow();
    expect(() => requireRootSecretOf(rootKeys([OTHER]), stored)).toThrow('does not list');
  });
});
