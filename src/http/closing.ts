import fp from 'fastify-plugin';

/**
 * While the server closes, requests in flight are finished and their connections end with them: an idle keep-alive connection
 * would hold the process until a supervisor kills it.
 */
export const closeConnectionsWhenClosing = fp(
  async (app) => {
    let closing = false;
    app.addHook('preClose', (done) => {
      closing = true;
      done();
    });
    app.addHook('onSend', (_request, reply, payload, done) => {
      if (closing) reply.header('connection', 'close');
      done(null, payload);
    });
  },
  { name: 'closing' },
);
