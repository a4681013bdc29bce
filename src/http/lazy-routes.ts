/**
 * Routes whose handlers the first request loads. The server registers their names at the start. Most requests are for
 * other routes, and a start without these handlers is faster and smaller (docs/decisions/0069).
 */
import type { FastifyInstance, RouteHandlerMethod } from 'fastify';

/** Method and path: `GET /account/data`. */
export type RouteName = `${'GET' | 'POST'} /${string}`;
export type Handlers<Name extends RouteName = RouteName> = Readonly<Record<Name, RouteHandlerMethod>>;

/**
 * @param load called once, and again after a failure.
 * @param exist false: no such routes now. Absent: they always exist.
 */
export function lazyRoutes<Name extends RouteName>(
  app: FastifyInstance,
  names: readonly Name[],
  load: () => Promise<Partial<Handlers<Name>>>,
  exist: () => boolean = () => true,
): void {
  const open = loadedOnce(load);
  for (const name of names) {
    const [method, url] = name.split(' ') as ['GET' | 'POST', string];
    app.route({
      method,
      url,
      async handler(request, reply) {
        if (!exist()) {
          reply.callNotFound();
          return reply;
        }
        const { [name]: handle } = await open();
        if (!handle) throw new Error(`Nothing answers ${name}.`);
        return handle.call(this, request, reply);
      },
    });
  }
}

/** Concurrent calls share the load. */
function loadedOnce<Part>(load: () => Promise<Part>): () => Promise<Part> {
  let loaded: Promise<Part> | null = null;
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = null;
      throw error;
    });
    return loaded;
  };
}
