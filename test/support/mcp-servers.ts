/** One MCP server with one tool, protected in each way that the two lines of the MCP SDK offer, and in each with our guard. */
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  getOAuthProtectedResourceMetadataUrl,
  mcpAuthMetadataRouter,
} from '@modelcontextprotocol/sdk/server/auth/router.js';
import { McpServer as FirstServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import * as current from '@modelcontextprotocol/server';
import express from 'express';
import { createGuard, type Guard } from '../../src/guard/index.ts';
import { authInfoOf, type McpAuthInfo, mcpGuard } from '../../src/guard/mcp.ts';

// Without its types: they give each request of Express an `auth`, and so do those of another library.
const required = createRequire(import.meta.url);
const { requireBearerAuth } = required('@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js') as {
  readonly requireBearerAuth: (options: object) => express.RequestHandler;
};
const { InvalidTokenError } = required('@modelcontextprotocol/sdk/server/auth/errors.js') as {
  readonly InvalidTokenError: new (message: string) => Error;
};

type Authorized<Request> = Request & { readonly auth: McpAuthInfo };

export const SCOPES = ['photos:read', 'photos:write'] as const;
const READ = ['photos:read'];

/** The verifier that the SDK's own middleware wants, with the guard's check behind it. */
const verifierOf = (guard: Guard, resource: string, invalid: (message: string) => Error) => ({
  verifyAccessToken: async (token: string) => {
    const outcome = await guard.check(
      { method: 'POST', headers: { authorization: `Bearer ${token}` } },
      { scopes: [] },
    );
    if (outcome.kind !== 'granted') throw invalid('The token is not valid for this API.');
    return { ...authInfoOf(outcome.access), resource: new URL(resource) };
  },
});

/** The metadata of the authorization server, which both lines want at the start. */
async function serverMetadata(issuer: string): Promise<current.OAuthMetadata> {
  const { origin, pathname } = new URL(issuer);
  const answer = await fetch(`${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/$/, '')}`);
  return (await answer.json()) as current.OAuthMetadata;
}

const firstServer = (): express.RequestHandler => async (request, response) => {
  const server = new FirstServer({ name: 'photos', version: '1.0.0' });
  server.registerTool('whoami', {}, ({ authInfo }) => ({
    content: [{ type: 'text', text: authInfo?.clientId ?? 'unknown' }],
  }));
  const transport = new StreamableHTTPServerTransport({});
  response.on('close', () => void transport.close());
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  await transport.handleRequest(request as Authorized<typeof request>, response, request.body);
};

const secondServer = () =>
  current.createMcpHandler(({ authInfo }) => {
    const server = new current.McpServer({ name: 'photos', version: '1.0.0' });
    server.registerTool('whoami', {}, () => ({ content: [{ type: 'text', text: authInfo?.clientId ?? 'unknown' }] }));
    return server;
  });

type Making = (app: express.Express, issuer: string, resource: string) => Promise<void>;

const PROTECTED: Readonly<Record<string, Making>> = {
  'statehouse/guard, with @modelcontextprotocol/sdk 1': async (app, issuer, resource) => {
    const { protect, metadata } = mcpGuard(createGuard({ issuer, resource, scopes: SCOPES }), { scopes: READ });
    app.use(metadata);
    app.all(new URL(resource).pathname, express.json(), protect, firstServer());
  },
  'statehouse/guard, with @modelcontextprotocol/server 2': async (app, issuer, resource) => {
    const { protect, metadata } = mcpGuard(createGuard({ issuer, resource, scopes: SCOPES }), { scopes: READ });
    const answer = toNodeHandler(secondServer());
    app.use(metadata);
    app.all(new URL(resource).pathname, express.json(), protect, (request, response) =>
      answer(request as Authorized<typeof request>, response, request.body),
    );
  },
  'the middleware of @modelcontextprotocol/sdk 1': async (app, issuer, resource) => {
    const resourceServerUrl = new URL(resource);
    app.use(
      mcpAuthMetadataRouter({
        oauthMetadata: await serverMetadata(issuer),
        resourceServerUrl,
        scopesSupported: [...SCOPES],
      }),
    );
    const verifier = verifierOf(createGuard({ issuer, resource }), resource, (words) => new InvalidTokenError(words));
    const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(resourceServerUrl);
    const demands = { verifier, requiredScopes: READ, resourceMetadataUrl, expectedResource: resourceServerUrl };
    app.all(resourceServerUrl.pathname, express.json(), requireBearerAuth(demands), firstServer());
  },
  'the gate of @modelcontextprotocol/server 2': async (app, issuer, resource) => {
    const resourceServerUrl = new URL(resource);
    const oauthMetadata = await serverMetadata(issuer);
    const verifier = verifierOf(
      createGuard({ issuer, resource }),
      resource,
      (words) => new current.OAuthError(current.OAuthErrorCode.InvalidToken, words),
    );
    const gate = current.requireBearerAuth({
      verifier,
      requiredScopes: READ,
      resourceMetadataUrl: current.getOAuthProtectedResourceMetadataUrl(resourceServerUrl),
      expectedResource: resourceServerUrl,
    });
    const mcp = secondServer();
    const answer = toNodeHandler({
      fetch: async (request) => {
        const described = current.oauthMetadataResponse(request, {
          oauthMetadata,
          resourceServerUrl,
          scopesSupported: [...SCOPES],
        });
        if (described) return described;
        const authInfo = await gate(request);
        return authInfo instanceof Response ? authInfo : mcp.fetch(request, { authInfo });
      },
    });
    app.use((request, response) => answer(request as Authorized<typeof request>, response));
  },
};

export const PROTECTIONS = Object.keys(PROTECTED);

/** @param resource its own URL, on a port of localhost. */
export async function openMcpServer(protection: string, issuer: string, resource: string): Promise<Server> {
  const app = express();
  await PROTECTED[protection]?.(app, issuer, resource);
  return new Promise((resolve) => {
    const opening: Server = app.listen(Number(new URL(resource).port), 'localhost', () => resolve(opening));
  });
}
