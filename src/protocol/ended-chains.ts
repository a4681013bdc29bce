/**
 * Token requests that came back with `invalid_grant` because their chain had ended. A client that repeats such a request is answered
 * from memory, without the database. The answer stays true, since no chain becomes active again. Each node has its own memory.
 */
import { sha256 } from '../crypto/digest.ts';
import { hasSecret, type TokenClient } from '../model/client.ts';
import type { TokenReason } from '../oauth/refusals.ts';
import { keepNewest } from './newest-entries.ts';

/** Then the client is authenticated again. Its secret may have ended. */
const SECONDS = 60;
/** About 3 MB. */
const MAX_REQUESTS = 10_000;

/** Not `client_ended`: the client was deleted, and its next request is one of an unknown client. */
const ENDED: readonly TokenReason[] = ['grant_revoked', 'user_ended', 'server_epoch_raised'];

/** The headers `Authorization` and `DPoP`, and the form, as sent. */
type Request = {
  readonly sender: { readonly authorization: string | undefined; readonly dpop: string | undefined };
  readonly body: string;
};

/** The answer to a request: the reason of the rejection, and the facts of its log line. */
type Ended<Facts> = { readonly reason: TokenReason; readonly facts: Facts };

export type EndedChains<Facts> = {
  /** @returns the answer to the same request, whose chain had ended. Null: none is remembered. */
  readonly find: (request: Request) => Ended<Facts> | null;
  readonly remember: (
    request: Request,
    ended: Ended<Facts> & { readonly client: Pick<TokenClient, 'tokenEndpointAuthMethod'> },
  ) => void;
};

/** @param now milliseconds, by any monotonic clock. */
export function endedChains<Facts>(now: () => number): EndedChains<Facts> {
  /** In the order in which they end. */
  const known = new Map<string, Ended<Facts> & { readonly endsAt: number }>();
  const nameOf = ({ sender, body }: Request) =>
    sha256(JSON.stringify([sender.authorization, body])).toString('base64url');

  return {
    find: (request) => {
      // Most nodes know none, and then a request pays nothing.
      if (known.size === 0 || request.sender.dpop !== undefined) return null;
      const name = nameOf(request);
      const found = known.get(name);
      if (found === undefined) return null;
      if (found.endsAt > now()) return found;
      known.delete(name);
      return null;
    },
    remember: (request, { reason, client, facts }) => {
      // A proof or an assertion counts once, and a certificate is no part of the request.
      const isWhole =
        request.sender.dpop === undefined && (hasSecret(client) || client.tokenEndpointAuthMethod === 'none');
      if (!isWhole || !ENDED.includes(reason)) return;
      known.set(nameOf(request), { reason, facts, endsAt: now() + SECONDS * 1000 });
      keepNewest(known, MAX_REQUESTS);
    },
  };
}
