import express from 'express';
import { createGuard } from 'statehouse/guard';
import { expressGuard } from 'statehouse/guard/express';

/** @param resource the identifier of this API in the server's resources.yaml, exactly as written there. */
export function protectedApi(issuer: string, resource: string): express.Express {
  const guard = createGuard({ issuer, resource, scopes: ['read', 'write'], name: 'Photos' });
  const { requires, metadata } = expressGuard(guard);

  const app = express();
  // RFC 9728: clients that know only this API learn from it which server issues its tokens.
  app.use(metadata);
  app.get('/photos', requires({ scopes: ['read'] }), (_request, response) => {
    // The end-user, or the client itself where it acts for itself.
    const { subject, clientId } = response.locals.access;
    response.json({ subject, clientId, photos: [] });
  });
  app.post('/photos', requires({ scopes: ['write'] }), (_request, response) => void response.status(201).end());
  return app;
}
