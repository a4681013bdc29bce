/** Keys of clients that authenticate with private_key_jwt, and their assertions. */
import { constants, createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export type TestKey = {
  readonly alg: string;
  readonly privateKey: KeyObject;
  /** With its `kid`. */
  readonly jwk: Readonly<Record<string, unknown>> & { readonly kid: string };
};

const MAKES: Readonly<Record<string, () => { privateKey: KeyObject; publicKey: KeyObject }>> = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
  Ed25519: () => generateKeyPairSync('ed25519'),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
};

export function testKey(alg = 'ES256', kid = `key of ${alg}`): TestKey {
  const { privateKey, publicKey } = MAKES[alg]?.() ?? generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { alg, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid } };
}

const SIGNS: Readonly<Record<string, (key: KeyObject, input: Buffer) => Buffer>> = {
  ES256: (key, input) => sign('sha256', input, { key, dsaEncoding: 'ieee-p1363' }),
  EdDSA: (key, input) => sign(null, input, key),
  Ed25519: (key, input) => sign(null, input, key),
  RS256: (key, input) => sign('sha256', input, key),
  PS256: (key, input) =>
    sign('sha256', input, {
      key,
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
    }),
};

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A JWT with these claims. @param header replaces members; undefined takes one away. */
export function signedBy(key: TestKey, claims: object, header: object = {}): string {
  const { alg, ...rest } = { alg: key.alg, kid: key.jwk.kid, ...header };
  const input = `${encoded({ alg, ...rest })}.${encoded(claims)}`;
  const signature = SIGNS[key.alg]?.(key.privateKey, Buffer.from(input)) ?? Buffer.alloc(0);
  return `${input}.${signature.toString('base64url')}`;
}

/** As an attacker who has the public key alone: it is the key of a MAC. */
export function maskedAsMac(key: TestKey, claims: object, secret: string | Buffer): string {
  const input = `${encoded({ alg: 'HS256', kid: key.jwk.kid })}.${encoded(claims)}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

export const unsigned = (claims: object): string => `${encoded({ alg: 'none' })}.${encoded(claims)}.`;
