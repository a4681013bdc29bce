/** When what happens to a signing key: from its row and the policy of today. Pure. */
import type { SigningKeyContext } from '../../machines/vocabulary.ts';
import type { LoadedSigningKey } from './ports.ts';

export type KeyLifetimes = {
  /** From the publication to the first signature. */
  readonly publishedBeforeSigningSeconds: number;
  readonly signingLifetimeSeconds: number;
  /** So long before the end of a signer's time its successor is published. */
  readonly successorLeadSeconds: number;
  /** From the last signature to the end of every token that was signed. */
  readonly retiringSeconds: number;
};

const NEVER = Number.POSITIVE_INFINITY;
const after = (instant: Date | null, seconds: number): number =>
  instant === null ? NEVER : instant.getTime() + seconds * 1000;

export function keyTimes(key: LoadedSigningKey, lifetimes: KeyLifetimes): SigningKeyContext {
  const endsAt = after(key.beganSigningAt, lifetimes.signingLifetimeSeconds);
  // Also when the successor that was made for it has been revoked since.
  const askedAt = after(key.rotationAskedAt, 0);
  return {
    successorDueAt: Math.min(endsAt - lifetimes.successorLeadSeconds * 1000, askedAt),
    signsUntil: Math.min(endsAt, askedAt),
    publishedUntil: after(key.stoppedSigningAt, lifetimes.retiringSeconds),
  };
}

/** The key that waits to sign with this algorithm, if one does. */
export const waitingKey = (keys: readonly LoadedSigningKey[], alg: string): LoadedSigningKey | undefined =>
  keys.find((one) => one.alg === alg && one.state === 'published');

export const signerAmong = (keys: readonly LoadedSigningKey[], alg: string): LoadedSigningKey | undefined =>
  keys.find((one) => one.alg === alg && one.state === 'signing');
