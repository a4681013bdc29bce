/** A client that holds a key and proves it with each request (RFC 9449), truly or not. */
import { constants, createHash, createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { calculateJwkThumbprint, type JWK } from 'jose';

export type ProofKey = {
  readonly alg: string;
  readonly jwk: JWK;
  readonly privateKey: KeyObject;
  readonly jkt: string;
};

const PAIRS = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
} as const;

export async function proofKey(alg: keyof typeof PAIRS = 'ES256'): Promise<ProofKey> {
  const { privateKey, publicKey } = PAIRS[alg]();
  const jwk = publicKey.export({ format: 'jwk' }) as JWK;
  return { alg, jwk, privateKey, jkt: await calculateJwkThumbprint(jwk) };
}

export type ProofSaid = {
  readonly method?: string;
  readonly url: string;
  readonly now: Date;
  /** The access token that the request presents. */
  readonly accessToken?: string;
  readonly nonce?: string;
  /** Replace those of a good proof. Undefined takes one away. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
};

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Truly signed, whatever header and claims say. */
export function proofOf(key: ProofKey, said: ProofSaid): string {
  const { method = 'POST', url, now, accessToken, nonce, claims, header } = said;
  const payload = {
    ...{ jti: randomUUID(), htm: method, htu: url, iat: Math.floor(now.getTime() / 1000) },
    ...(accessToken !== undefined && { ath: createHash('sha256').update(accessToken).digest('base64url') }),
    ...(nonce !== undefined && { nonce }),
    ...claims,
  };
  const input = `${encoded({ typ: 'dpop+jwt', alg: key.alg, jwk: key.jwk, ...header })}.${encoded(payload)}`;
  return `${input}.${SIGN[key.alg]?.(key.privateKey, Buffer.from(input)).toString('base64url')}`;
}

const SIGN: Readonly<Record<string, (key: KeyObject, input: Buffer) => Buffer>> = {
  ES256: (key, input) => sign('sha256', input, { key, dsaEncoding: 'ieee-p1363' }),
  EdDSA: (key, input) => sign(null, input, key),
  PS256: (key, input) => sign('sha256', input, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
  RS256: (key, input) => sign('sha256', input, key),
};

/** Key confusion: a MAC whose secret is the public key that the proof itself carries. */
export function macProofOf(key: ProofKey, said: ProofSaid): string {
  const [, payload = ''] = proofOf(key, said).split('.');
  const input = `${encoded({ typ: 'dpop+jwt', alg: 'HS256', jwk: key.jwk })}.${payload}`;
  return `${input}.${createHmac('sha256', JSON.stringify(key.jwk)).update(input).digest('base64url')}`;
}
