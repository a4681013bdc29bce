/** The protected resource: the photos of an end-user, as MCP tools. */
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** The scopes, as policies/resources.yaml describes them at the authorization server. */
export const SCOPES = ['photos:read', 'photos:write'] as const;

/** The further scopes of a tool. Every request requires `photos:read`. */
export const SCOPES_OF_TOOLS = { add_photo: ['photos:write'] };

export type Album = Map<string, string[]>;

/** One server per request. The guard has already authorized the caller. */
export function photoServer(album: Album, subject: string): McpServer {
  const server = new McpServer({ name: 'photos', version: '1.0.0' });
  const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
  server.registerTool('list_photos', { description: 'The names of your photos.' }, () =>
    text((album.get(subject) ?? []).join('\n')),
  );
  server.registerTool(
    'add_photo',
    { description: 'Adds a photo.', inputSchema: z.object({ name: z.string().max(100) }) },
    ({ name }) => {
      album.set(subject, [...(album.get(subject) ?? []), name]);
      return text(`Added ${name}.`);
    },
  );
  return server;
}
