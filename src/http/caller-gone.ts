import type { FastifyReply } from 'fastify';

/**
 * Comes when the connection ends before the answer was sent. Fastify's `request.signal` comes as soon as the body was read, since
 * Node closes the incoming message then.
 */
export function callerGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const look = () => {
    if (!raw.writableFinished) gone.abort();
  };
  if (raw.destroyed) look();
  else raw.once('close', look);
  return gone.signal;
}
