import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { loadConfiguration } from '../../../src/config/load.ts';
import { readClientMetadata, toNames } from '../../../src/registration/client-metadata.ts';
import { testKey } from '../../support/client-keys.ts';

const configuration = loadConfiguration(new URL('../../../policies', import.meta.url).pathname, 'https://as.test');
const service = {
  client_id: 'billing',
  grant_types: ['client_credentials'],
  token_endpoint_auth_method: 'private_key_jwt',
};
const read = (change: object) => readClientMetadata({ ...service, ...change }, configuration, false);
const withKeys = (...keys: readonly object[]) => read({ jwks: { keys } });

function refused(reading: ReturnType<typeof read>): string {
  if (reading.ok) throw new Error('was accepted');
  return reading.problems.map((one) => `${one.key}: ${one.found} / ${one.allowed}`).join('\n');
}

const key = testKey();
const privateJwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
const jwkOf = (bits: number) => generateKeyPairSync('rsa', { modulusLength: bits }).publicKey.export({ format: 'jwk' });

describe('the keys of a client with private_key_jwt', () => {
  it.each(['ES256', 'EdDSA', 'PS256'])('may be for %s, and come back as they were sent', (alg) => {
    const { jwk } = testKey(alg);
    const reading = withKeys({ ...jwk, use: 'sig', alg, x5u: 'left out' });
    expect(reading).toMatchObject({ ok: true, warnings: [], value: { secret: null } });
    if (reading.ok) expect(toNames(reading.value)['jwks']).toEqual({ keys: [{ ...jwk, use: 'sig', alg }] });
  });

  it.each([
    ['neither', {}, 'token_endpoint_auth_method: "private_key_jwt" without keys'],
    ['both', { jwks: { keys: [key.jwk] }, jwks_uri: 'https://shop.example/keys' }, 'jwks_uri: a value beside jwks'],
    ['a secret', { jwks: { keys: [key.jwk] }, client_secret: 'x'.repeat(40) }, 'client_secret: a secret'],
    ['no key', { jwks: { keys: [] } }, 'jwks.keys'],
    ['eleven keys', { jwks: { keys: Array(11).fill(key.jwk) } }, 'jwks.keys'],
    ['a text', { jwks: '{"keys":[]}' }, 'jwks'],
    ['an address of http', { jwks_uri: 'http://shop.example/keys' }, 'jwks_uri'],
    [
      'an algorithm of no key',
      { jwks: { keys: [key.jwk] }, token_endpoint_auth_signing_alg: 'PS256' },
      'token_endpoint_auth_signing_alg',
    ],
    [
      'a MAC',
      { jwks: { keys: [key.jwk] }, token_endpoint_auth_signing_alg: 'HS256' },
      'token_endpoint_auth_signing_alg',
    ],
  ])('are refused: %s', (_, change, words) => {
    expect(refused(read(change))).toContain(words);
  });

  it('need a kid of their own where there are several (OpenID Connect Core §10.1)', () => {
    const [first, second] = [testKey('ES256', 'first'), testKey('EdDSA', 'second')];
    expect(withKeys(first.jwk, second.jwk).ok).toBe(true);
    expect(refused(withKeys(first.jwk, { ...second.jwk, kid: 'first' }))).toContain('jwks.keys.1.kid: "first"');
    const { kid: _, ...unnamed } = second.jwk;
    expect(refused(withKeys(first.jwk, unnamed))).toContain('jwks.keys.1.kid');
    expect(withKeys(unnamed).ok).toBe(true);
  });

  it.each([
    ['a private key', privateJwk, 'd'],
    [
      'a private RSA key',
      generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
      'd',
    ],
  ])('are public: %s is refused, and not printed', (_, jwk, member) => {
    const words = refused(withKeys(jwk));
    expect(words).toContain(`jwks.keys.0.${member}: a text of`);
    expect(words).toContain('no private or symmetric key');
    for (const name of ['d', 'p', 'q', 'dp', 'dq', 'qi'] as const) {
      if (jwk[name] !== undefined) expect(words).not.toContain(jwk[name]);
    }
  });

  it('are public: a secret of a MAC is refused, and not printed', () => {
    const words = refused(withKeys({ kty: 'oct', k: 'c2VjcmV0IHNlY3JldA' }));
    expect(words).toContain('jwks.keys.0.k');
    expect(words).not.toContain('c2VjcmV0');
  });

  it.each([
    ['another curve', generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey.export({ format: 'jwk' })],
    ['a key for encryption', { ...key.jwk, use: 'enc' }],
    ['a key that signs', { ...key.jwk, key_ops: ['sign'] }],
    ['a point beside the curve', { ...key.jwk, y: key.jwk['x'] }],
    ['a missing coordinate', { ...key.jwk, y: undefined }],
    ['a curve of another kind', { ...key.jwk, kty: 'OKP' }],
    ['an algorithm of another kind', { ...key.jwk, alg: 'EdDSA' }],
    ['1024 bits', jwkOf(1024)],
    ['8192 bits', { kty: 'RSA', e: 'AQAB', n: 'x'.repeat(1366) }],
    ['the exponent 3', { ...jwkOf(2048), e: 'Aw' }],
    ['an exponent of 33 bits', { ...jwkOf(2048), e: 'AQAAAAE' }],
    ['an exponent that makes a check expensive', { ...jwkOf(3072), e: jwkOf(2048).n }],
    ['a text of 4 KB', { ...key.jwk, x: 'x'.repeat(4096) }],
    ['a name of 4 KB', { ...key.jwk, kid: 'x'.repeat(4096) }],
  ])('are refused: %s', (_, jwk) => {
    expect(refused(withKeys(jwk))).toContain('jwks.keys.0');
  });

  it('may have an exponent of 32 bits', () => {
    expect(withKeys({ ...jwkOf(2048), e: '_____w' }).ok).toBe(true);
  });

  it('are for request objects with another method, and a warning names the algorithm of assertions', () => {
    const change = { token_endpoint_auth_method: 'client_secret_basic', jwks_uri: 'https://shop.example/keys' };
    expect(read({ ...change, request_object_signing_alg: 'PS256' })).toMatchObject({ ok: true, warnings: [] });
    expect(read({ ...change, token_endpoint_auth_signing_alg: 'PS256' })).toMatchObject({
      ok: true,
      warnings: [
        'token_endpoint_auth_signing_alg: not used without token_endpoint_auth_method "private_key_jwt" or "workload_jwt"',
      ],
    });
  });

  it('are needed where requests are signed, and have to have the algorithm of request objects', () => {
    const secret = { token_endpoint_auth_method: 'client_secret_basic' };
    expect(refused(read({ ...secret, require_signed_request_object: true }))).toContain(
      'require_signed_request_object: true without keys',
    );
    expect(read({ ...secret, request_object_signing_alg: 'ES256' })).toMatchObject({
      ok: true,
      warnings: ['request_object_signing_alg: not used without keys in jwks, or at jwks_uri'],
    });
    expect(refused(read({ jwks: { keys: [key.jwk] }, request_object_signing_alg: 'PS256' }))).toContain(
      'request_object_signing_alg: "PS256" / an algorithm of one of the keys in jwks',
    );
  });

  it('sign no response for which this server has no key', () => {
    const change = { jwks: { keys: [key.jwk] }, authorization_signed_response_alg: 'EdDSA' };
    expect(refused(read(change))).toContain('authorization_signed_response_alg: "EdDSA"');
    expect(read({ ...change, authorization_signed_response_alg: 'ES256' }).ok).toBe(true);
  });
});
