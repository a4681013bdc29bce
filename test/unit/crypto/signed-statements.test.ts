/** The JWTs that the server signs for others, each of its own type, and the values that other parts hash or derive. */
import { createHash, createHmac, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { accountHash } from '../../../src/crypto/account-hash.ts';
import { signAuthorizationResponse } from '../../../src/crypto/authorization-response.ts';
import { derivedId } from '../../../src/crypto/derived-id.ts';
import { sameSecretBytes, sha1Hex } from '../../../src/crypto/digest.ts';
import { jtiHash } from '../../../src/crypto/jti-hash.ts';
import { signJwt } from '../../../src/crypto/jws.ts';
import { IN_DEVICE, KeyInDevice, keysInDatabase } from '../../../src/crypto/key-source.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { signSecurityEvent } from '../../../src/crypto/security-event-token.ts';
import { kidOf, resealSigningKey } from '../../../src/crypto/signing-keys.ts';

const keys = rootKeys(['a root secret for tests, of more than 32 bytes']);
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const key = { kid: 'k', alg: 'EdDSA', privateKey } as const;
const decoded = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString()) as unknown;

describe('a signed statement', () => {
  it('is the answer to an authorization request, with the type JWT and its parameters', () => {
    const claims = { iss: 'https://as.test', aud: 'shop', exp: 1, state: 's', code: 'c' };
    const [header, payload] = signAuthorizationResponse(key, claims).split('.');
    expect(decoded(header)).toEqual({ alg: 'EdDSA', typ: 'JWT', kid: 'k' });
    expect(decoded(payload)).toEqual(claims);
  });

  it('is a security event, with a type of its own', () => {
    const claims = { iss: 'i', aud: 'a', jti: 'j', iat: 1, sub_id: { format: 'opaque' }, events: { 'urn:x': {} } };
    const [header, payload, signature = ''] = signSecurityEvent(key, claims).split('.');
    expect(decoded(header)).toEqual({ alg: 'EdDSA', typ: 'secevent+jwt', kid: 'k' });
    expect(decoded(payload)).toEqual(claims);
    const input = Buffer.from(`${header}.${payload}`);
    expect(verify(null, input, publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
  });

  it('has the type of each call, also after another one of the same key', () => {
    const typOf = (typ: 'JWT' | 'at+jwt') => decoded(signJwt(key, typ, {}).split('.')[0]);
    expect([typOf('JWT'), typOf('at+jwt'), typOf('JWT')]).toMatchObject([
      { typ: 'JWT' },
      { typ: 'at+jwt' },
      { typ: 'JWT' },
    ]);
  });

  it('has the signature of a device, where a device has the private half', async () => {
    const inputs: string[] = [];
    const signElsewhere = async (input: Buffer) => {
      inputs.push(input.toString());
      return Buffer.from('signed');
    };
    const made = await signJwt({ kid: 'far', alg: 'ES256', signElsewhere }, 'JWT', { a: 1 });
    const input = made.slice(0, made.lastIndexOf('.'));
    expect(inputs).toEqual([input]);
    expect(made).toBe(`${input}.${Buffer.from('signed').toString('base64url')}`);
    expect(decoded(input.split('.')[0])).toEqual({ alg: 'ES256', typ: 'JWT', kid: 'far' });
  });
});

describe('the keys in the database', () => {
  const source = keysInDatabase(keys);

  it('are made, and opened again under the root secret', async () => {
    const made = await source.make('ES256');
    expect(await kidOf(made.publicJwk)).toBe(made.kid);
    expect(await source.open(made)).toMatchObject({ kid: made.kid, alg: 'ES256' });
    expect(await source.destroyErased([made])).toBeUndefined();
    expect(await source.check()).toBeUndefined();
  });

  it('are refused where a device has the private half, with the settings that are missing', async () => {
    const stored = { kid: 'far', alg: 'ES256', publicJwk: {}, privateJwe: IN_DEVICE } as const;
    expect(IN_DEVICE).toBe('pkcs11');
    const message =
      'The private half of the signing key far is in a PKCS#11 device. Set STATEHOUSE_PKCS11_MODULE, STATEHOUSE_PKCS11_TOKEN and STATEHOUSE_PKCS11_PIN.';
    await expect(source.open(stored)).rejects.toThrow(new KeyInDevice('far'));
    expect(String(new KeyInDevice('far'))).toBe(`KeyInDevice: ${message}`);
    expect(await resealSigningKey(keys, stored)).toBeNull();
  });
});

describe('a hash for ledger and log', () => {
  it('is the id of the root secret and 128 bits of an HMAC of the account', () => {
    const hmac = createHmac('sha256', keys.first.key('account')).update('ada').digest('base64url');
    expect(accountHash(keys, 'ada')).toBe(`${keys.first.id}.${hmac.slice(0, 22)}`);
    expect(accountHash(keys, 'bob')).not.toBe(accountHash(keys, 'ada'));
  });

  it('of a proof covers its kind, its sender and its jti', () => {
    const json = '["client-assertion","shop","once"]';
    expect(jtiHash('client-assertion', 'shop', 'once')).toBe(createHash('sha256').update(json).digest('base64url'));
  });
});

describe('an id that follows from names', () => {
  const hex = createHash('sha256').update('["a","b"]').digest('hex');

  it('is a UUID of version 8, of the hash of the names', () => {
    const [head, second, third, node] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(13, 16), hex.slice(20, 32)];
    expect(derivedId(['a', 'b'])).toBe(`${head}-${second}-8${third}-a${hex.slice(17, 20)}-${node}`);
  });

  it('has a mark behind its version', () => {
    const id = derivedId(['a', 'b'], 'fee');
    expect(id.slice(14, 18)).toBe('8fee');
    expect(id.replace('8fee', '8')).toBe(derivedId(['a', 'b']).replace(/-8.{3}-/, '-8-'));
  });
});

it('octets are the same secret in equal length and content alone', () => {
  expect(sameSecretBytes(Buffer.from('ab'), Buffer.from('ab'))).toBe(true);
  expect(sameSecretBytes(Buffer.from('ab'), Buffer.from('ac'))).toBe(false);
  expect(sameSecretBytes(Buffer.from('ab'), Buffer.from('abc'))).toBe(false);
});

it('the digest for lists of breached passwords is SHA-1 in capitals', () => {
  expect(sha1Hex('password')).toBe('5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8');
});
