/** The guard for Hono: `app.get('/photos', requires({ scopes: ['read'] }), handler)`. It uses nothing of Node. */
import type { MiddlewareHandler } from 'hono';
import { fetchGuard, refusalOf } from './fetch.ts';
import { demandNeeds, type Guard } from './guard.ts';
import { cachingOf } from './headers.ts';
import type { Needs } from './needs.ts';
import type { Access } from './outcome.ts';

/** The variables of a guarded route. */
export type GuardedVariables<Claims = unknown> = { Variables: { access: Access<Claims> } };

export function honoGuard<Claims>(guard: Guard<Claims>) {
  const { metadata } = fetchGuard(guard);
  return {
    /** Middleware of a route. The caller is `context.var.access`. @throws TypeError when the needs are invalid. */
    requires(needs: Needs): MiddlewareHandler<GuardedVariables<Claims>> {
      demandNeeds(guard, needs);
      return async (context, next) => {
        const outcome = await guard.check(context.req.raw, needs);
        if (outcome.kind !== 'granted') return refusalOf(outcome);
        context.set('access', outcome.access);
        await next();
        const { headers } = context.res;
        const present = { cacheControl: headers.get('cache-control'), vary: headers.get('vary') };
        for (const [name, value] of Object.entries(cachingOf(present))) context.header(name, value);
        return undefined;
      };
    },
    /** `app.use(metadata)`: serves the metadata of the API (RFC 9728). */
    metadata: (async (context, next) => {
      const { method, path } = context.req;
      // Hono sends a response to HEAD without its body.
      const isAsked = (method === 'GET' || method === 'HEAD') && path === guard.metadata.path;
      return isAsked ? metadata() : next();
    }) satisfies MiddlewareHandler as MiddlewareHandler,
  };
}
