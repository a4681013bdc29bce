/** The door: who may come in, what those are told who may not, and where they learn whom to ask (RFC 9728, RFC 6750). */
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import express from 'express';
import { type Caller, callerReader } from './access-token.ts';
import { type Album, photoServer, SCOPES, type Scope, scopeNeeded } from './photos.ts';

/**
 * @param issuer of the authorization server, byte for byte.
 * @param resource the URL at which clients find this API. It is also its identifier, which tokens have as `aud`.
 */
export function photoApi(issuer: string, resource: string): express.Express {
  const { origin, pathname } = new URL(resource);
  // RFC 9728 §3.1: the well-known part comes between host and path.
  const metadataPath = `/.well-known/oauth-protected-resource${pathname.replace(/\/$/, '')}`;
  const metadata = {
    resource,
    authorization_servers: [issuer],
    scopes_supported: SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'Photos',
  };

  /** RFC 6750 §3, with `resource_metadata` (RFC 9728 §5.1): from here a client finds the way by itself. */
  const refuse = (response: express.Response, status: 401 | 403, scope: Scope, error?: string) => {
    const parts = {
      ...(error !== undefined && { error }),
      scope,
      resource_metadata: `${origin}${metadataPath}`,
    };
    const words = Object.entries(parts).map(([name, value]) => `${name}="${value}"`);
    // RFC 6750 §3.1: to a request without a token nothing is said of what is wrong with it.
    response
      .status(status)
      .set('WWW-Authenticate', `Bearer ${words.join(', ')}`)
      .json(error === undefined ? {} : { error });
  };

  const readCaller = callerReader(issuer, resource);
  const letIn: express.RequestHandler = async (request, response, next) => {
    const scope = scopeNeeded(request.body);
    const caller = await readCaller(request.get('authorization'));
    if (caller === 'missing') return refuse(response, 401, scope);
    if (caller === 'invalid') return refuse(response, 401, scope, 'invalid_token');
    if (!caller.scope.includes(scope)) return refuse(response, 403, scope, 'insufficient_scope');
    response.locals['caller'] = caller;
    next();
  };

  const album: Album = new Map();
  // The MCP server is made for one request and one caller: nobody can get the photos of another.
  const mcp = createMcpHandler(({ authInfo }) => photoServer(album, { sub: String(authInfo?.extra?.['sub']) }));
  const answer = toNodeHandler(mcp);

  const app = express();
  app.disable('x-powered-by');
  // Clients that live in browsers read it too; there is nothing secret in it.
  app.get(metadataPath, (_request, response) => void response.set('Access-Control-Allow-Origin', '*').json(metadata));
  app.all(pathname, express.json(), letIn, (request, response) => {
    const { token, clientId, scope, expiresAt, sub } = response.locals['caller'] as Caller;
    const auth = { token, clientId, scopes: [...scope], expiresAt, extra: { sub } };
    return answer(Object.assign(request, { auth }), response, request.body);
  });
  return app;
}
