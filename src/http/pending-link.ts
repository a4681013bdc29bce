/** After a complete sign-in: the link that waits for it in this browser. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PendingLinkDeps } from '../people/external/pending-link.ts';
import type { PageParts } from './page-parts.ts';

export type PendingLinkOptions = PendingLinkDeps & Pick<PageParts, 'cookies'>;

const LONG_AGO = new Date(0);

/** @param userId of the end-user who has completed a sign-in here. @throws StoreUnavailable */
export async function completeLink(
  options: PendingLinkOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  userId: string,
): Promise<void> {
  const { cookies } = options;
  const sealed = cookies.readLink(request);
  const browser = cookies.hash(request, 'browser');
  if (sealed === null || browser === null) return;
  const { completePendingLink } = await import('../people/external/pending-link.ts');
  if (!(await completePendingLink(options, sealed, browser, userId))) return;
  cookies.setLink(reply, null, LONG_AGO);
  request.log.info({ userId }, 'identity linked');
}
