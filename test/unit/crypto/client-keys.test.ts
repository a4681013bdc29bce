/** The public keys of clients: the algorithms of each, and the faults for which one is refused. */
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  isForCertificatesAlone,
  isOfClient,
  isSameAlgorithm,
  KEY_EXPECTED,
  type PublicJwk,
  publicKeyOf,
  signsWith,
  whatIsWrongWithKey,
} from '../../../src/crypto/client-keys.ts';
import { candidates, isFromFuture, timesIn } from '../../../src/crypto/client-signature.ts';
import { sha256 } from '../../../src/crypto/digest.ts';
import { CLIENT_SIGNING_ALGORITHMS } from '../../../src/oauth/signing-algorithms.ts';
import { certificateKeys, jwkOf, testCertificate } from '../../support/client-certificates.ts';

const jwk = (type: 'ec' | 'ed25519' | 'rsa', options: object = {}) =>
  generateKeyPairSync(type as 'ec', { namedCurve: 'P-256', ...options }).publicKey.export({
    format: 'jwk',
  }) as unknown as PublicJwk;
const EC = jwk('ec');
const OKP = jwk('ed25519');
const RSA = jwk('rsa', { modulusLength: 2048 });
const onCurve = (namedCurve: string) => jwk('ec', { namedCurve });
/** Numbers of so many bits: the first octet says where they begin. */
const rsaOf = (bits: number, e = 'AQAB'): PublicJwk => ({
  ...{ kty: 'RSA', e },
  n: Buffer.concat([Buffer.of(0xff >> ((8 - (bits % 8)) % 8)), Buffer.alloc(Math.ceil(bits / 8) - 1, 0xff)]).toString(
    'base64url',
  ),
});

describe('a key', () => {
  it.each<[string, PublicJwk, readonly string[]]>([
    ['on P-256', EC, ['ES256']],
    ['on Ed25519', OKP, ['EdDSA', 'Ed25519']],
    ['of RSA', RSA, ['PS256', 'RS256']],
    ['of RSA for one algorithm', { ...RSA, alg: 'PS256' }, ['PS256']],
    ['on Ed25519 by its old name', { ...OKP, alg: 'EdDSA' }, ['EdDSA', 'Ed25519']],
    ['on Ed25519 by its new name', { ...OKP, alg: 'Ed25519' }, ['EdDSA', 'Ed25519']],
    ['on P-256 for an algorithm of another', { ...EC, alg: 'PS256' }, []],
    ['on P-384', onCurve('P-384'), []],
    ['on P-521', onCurve('P-521'), []],
  ])('%s signs with %j', (_, key, algorithms) => {
    expect(CLIENT_SIGNING_ALGORITHMS.filter((alg) => signsWith(key, alg))).toEqual(algorithms);
  });

  it.each([
    ['P-256', false],
    ['P-384', true],
    ['P-521', true],
    ['Ed25519', false],
    [undefined, false],
  ])('on the curve %s is for certificates alone: %s', (crv, isAlone) => {
    expect(isForCertificatesAlone({ kty: 'EC', crv })).toBe(isAlone);
  });

  it('is of a client unless it signs tokens of workloads', () => {
    expect([undefined, 'sig', 'jwt-svid'].map((use) => isOfClient({ use } as PublicJwk))).toEqual([true, true, false]);
  });

  it('has one algorithm under two names on Ed25519 alone', () => {
    expect(isSameAlgorithm('EdDSA', 'Ed25519')).toBe(true);
    expect(isSameAlgorithm('Ed25519', 'EdDSA')).toBe(true);
    expect(isSameAlgorithm('ES256', 'ES256')).toBe(true);
    expect(isSameAlgorithm('EdDSA', 'ES256')).toBe(false);
    expect(isSameAlgorithm('ES256', 'EdDSA')).toBe(false);
    expect(isSameAlgorithm('PS256', 'RS256')).toBe(false);
  });
});

