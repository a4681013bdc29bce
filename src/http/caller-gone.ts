import type { FastifyReply } from 'fastify';

/**
 * Aborts when the connection ends before the response was sent. Fastify's `request.signal` aborts as soon as the body
 * was read, because Node closes the incoming message then.
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
