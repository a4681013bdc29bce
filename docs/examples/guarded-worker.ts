import { createGuard } from 'statehouse/guard';
import { fetchGuard } from 'statehouse/guard/fetch';

/** `export default photosWorker(…)`: one guard for all requests of an isolate, because the guard keeps the keys. */
export function photosWorker(issuer: string, resource: string) {
  const guard = createGuard({ issuer, resource, scopes: ['read', 'write'], name: 'Photos' });
  const { requires, metadata } = fetchGuard(guard);
  type Handler = (request: Request) => Response | Promise<Response>;
  const routes: Record<string, Handler> = {
    'GET /photos': requires({ scopes: ['read'] }, (_request, { subject }) => Response.json({ subject, photos: [] })),
    'POST /photos': requires({ scopes: ['write'] }, () => new Response(null, { status: 201 })),
    [`GET ${guard.metadata.path}`]: metadata,
  };
  return {
    fetch: (request: Request): Response | Promise<Response> => {
      const route = routes[`${request.method} ${new URL(request.url).pathname}`];
      return route?.(request) ?? new Response(null, { status: 404 });
    },
  };
}
