/** The next step of a signing key, without an operator's action, and its time. */
import { type KeyLifetimes, keyTimes, type SigningKeyRow, signerAmong, waitingKey } from '../model/signing-key.ts';

export type KeyForecast = {
  readonly since: Date;
  /** Null: none. */
  readonly next: {
    readonly at: Date;
    readonly what: 'publishes' | 'hands_over' | 'signs' | 'stops' | 'retires';
  } | null;
};

type Keys = readonly SigningKeyRow[];
type Policy = { readonly algorithms: readonly string[]; readonly lifetimes: KeyLifetimes };

/** The next step that the machine takes without an operator's action. */
export function forecastOf(key: SigningKeyRow, keys: Keys, policy: Policy): KeyForecast {
  const at = (milliseconds: number) => new Date(milliseconds);
  const { successorDueAt, signsUntil, publishedUntil } = keyTimes(key, policy.lifetimes);
  switch (key.state) {
    // A stored key never becomes unpublished.
    case 'unpublished':
    case 'published':
      return { since: key.createdAt, next: { at: at(handoverAt(key, keys, policy)), what: 'signs' } };
    case 'signing': {
      const since = key.beganSigningAt ?? key.createdAt;
      const successor = waitingKey(keys, key.alg);
      if (successor) return { since, next: { at: at(handoverAt(successor, keys, policy)), what: 'hands_over' } };
      const isWanted = policy.algorithms.includes(key.alg);
      return {
        since,
        next: isWanted ? { at: at(successorDueAt), what: 'publishes' } : { at: at(signsUntil), what: 'stops' },
      };
    }
    case 'retiring':
      return { since: key.stoppedSigningAt ?? key.createdAt, next: { at: at(publishedUntil), what: 'retires' } };
    case 'retired':
      return { since: key.retiredAt ?? key.createdAt, next: null };
  }
}

function handoverAt(successor: SigningKeyRow, keys: Keys, { lifetimes }: Policy): number {
  const signer = signerAmong(keys, successor.alg);
  return Math.max(successor.maySignAt.getTime(), signer ? keyTimes(signer, lifetimes).signsUntil : 0);
}
