/**
 * Routes that are there from the start, and handlers that are loaded at the first request for one of them: most requests are for others,
 * and a start is faster and smaller without what answers these (docs/decisions/0069).
 */
import type { FastifyInstance, RouteHandlerMethod } from 'fastify';

/** Method and path: `GET /account/data`. */
export type RouteName = `${'GET' | 'POST'} /${string}`;
export type Handlers<Name extends RouteName = RouteName> = Readonly<Record<Name, RouteHandlerMethod>>;

/** @param load is asked once, and again after a failure. */
export function lazyRoutes<Name extends RouteName>(
  app: FastifyInstance,
  names: readonly Name[],
  load: () => Promise<Partial<Handlers<Name>>>,
): void {
  const open = loadedOnce(load);
  for (const name of names) {
    const [method, url] = name.split(' ') as ['GET' | 'POST', string];
    app.route({
      method,
      url,
      async handler(request, reply) {
        const { [name]: handle } = await open();
        if (!handle) throw new Error(`Nothing answers ${name}.`);
        return handle.call(this, request, reply);
      },
    });
  }
}

/** For all who ask at once, too. */
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
