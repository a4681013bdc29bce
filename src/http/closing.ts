import type { FastifyInstance } from 'fastify';

/**
 * While closing, requests in flight are finished and their connections end with them: a kept-alive one would hold the
 * process for its whole idle time, and whoever waits for it would kill it.
 */
export function closeConnectionsWhenClosing(app: FastifyInstance): void {
  let closing = false;
  app.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) reply.header('connection', 'close');
    done(null, payload);
  });
}
