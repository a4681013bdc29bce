/** The API's access control. The guard rejects other requests and names the authorization server (RFC 6750, RFC 9728). */
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import express from 'express';
import { type Access, createGuard } from 'statehouse/guard';
import { type Album, photoServer, SCOPES, scopeNeeded } from './photos.ts';

/**
 * @param issuer of the authorization server, byte for byte.
 * @param resource the URL at which clients find this API. It is also its identifier, which tokens have as `aud`.
 */
export function photoApi(issuer: string, resource: string): express.Express {
  const guard = createGuard({ issuer, resource, scopes: SCOPES, name: 'Photos' });

  const letIn: express.RequestHandler = async (request, response, next) => {
    const outcome = await guard.check(request, { scopes: [scopeNeeded(request.body)] });
    const { vary = '', ...headers } = outcome.headers;
    response.set(headers).vary(vary);
    if (outcome.kind !== 'granted') return void response.status(outcome.status).json(outcome.body);
    response.locals['access'] = outcome.access;
    next();
  };

  const album: Album = new Map();
  // The MCP server is made for one request and one caller, so no caller can read the photos of another.
  const mcp = createMcpHandler(({ authInfo }) => photoServer(album, String(authInfo?.extra?.['subject'])));
  const answer = toNodeHandler(mcp);

  const app = express();
  app.disable('x-powered-by');
  // Clients in browsers read it too. It contains no secret.
  app.get(String(guard.metadata.path), (_request, response) => {
    response.set('Access-Control-Allow-Origin', '*').json(guard.metadata.document);
  });
  app.all(new URL(resource).pathname, express.json(), letIn, (request, response) => {
    const { subject, clientId, scopes, claims } = response.locals['access'] as Access;
    // Tools get no token: it is for this API alone.
    const auth = { token: '', clientId, scopes: [...scopes], expiresAt: claims.exp, extra: { subject } };
    return answer(Object.assign(request, { auth }), response, request.body);
  });
  return app;
}
