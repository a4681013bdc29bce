import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server';
import express from 'express';
import { type Access, createGuard } from 'statehouse/guard';
import { type McpAuthInfo, mcpGuard } from 'statehouse/guard/mcp';

/**
 * @param resource the URL of this MCP server, which is its identifier too.
 * @param serverFor makes the tools for one request of one end-user.
 */
export function mcpApi(issuer: string, resource: string, serverFor: (access: Access) => McpServer): express.Express {
  const guard = createGuard({ issuer, resource, scopes: ['read', 'write'], name: 'Photos' });
  // Every request needs `read`, and a call of the tool add_photo `write` too.
  const { protect, metadata } = mcpGuard(guard, { scopes: ['read'], tools: { add_photo: ['write'] } });
  const answer = toNodeHandler(createMcpHandler(({ authInfo }) => serverFor(authInfo?.extra?.['access'] as Access)));

  const app = express();
  app.use(metadata);
  app.all(new URL(resource).pathname, express.json(), protect, (request, response) =>
    answer(request as typeof request & { auth: McpAuthInfo }, response, request.body),
  );
  return app;
}
