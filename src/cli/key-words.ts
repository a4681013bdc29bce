/** A signing key as text for people: since when it is in its state, what happens next, and when. */

import type { KeyChange } from '../lifecycles/signing-key.ts';
import type { SigningKeyRow } from '../model/signing-key.ts';
import { type KeyLifetimes, keyTimes, signerAmong, waitingKey } from '../model/signing-key.ts';

export type KeyForecast = {
  readonly since: Date;
  /** Null: nothing. */
  readonly next: {
    readonly at: Date;
    readonly what: 'publishes' | 'hands_over' | 'signs' | 'stops' | 'retires';
  } | null;
};

type Keys = readonly SigningKeyRow[];
type Policy = { readonly algorithms: readonly string[]; readonly lifetimes: KeyLifetimes };

/** What the machine will do if no operator intervenes. */
export function forecastOf(key: SigningKeyRow, keys: Keys, policy: Policy): KeyForecast {
  const at = (milliseconds: number) => new Date(milliseconds);
  const { successorDueAt, signsUntil, publishedUntil } = keyTimes(key, policy.lifetimes);
  switch (key.state) {
    // A stored key is never unpublished.
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

/** To the minute, in UTC as in logs. */
export const minute = (date: Date): string => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const NEXT_WORDS = {
  publishes: 'publishes its successor',
  hands_over: 'hands over to its successor',
  signs: 'signs',
  stops: 'stops signing: the policy no longer names its algorithm',
  retires: 'leaves the JWKS: its last token has expired',
} as const;

const RETIRED_WORDS = { tokens_expired: 'its last token had expired', revocation_requested: 'revoked' } as const;

export function nextWords({ retiredReason }: SigningKeyRow, { next }: KeyForecast, now: Date): string {
  if (next === null) return retiredReason === null ? '' : RETIRED_WORDS[retiredReason];
  return `${next.at <= now ? 'now' : minute(next.at)}: ${NEXT_WORDS[next.what]}`;
}

/** One line per change. */
export const changeLines = (changes: readonly KeyChange[]): string => changes.map(changeLine).join('');

function changeLine({ kid, alg, from, to }: KeyChange): string {
  if (from === to) return `hastened   ${kid}  (${alg}: hands over as soon as caches hold its successor)\n`;
  return `${(CHANGE_WORDS[to] ?? to).padEnd(9)}  ${kid}  (${alg})\n`;
}

const CHANGE_WORDS: Readonly<Record<string, string>> = {
  published: 'published',
  signing: 'signs',
  retiring: 'retiring',
  retired: 'revoked',
};

export const changeDocuments = (changes: readonly KeyChange[]) =>
  changes.map(({ kid, alg, from, to, reason }) => ({
    kid,
    alg,
    from: from === 'unpublished' ? null : from,
    to,
    reason,
  }));
