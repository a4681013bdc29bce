import fp from 'fastify-plugin';

/**
 * While the server closes, it finishes the requests in flight and closes their connections. An idle keep-alive
 * connection would keep the process running until a supervisor kills it.
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
