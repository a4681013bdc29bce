/** A key pair that signs DPoP proofs (RFC 9449 §4). */
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';

export type ProofKey = { readonly proofAt: (url: string, now: Date) => string };

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export function newProofKey(): ProofKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const header = encoded({ typ: 'dpop+jwt', alg: 'ES256', jwk: publicKey.export({ format: 'jwk' }) });
  return {
    proofAt: (url, now) => {
      const claims = { jti: randomUUID(), htm: 'POST', htu: url, iat: Math.floor(now.getTime() / 1000) };
      const input = `${header}.${encoded(claims)}`;
      const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return `${input}.${signature.toString('base64url')}`;
    },
  };
}
