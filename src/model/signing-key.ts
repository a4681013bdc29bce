/** A key that signs tokens, without its key material, and the instants of its life. */
import type { KeyRetirementReason, SigningKeyContext, SigningKeyState } from '../../machines/signing-key/facts.ts';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';

export type { SigningAlgorithm };

/** One row of `signing_keys`. */
export type SigningKeyRow = {
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  readonly state: SigningKeyState;
  /** Published since. */
  readonly createdAt: Date;
  /** By then every cache holds it. */
  readonly maySignAt: Date;
  readonly beganSigningAt: Date | null;
  readonly rotationAskedAt: Date | null;
  readonly stoppedSigningAt: Date | null;
  readonly retiredAt: Date | null;
  readonly retiredReason: KeyRetirementReason | null;
  /** A JWE (compact): encrypted under the root secret that its `kid` names. Null: its private half is erased. */
  readonly privateJwe: string | null;
};

/** A fresh key, as it will be stored. */
export type NewSigningKey = {
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  readonly publicJwk: Readonly<Record<string, unknown>>;
  readonly privateJwe: string;
};

/** Derived from its instants; the column `state` repeats it for the constraint that lets one key per algorithm sign. */
export function signingKeyState(key: Omit<SigningKeyRow, 'state'>): SigningKeyState {
  if (key.retiredAt !== null) return 'retired';
  if (key.stoppedSigningAt !== null) return 'retiring';
  return key.beganSigningAt === null ? 'published' : 'signing';
}

export type KeyLifetimes = {
  /** From the publication to the first signature. */
  readonly publishedBeforeSigningSeconds: number;
  readonly signingLifetimeSeconds: number;
  /** How long before the end of a signer's time its successor is published. */
  readonly successorLeadSeconds: number;
  /** From the last signature to the expiry of every signed token. */
  readonly retiringSeconds: number;
};

const NEVER = Number.POSITIVE_INFINITY;
const after = (instant: Date | null, seconds: number): number =>
  instant === null ? NEVER : instant.getTime() + seconds * 1000;

export function keyTimes(key: SigningKeyRow, lifetimes: KeyLifetimes): SigningKeyContext {
  const endsAt = after(key.beganSigningAt, lifetimes.signingLifetimeSeconds);
  // Kept when the successor has been revoked since, so that another is created.
  const askedAt = after(key.rotationAskedAt, 0);
  return {
    successorDueAt: Math.min(endsAt - lifetimes.successorLeadSeconds * 1000, askedAt),
    signsUntil: Math.min(endsAt, askedAt),
    publishedUntil: after(key.stoppedSigningAt, lifetimes.retiringSeconds),
  };
}

/** The key that waits to sign with this algorithm. */
export const waitingKey = (keys: readonly SigningKeyRow[], alg: string): SigningKeyRow | undefined =>
  keys.find((key) => key.alg === alg && key.state === 'published');

export const signerAmong = (keys: readonly SigningKeyRow[], alg: string): SigningKeyRow | undefined =>
  keys.find((key) => key.alg === alg && key.state === 'signing');
