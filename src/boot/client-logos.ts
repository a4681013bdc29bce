/** Keeps the images of clients, in the background: a registration never waits for another server, and no page does. */
import type { Logger } from 'pino';
import type { FetchedImage } from '../images/fetch-image.ts';
import type { ClientLogoStore } from '../storage/client-logos.ts';

/** A bound, since other servers may be slow and this one has other work. */
const MAX_AT_ONCE = 5;

export type ClientLogoDeps = {
  readonly logos: Pick<ClientLogoStore, 'take' | 'save' | 'removeUnused'>;
  readonly fetchImage: (uri: string) => Promise<FetchedImage>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
};

/** One round; call it about every minute. A failed fetch is retried after an hour. Meanwhile the previous image stays. */
export async function keepClientLogos({ logos, fetchImage, logger }: ClientLogoDeps): Promise<void> {
  await logos.removeUnused();
  const due = await logos.take(MAX_AT_ONCE);
  await Promise.all(
    due.map(async (logoUri) => {
      try {
        await logos.save(logoUri, await fetchImage(logoUri));
        logger.info({ logoUri }, 'client logo fetched');
      } catch (error) {
        logger.warn({ logoUri, err: error }, 'client logo not fetched; the server retries in an hour');
      }
    }),
  );
}
