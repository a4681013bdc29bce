/** A signing key as text for people: since when it is in its state, what happens next, and when. */

import type { Key, KeyChanged } from './administration/keys.ts';

/** To the minute, in UTC as in logs. */
export const minute = (instant: Date | string): string =>
  `${new Date(instant).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const NEXT_WORDS = {
  publishes: 'publishes its successor',
  hands_over: 'hands over to its successor',
  signs: 'signs',
  stops: 'stops signing: the policy no longer names its algorithm',
  retires: 'leaves the JWKS: its last token has expired',
} as const;

const RETIRED_WORDS: Readonly<Record<string, string>> = {
  tokens_expired: 'its last token had expired',
  revocation_requested: 'revoked',
};

export function nextWords({ reason, next }: Key, now: Date): string {
  if (next === null) return reason === null ? '' : (RETIRED_WORDS[reason] ?? reason);
  return `${new Date(next.at) <= now ? 'now' : minute(next.at)}: ${NEXT_WORDS[next.what]}`;
}

/** One line per change. */
export const changeLines = (changes: readonly KeyChanged[]): string => changes.map(changeLine).join('');

function changeLine({ kid, alg, from, to }: KeyChanged): string {
  if (from === to) return `hastened   ${kid}  (${alg}: hands over as soon as caches hold its successor)\n`;
  return `${(CHANGE_WORDS[to] ?? to).padEnd(9)}  ${kid}  (${alg})\n`;
}

const CHANGE_WORDS: Readonly<Record<string, string>> = {
  published: 'published',
  signing: 'signs',
  retiring: 'retiring',
  retired: 'revoked',
};

export const changeDocuments = (changes: readonly KeyChanged[]) =>
  changes.map(({ kid, alg, from, to, reason }) => ({ kid, alg, from, to, reason }));
