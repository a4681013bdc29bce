/** The guard for Express 4 and 5: `app.get('/photos', requires({ scopes: ['read'] }), handler)`. */
import type { Request, Response } from 'express';
import { demandNeeds, type Guard } from './guard.ts';
import type { Needs } from './needs.ts';
import { admit, refuse, serveMetadata } from './node-response.ts';
import type { Access } from './outcome.ts';

/** `response.locals` of a guarded route. */
export type GuardedLocals<Claims = unknown> = { access: Access<Claims> };

export function expressGuard<Claims>(guard: Guard<Claims>) {
  return {
    /** Middleware of a route. The caller is in `response.locals.access`. @throws TypeError when the needs are invalid. */
    requires(needs: Needs) {
      demandNeeds(guard, needs);
      return async (
        request: Request,
        response: Response<unknown, GuardedLocals<Claims>>,
        next: () => void,
      ): Promise<void> => {
        const outcome = await guard.check(request, needs);
        // A time limit of the API has answered meanwhile.
        if (response.headersSent) return;
        if (outcome.kind !== 'granted') return refuse(response, outcome);
        response.locals.access = outcome.access;
        admit(response, outcome);
        next();
      };
    },
    /** `app.use(metadata)`, on the application itself: serves the metadata of the API (RFC 9728). */
    metadata: serveMetadata(guard.metadata),
  };
}
