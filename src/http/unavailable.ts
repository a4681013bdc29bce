import type { FastifyReply, FastifyRequest } from 'fastify';
import { StoreUnavailable, Unavailable, type UnavailableReason } from '../engine/errors.ts';
import { setLogLine } from './request-log.ts';

const WORDS: Readonly<Record<UnavailableReason, string>> = {
  store_unavailable: 'The server cannot reach its database. Nothing was changed; try again.',
  too_many_conflicts: 'Too many requests for the same grant at once. Nothing was changed by this one; try again.',
  commit_unknown:
    'The server lost its database while it answered, and cannot know whether the token was used. Do not repeat this request; should the next one fail, ask the end-user to sign in again.',
};

/** For requests that may be repeated, an unknown commit does no harm. */
const ASK_AGAIN = 'The server cannot reach its database. Asking again is safe, whatever became of this request.';

export const isUnavailable = (error: unknown): error is Unavailable | StoreUnavailable =>
  error instanceof Unavailable || error instanceof StoreUnavailable;

/**
 * 503. With `Retry-After` when trying again is safe; without it when it is unknown whether the commit took place: a client
 * that retries a rotation that did commit presents a used token.
 *
 * @param mayBeRepeated asking again is safe in any case, as of a revocation (RFC 7009 §2.2.1).
 */
export function sendUnavailable(
  request: FastifyRequest,
  reply: FastifyReply,
  error: Unavailable | StoreUnavailable,
  mayBeRepeated = false,
): FastifyReply {
  const reason = error instanceof Unavailable ? error.reason : 'store_unavailable';
  setLogLine(request, 'unavailable', { reason, err: error }, 'error');
  if (mayBeRepeated || reason !== 'commit_unknown') reply.header('retry-after', '1');
  return reply
    .code(503)
    .header('cache-control', 'no-store')
    .send({
      error: 'temporarily_unavailable',
      error_description: mayBeRepeated ? ASK_AGAIN : WORDS[reason],
    });
}
