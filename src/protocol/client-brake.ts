/**
 * The brake on guessing client secrets (docs/decisions/0025): after so many different wrong secrets for one client from one address,
 * that address waits with that client. Each node counts for itself and in memory, so the right secret costs nothing.
 */
import { hmacSha256 } from '../crypto/digest.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import type { RawSecret } from '../crypto/secret-types.ts';

/** A service with a secret of yesterday repeats one wrong secret, and is not what is meant. */
const DIFFERENT_SECRETS = 20;
const WINDOW_MILLISECONDS = 5 * 60_000;
/** Some 20 MB if all of them were full. */
const MAX_PAIRS = 10_000;

export type Guesser = {
  /** As sent: it may name no client. */
  readonly clientId: string;
  /** One key for all addresses that count as the same sender; asked only when something is counted. */
  readonly address: () => string;
};

export type ClientBrake = {
  /** @returns seconds until the next secret is looked at; null: now. */
  readonly waitSeconds: (guesser: Guesser) => number | null;
  readonly count: (guesser: Guesser, wrong: RawSecret) => void;
};

/** @param now milliseconds, of any clock that never goes back. */
export function clientBrake(keys: RootKeys, now: () => number): ClientBrake {
  /** In the order in which their windows end. */
  const pairs = new Map<string, { readonly wrong: Set<string>; readonly endsAt: number }>();
  // Short, whatever was sent, and worth nothing to anyone who reads the memory.
  const digest = (...parts: string[]) =>
    hmacSha256(keys.first.key('throttle'), JSON.stringify(parts)).toString('base64url', 0, 12);
  const keyOf = ({ clientId, address }: Guesser) => digest('client', address(), clientId);

  function running(key: string) {
    const pair = pairs.get(key);
    if (pair === undefined || pair.endsAt > now()) return pair;
    pairs.delete(key);
    return undefined;
  }

  function begin(key: string) {
    const [oldest] = pairs.keys();
    if (pairs.size >= MAX_PAIRS && oldest !== undefined) pairs.delete(oldest);
    const pair = { wrong: new Set<string>(), endsAt: now() + WINDOW_MILLISECONDS };
    pairs.set(key, pair);
    return pair;
  }

  return {
    waitSeconds: (guesser) => {
      if (pairs.size === 0) return null;
      const pair = running(keyOf(guesser));
      if (pair === undefined || pair.wrong.size < DIFFERENT_SECRETS) return null;
      return Math.ceil((pair.endsAt - now()) / 1000);
    },
    count: (guesser, wrong) => {
      const key = keyOf(guesser);
      (running(key) ?? begin(key)).wrong.add(digest('secret', wrong));
    },
  };
}
