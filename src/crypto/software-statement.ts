/** A software statement (RFC 7591 §2.3): a JWT in which its issuer vouches for metadata of a client. This file reads one. */
import { isFromFuture, type SignedByClient, signatureNamedBy, timesIn } from './client-signature.ts';
import { readCompactJws } from './compact-jws.ts';

export type SoftwareStatement = SignedByClient & {
  readonly issuer: string;
  /** The metadata that it vouches for. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly isInTime: (now: Date) => boolean;
};

/** Of the JWT itself (RFC 7519 §4.1). A statement in a statement, and what the server makes, are no metadata either. */
const NOT_METADATA: readonly string[] = [
  ...['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti'],
  ...['software_statement', 'client_id', 'client_secret'],
];

/** RFC 8725 §3.11: no token of another kind. RFC 7591 names no typ. */
const TYPES: readonly unknown[] = [undefined, 'JWT', 'jwt', 'JOSE'];

/** RFC 7591 §2.3: `iss` is REQUIRED. An `exp` is not. @returns null: it is no such JWT, or its algorithm is none that counts. */
export function readSoftwareStatement(text: string): SoftwareStatement | null {
  const jws = readCompactJws(text);
  const claims = jws?.claims() ?? null;
  if (jws === null || claims === null || !TYPES.includes(jws.header['typ'])) return null;
  const { iss, exp } = claims;
  const signature = signatureNamedBy(jws.header);
  if (typeof signature === 'string' || typeof iss !== 'string' || iss === '') return null;
  const times = timesIn(exp === undefined ? { ...claims, exp: FOR_EVER } : claims);
  if (times === null) return null;
  const metadata = Object.fromEntries(Object.entries(claims).filter(([name]) => !NOT_METADATA.includes(name)));
  const isInTime = (now: Date) => times.exp > now.getTime() / 1000 && !isFromFuture(times, now.getTime() / 1000);
  return { issuer: iss, metadata, isInTime, ...signature, jws };
}

const FOR_EVER = 8.64e12;
