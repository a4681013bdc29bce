/**
 * Paths that another app answers, behind the same server. Most requests are for others, and a start is faster and smaller without
 * them, so that app is built when somebody asks for it.
 */
import type { FastifyInstance, HTTPMethods } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Another app answers, and writes the line of the request. */
    handedOn?: true;
  }
}

/** Those that the router knows; other names are no methods of anything here. */
export const EVERY_METHOD: readonly HTTPMethods[] = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'QUERY',
];

/**
 * @param paths below the path of the issuer, with everything below each.
 * @param build builds the app. It is asked again after a failure.
 */
export function handOn(app: FastifyInstance, paths: readonly string[], build: () => Promise<FastifyInstance>): void {
  let opened: Promise<FastifyInstance> | null = null;
  const open = () => {
    opened ??= build().catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  };
  // Streams end, and requests in flight are told to close their connections.
  app.addHook('preClose', async () => {
    await (await opened)?.close();
  });
  for (const url of paths.flatMap((path) => [path, `${path}/*`])) {
    app.route({
      method: [...EVERY_METHOD],
      url,
      config: { handedOn: true },
      // Before the body is read: that is for the other app.
      onRequest: async (request, reply) => {
        const { routing } = await open();
        reply.hijack();
        routing(request.raw, reply.raw);
      },
      handler: (_request, reply) => reply,
    });
  }
}
