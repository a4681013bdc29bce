import express from 'express';
import { createGuard } from 'statehouse/guard';
import { expressGuard } from 'statehouse/guard/express';
import { z } from 'zod';

/** The claims that claims.yaml releases for a scope of this API. A token of a client itself never has them. */
const Claims = z.object({ roles: z.array(z.enum(['editor', 'viewer'])).default([]) });

/** @param log of the API. */
export function apiWithRoles(issuer: string, resource: string, log: (entry: object) => void): express.Express {
  const guard = createGuard({
    issuer,
    resource,
    claims: Claims,
    // Neither `reason` nor `detail` contains a token, but the query of a URL may.
    onRefusal: (outcome, { method, url }) => {
      const detail = outcome.kind === 'unavailable' ? outcome.detail : undefined;
      log({ kind: outcome.kind, reason: outcome.reason, detail, method, path: url?.split('?')[0] });
    },
  });
  const { requires } = expressGuard(guard);

  const app = express();
  app.get('/photos', requires({ scopes: ['read'] }), (_request, response) => {
    // The type of `roles` is that of the schema.
    const { roles } = response.locals.access.claims;
    response.json({ mayEdit: roles.includes('editor'), photos: [] });
  });
  return app;
}
