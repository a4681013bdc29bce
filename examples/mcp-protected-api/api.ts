/** The API's access control. The guard rejects other requests and names the authorization server (RFC 6750, RFC 9728). */
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import express from 'express';
import { type Access, createGuard } from 'statehouse/guard';
import { type McpAuthInfo, mcpGuard } from 'statehouse/guard/mcp';
import { type Album, photoServer, SCOPES, SCOPES_OF_TOOLS } from './photos.ts';

/**
 * @param issuer of the authorization server, byte for byte.
 * @param resource the URL at which clients find this API. It is also its identifier, which tokens have as `aud`.
 */
export function photoApi(issuer: string, resource: string): express.Express {
  const guard = createGuard({ issuer, resource, scopes: SCOPES, name: 'Photos' });
  const { protect, metadata } = mcpGuard(guard, { scopes: ['photos:read'], tools: SCOPES_OF_TOOLS });

  const album: Album = new Map();
  // The MCP server is made for one request and one caller, so no caller can read the photos of another.
  const mcp = createMcpHandler(({ authInfo }) => {
    const access = authInfo?.extra?.['access'] as Access;
    return photoServer(album, access.subject);
  });
  const answer = toNodeHandler(mcp);

  const app = express();
  app.disable('x-powered-by');
  app.use(metadata);
  app.all(new URL(resource).pathname, express.json(), protect, (request, response) =>
    answer(request as typeof request & { auth: McpAuthInfo }, response, request.body),
  );
  return app;
}
