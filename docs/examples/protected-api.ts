import express from 'express';
import { type Access, createGuard } from 'statehouse/guard';

/** @param resource the identifier of this API in the server's resources.yaml, exactly as written there. */
export function protectedApi(issuer: string, resource: string): express.Express {
  const guard = createGuard({ issuer, resource, scopes: ['read', 'write'], name: 'Photos' });

  /** Lets through only tokens that have these scopes. */
  const requireScopes =
    (...scopes: string[]): express.RequestHandler =>
    async (request, response, next) => {
      const outcome = await guard.check(request, { scopes });
      const { vary = '', ...headers } = outcome.headers;
      response.set(headers).vary(vary);
      if (outcome.kind !== 'granted') return void response.status(outcome.status).json(outcome.body);
      response.locals['access'] = outcome.access;
      next();
    };

  const app = express();
  app.get('/photos', requireScopes('read'), (_request, response) => {
    // The end-user, or the client itself where it acts for itself.
    const { subject, clientId } = response.locals['access'] as Access;
    response.json({ subject, clientId, photos: [] });
  });
  app.post('/photos', requireScopes('write'), (_request, response) => void response.status(201).end());
  // RFC 9728: where clients that know nothing but this API learn which server to ask for a token.
  app.get(String(guard.metadata.path), (_request, response) => {
    response.set('Access-Control-Allow-Origin', '*').json(guard.metadata.document);
  });
  return app;
}
