/**
 * The origins of browser-based apps: their scripts may read the responses of the token, revocation and UserInfo Endpoints. A node
 * reads an origin when a script of it sends a request, and caches the newest ones. So its memory does not grow with the clients.
 */
import { keepNewest } from './newest-entries.ts';

export type BrowserOriginsDeps = {
  /** Whether a client has the origin now. */
  readonly isRegistered: (origin: string) => Promise<boolean>;
  /** Milliseconds, by any monotonic clock. */
  readonly now: () => number;
};

/**
 * A newly registered app waits no longer. For as long, an origin that is no longer registered may still read responses, but only to its
 * own credentials.
 */
const CACHED_MILLISECONDS = 10_000;
const MAX_KEPT = 1000;

/** As browsers write it (the HTML standard's serialization of an origin). DNS allows 253 characters. */
const MAX_ORIGIN_CHARACTERS = 280;
const isWebOrigin = (text: string): boolean =>
  text.length <= MAX_ORIGIN_CHARACTERS && /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;

/** @returns a function that throws StoreUnavailable only for an origin that it does not remember. */
export function browserOrigins({ isRegistered, now }: BrowserOriginsDeps): (origin: string) => Promise<boolean> {
  /** The least recently read first. */
  const kept = new Map<string, { readonly isKnown: boolean; readAt: number }>();

  return async (origin) => {
    if (!isWebOrigin(origin)) return false;
    const last = kept.get(origin);
    if (last !== undefined) {
      if (now() - last.readAt < CACHED_MILLISECONDS) return last.isKnown;
      // One request reads it again. Meanwhile, others get the last answer.
      last.readAt = now();
    }
    try {
      const isKnown = await isRegistered(origin);
      kept.delete(origin);
      kept.set(origin, { isKnown, readAt: now() });
      keepNewest(kept, MAX_KEPT);
      return isKnown;
    } catch (error) {
      // The request itself will find the database unavailable, and the app should be able to read its 503.
      if (last === undefined) throw error;
      return last.isKnown;
    }
  };
}