describe('a key that can be used', () => {
  it.each<[string, PublicJwk]>([
    ['on P-256', EC],
    ['on P-384', onCurve('P-384')],
    ['on P-521', onCurve('P-521')],
    ['on Ed25519', { ...OKP, alg: 'Ed25519' }],
    ['of RSA with 2048 bits', RSA],
    ['of RSA with 4096 bits', rsaOf(4096)],
    ['with the largest exponent', { ...RSA, e: '_____w' }],
  ])('is one %s', (_, key) => {
    expect(whatIsWrongWithKey(key)).toBeNull();
    expect(publicKeyOf(key)?.type).toBe('public');
  });

  it.each<[string, PublicJwk, string]>([
    ['the algorithm of another kind', { ...EC, alg: 'EdDSA' }, '"alg" EdDSA for a key of the kind EC'],
    ['a point that is not on the curve', { ...EC, x: EC.y }, 'values that are no public key of the kind EC'],
    ['a curve of another kind', { ...EC, crv: 'Ed25519' }, 'values that are no public key of the kind EC'],
    ['no curve', { ...OKP, crv: undefined }, 'values that are no public key of the kind OKP'],
    ['a missing coordinate', { ...EC, y: undefined }, 'values that are no public key of the kind EC'],
    ['a curve that no algorithm has', onCurve('secp256k1'), 'values that are no public key of the kind EC'],
    ['no exponent', { ...RSA, e: undefined }, 'values that are no public key of the kind RSA'],
    ['2047 bits', rsaOf(2047), 'an RSA key of 2047 bits'],
    ['4097 bits', rsaOf(4097), 'an RSA key of 4097 bits'],
    ['the exponent 3', { ...RSA, e: 'Aw' }, 'a small RSA exponent'],
    ['an exponent of 33 bits', { ...RSA, e: 'AQAAAAE' }, 'a large RSA exponent'],
  ])('is none with %s', (_, key, found) => {
    expect(whatIsWrongWithKey(key)).toBe(found);
  });

  it('has the members of its kind alone: another one changes nothing', () => {
    const [plain, with_d] = [EC, { ...EC, d: 'AAAA', n: 'AQAB', e: 'AQAB' } as PublicJwk].map(publicKeyOf);
    expect(plain && with_d?.equals(plain)).toBe(true);
  });

  it('is described with the bounds of its length', () => {
    expect(KEY_EXPECTED).toBe(
      'a public key: EC on P-256, OKP on Ed25519, or RSA with 2048 to 4096 bits; for self_signed_tls_client_auth also EC on P-384 or P-521',
    );
  });
});

describe('the certificate of a key (RFC 7517 §4.7)', () => {
  it('is of this key, and has the thumbprint beside it', async () => {
    const [own, other] = [await testCertificate(), await testCertificate()];
    const key = (await jwkOf(own)) as PublicJwk;
    const x5c = ({ der }: typeof own) => [der.toString('base64')];
    const thumbprint = ({ der }: typeof own) => sha256(der).toString('base64url');
    const wrong = (change: object) => whatIsWrongWithKey({ ...key, ...change });
    expect(wrong({ x5c: x5c(own) })).toBeNull();
    expect(wrong({ x5c: x5c(own), 'x5t#S256': thumbprint(own) })).toBeNull();
    expect(wrong({ 'x5t#S256': thumbprint(other) })).toBeNull();
    expect(wrong({ x5c: [] })).toBeNull();
    expect(wrong({ x5c: x5c(other) })).toBe('"x5c" with a certificate of another key');
    expect(wrong({ x5c: x5c(own), 'x5t#S256': thumbprint(other) })).toBe(
      '"x5t#S256" of another certificate than "x5c"',
    );
    expect(wrong({ x5c: ['AAAA'] })).toBe('"x5c" without a certificate');
    const keys = await certificateKeys({
      ...{ name: 'RSASSA-PKCS1-v1_5', modulusLength: 2048, hash: 'SHA-256' },
      publicExponent: new Uint8Array([1, 0, 1]),
    });
    expect(wrong({ x5c: x5c(await testCertificate({ keys })) })).toBe('"x5c" with a certificate of another key');
  });
});

it('a key without a kid may have signed a text without one alone', () => {
  expect(candidates({ alg: 'ES256', kid: null }, [EC])).toEqual([EC]);
  expect(candidates({ alg: 'ES256', kid: 'a name' }, [EC])).toEqual([]);
});

describe('the times of a JWT of a client', () => {
  it.each<[object, object | null]>([
    [{ exp: 0 }, { exp: 0, nbf: null, iat: null }],
    [
      { exp: 8.64e12, nbf: 0, iat: 1.5 },
      { exp: 8.64e12, nbf: 0, iat: 1.5 },
    ],
    [{ exp: 8.64e12 + 1 }, null],
    [{ exp: -1 }, null],
    [{ exp: Number.NaN }, null],
    [{ exp: '1' }, null],
    [{ exp: null }, null],
    [{}, null],
    [{ exp: 1, nbf: '1' }, null],
    [{ exp: 1, nbf: null }, null],
    [{ exp: 1, nbf: -1 }, null],
    [{ exp: 1, iat: '1' }, null],
    [{ exp: 1, iat: 8.64e12 + 1 }, null],
  ])('in %j are %j', (claims, times) => {
    expect(timesIn(claims as never)).toEqual(times);
  });

  it.each<[number | null, number | null, boolean]>([
    [null, null, false],
    [1060, 1060, false],
    [1061, null, true],
    [null, 1061, true],
    [1061, 0, true],
  ])('are from the future with nbf %s and iat %s at 1000: %s', (nbf, iat, isFuture) => {
    expect(isFromFuture({ exp: 0, nbf, iat }, 1000)).toBe(isFuture);
  });
});
