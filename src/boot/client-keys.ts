/** The keys that clients publish: fetched and read by modules that no start loads, since most servers have no such client. */
import type { Logger } from 'pino';
import { type PublishedKeys, publishedKeys } from '../protocol/published-keys.ts';

type ClientKeysDeps = {
  /** For tests, which have no public internet. */
  readonly fetchKeySet: ((uri: string) => Promise<string>) | undefined;
  readonly logger: Pick<Logger, 'warn'>;
  readonly now: () => number;
};

export const keysOfClients = ({ fetchKeySet, logger, now }: ClientKeysDeps): PublishedKeys =>
  publishedKeys({
    fetchKeys: async (uri) => {
      const fetch = fetchKeySet ?? (await import('../images/fetch-key-set.ts')).fetchKeySet;
      const { readKeySet } = await import('../registration/key-set.ts');
      return readKeySet(await fetch(uri));
    },
    onFailure: (jwksUri, error) =>
      logger.warn({ jwksUri, err: error }, 'keys of a client not fetched; the keys before stay valid for a day'),
    now,
  });
