/** The floor's DPoP (RFC 9449): one signature, four comparisons and one insert. */
import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto';

const MAX_SECONDS_APART = 60;

export type Proof = { readonly jti: string; readonly jkt: string };

/** @returns null: not for this request, not from now, or not signed by the key that it names. */
export function readProof(proof: string, url: string): Proof | null {
  const [header = '', payload = '', signature = ''] = proof.split('.');
  const { typ, alg, jwk } = decoded(header) as { typ: string; alg: string; jwk: JsonWebKey };
  const { jti, htm, htu, iat } = decoded(payload) as { jti: string; htm: string; htu: string; iat: number };
  if (typ !== 'dpop+jwt' || alg !== 'ES256' || htm !== 'POST' || htu !== url) return null;
  if (Math.abs(Date.now() / 1000 - iat) > MAX_SECONDS_APART) return null;
  const key = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const;
  const input = Buffer.from(`${header}.${payload}`);
  if (!verify('sha256', input, key, Buffer.from(signature, 'base64url'))) return null;
  // RFC 7638 §3.2.
  const members = JSON.stringify({ crv: jwk.crv, kty: jwk.kty, x: jwk.x, y: jwk.y });
  return { jti, jkt: createHash('sha256').update(members).digest('base64url') };
}

const decoded = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
