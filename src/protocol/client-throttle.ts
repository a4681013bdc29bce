/**
 * The throttle on guesses of client secrets (docs/decisions/0025). After a number of different wrong secrets for one
 * client, a network has to wait with that client. Each node counts for itself and in memory, so the right secret costs
 * no query.
 */
import { hmacSha256 } from '../crypto/digest.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import type { RawSecret } from '../crypto/secret-types.ts';
import { type Network, networksOf } from '../model/networks.ts';

/** A service with an outdated secret repeats one wrong secret. The throttle does not target it. */
const DIFFERENT_SECRETS = 20;
const WINDOW_MILLISECONDS = 5 * 60_000;
/** Of networks and clients. */
const MAX_PAIRS = 10_000;
/** About 20 MB. */
const MAX_WRONG_SECRETS = 200_000;

export type Guesser = {
  /** As sent. It may name no client. */
  readonly clientId: string;
  /**
   * The throttle key of the sender. Addresses that count as one sender share it. Called only when a guess is counted.
   */
  readonly address: () => string;
};

export type ClientThrottle = {
  /** @returns seconds until the server checks the next secret. Null: now. */
  readonly waitSeconds: (guesser: Guesser) => number | null;
  readonly count: (guesser: Guesser, wrong: RawSecret) => void;
};

/** @param now milliseconds, by any monotonic clock. */
export function clientThrottle(keys: RootKeys, now: () => number): ClientThrottle {
  /** In the order in which the windows end. */
  const pairs = new Map<string, { readonly wrong: Set<string>; readonly endsAt: number }>();
  // Short for any input, and useless to a reader of the memory.
  const digest = (...parts: string[]) =>
    hmacSha256(keys.first.key('throttle'), JSON.stringify(parts)).toString('base64url', 0, 12);
  const pairsOf = ({ clientId, address }: Guesser) =>
    networksOf(address()).map(({ key, times }) => ({ key: digest('client', key, clientId), times }));

  let wrongSecrets = 0;

  function drop(key: string) {
    wrongSecrets -= pairs.get(key)?.wrong.size ?? 0;
    pairs.delete(key);
  }

  function running(key: string) {
    const pair = pairs.get(key);
    if (pair === undefined || pair.endsAt > now()) return pair;
    drop(key);
    return undefined;
  }

  function begin(key: string) {
    const [oldest] = pairs.keys();
    if (oldest !== undefined && pairs.size >= MAX_PAIRS) drop(oldest);
    const pair = { wrong: new Set<string>(), endsAt: now() + WINDOW_MILLISECONDS };
    pairs.set(key, pair);
    return pair;
  }

  function waitOf({ key, times }: Network): number {
    const pair = running(key);
    if (pair === undefined || pair.wrong.size < DIFFERENT_SECRETS * times) return 0;
    return Math.ceil((pair.endsAt - now()) / 1000);
  }

  return {
    waitSeconds: (guesser) => {
      if (pairs.size === 0) return null;
      const wait = Math.max(...pairsOf(guesser).map(waitOf));
      return wait === 0 ? null : wait;
    },
    count: (guesser, wrong) => {
      for (const { key } of pairsOf(guesser)) {
        const pair = running(key) ?? begin(key);
        const before = pair.wrong.size;
        pair.wrong.add(digest('secret', wrong));
        wrongSecrets += pair.wrong.size - before;
      }
      for (const key of pairs.keys()) {
        if (wrongSecrets <= MAX_WRONG_SECRETS) break;
        drop(key);
      }
    },
  };
}
