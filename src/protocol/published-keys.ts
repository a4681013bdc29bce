/**
 * The keys that clients publish (`jwks_uri`), kept in the memory of the node. A key set is fetched when a client with a
 * `jwks_uri` authenticates, and never for another client. Clients that introduced themselves have a memory and fetches of
 * their own: a stranger with many slow key sets holds up no client of an operator.
 */
import type { PublicJwk } from '../crypto/client-keys.ts';
import type { Client } from '../model/client.ts';
import { keepNewest } from './newest-entries.ts';

type Keys = readonly PublicJwk[];

/** The last fetches of one key set on this node. */
export type KeysStanding = {
  /** The keys that count now. Empty: none does. */
  readonly keys: Keys;
  /** Since the last fetch that brought keys. Null: none did. */
  readonly fetchedMillisecondsAgo: number | null;
  /** Since the last fetch, whatever came of it. */
  readonly triedMillisecondsAgo: number;
  /** Why the last fetch brought no keys. Null: it brought some. */
  readonly problem: string | null;
};

/** The client that publishes the keys. */
type Registered = Pick<Client, 'registeredBy'>;

export type PublishedKeys = {
  /**
   * @param suits whether one of these keys may be right. If none is, the client may have a new key.
   * @returns null: no keys are known, and none could be fetched.
   */
  readonly at: (uri: string, client: Registered, suits: (keys: Keys) => boolean) => Promise<Keys | null>;
  /** Null: this node has not asked for them. */
  readonly standingOf: (uri: string, client: Registered) => KeysStanding | null;
};

export type PublishedKeysDeps = {
  /** @throws Error, which `onFailure` receives. */
  readonly fetchKeys: (uri: string) => Promise<Keys>;
  readonly onFailure: (uri: string, error: unknown) => void;
  /** Milliseconds, by any monotonic clock. */
  readonly now: () => number;
};

/** Then a request fetches them again, and does not wait for the answer. */
const FRESH_MILLISECONDS = 10 * 60_000;
/** While the origin is away. After that, a key that the client has withdrawn would count for too long. */
const USABLE_MILLISECONDS = 24 * 3_600_000;
/** Of one key set: anyone can send a request with an unknown `kid`. */
const BETWEEN_FETCHES_MILLISECONDS = 30_000;
const MAX_FETCHES_TOGETHER = 16;
const MAX_KEPT = 1000;

type Kept = {
  keys: Keys | null;
  fetchedAt: number;
  triedAt: number;
  problem: string | null;
  fetching: Promise<void> | null;
};

const neverAsked = (): Kept => ({
  keys: null,
  fetchedAt: 0,
  triedAt: Number.NEGATIVE_INFINITY,
  problem: null,
  fetching: null,
});

export function publishedKeys(deps: PublishedKeysDeps): PublishedKeys {
  const by = { operator: keptKeys(deps), self: keptKeys(deps) };
  return {
    at: (uri, { registeredBy }, suits) => by[registeredBy].at(uri, suits),
    standingOf: (uri, { registeredBy }) => by[registeredBy].standingOf(uri),
  };
}

function keptKeys({ fetchKeys, onFailure, now }: PublishedKeysDeps) {
  /** The least recently used first. */
  const kept = new Map<string, Kept>();
  let fetches = 0;

  function keptFor(uri: string): Kept {
    const one = kept.get(uri) ?? neverAsked();
    kept.delete(uri);
    kept.set(uri, one);
    keepNewest(kept, MAX_KEPT);
    return one;
  }

  const usable = ({ keys, fetchedAt }: Kept): Keys | null =>
    keys !== null && now() - fetchedAt < USABLE_MILLISECONDS ? keys : null;

  function fetched(uri: string, one: Kept): Promise<void> {
    if (one.fetching !== null) return one.fetching;
    if (now() - one.triedAt < BETWEEN_FETCHES_MILLISECONDS || fetches >= MAX_FETCHES_TOGETHER) return Promise.resolve();
    one.triedAt = now();
    fetches++;
    one.fetching = fetchKeys(uri)
      .then(
        (keys) => {
          one.keys = keys;
          one.fetchedAt = now();
          one.problem = null;
        },
        (error: unknown) => {
          one.problem = error instanceof Error ? error.message : 'The key set could not be fetched.';
          onFailure(uri, error);
        },
      )
      .finally(() => {
        fetches--;
        one.fetching = null;
      });
    return one.fetching;
  }

  return {
    standingOf: (uri: string): KeysStanding | null => {
      const one = kept.get(uri);
      if (one === undefined || one.triedAt === Number.NEGATIVE_INFINITY) return null;
      return {
        keys: usable(one) ?? [],
        fetchedMillisecondsAgo: one.keys === null ? null : now() - one.fetchedAt,
        triedMillisecondsAgo: now() - one.triedAt,
        problem: one.problem,
      };
    },
    at: async (uri: string, suits: (keys: Keys) => boolean): Promise<Keys | null> => {
      const one = keptFor(uri);
      const known = usable(one);
      if (known !== null && suits(known)) {
        if (now() - one.fetchedAt >= FRESH_MILLISECONDS) void fetched(uri, one);
        return known;
      }
      await fetched(uri, one);
      return usable(one);
    },
  };
}
