/**
 * A client on the command line: is refused, finds the authorization server, sends the person there, and calls the tools. It is a stranger
 * there, unless CLIENT_ID names a registered client. CLIENT_DOCUMENT: the URL of a document about it, if it has one.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { RegisteredClient } from './registered-client.ts';
import { Stranger } from './stranger.ts';

const { API = 'http://localhost:4000/mcp', ISSUER = 'http://localhost:3000', CLIENT_ID, CLIENT_DOCUMENT } = process.env;
const say = (words: string) => void process.stdout.write(`${words}\n`);

// RFC 8252 §7.3: on 127.0.0.1, on whatever port is free; the authorization server lets the port vary.
const callback = createServer();
await new Promise<void>((resolve) => callback.listen(0, '127.0.0.1', resolve));
const redirectUrl = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`;
const open = (url: URL) => say(`Open this in a browser:\n\n  ${url}\n`);
const provider =
  CLIENT_ID === undefined
    ? new Stranger(CLIENT_DOCUMENT ?? null, redirectUrl, open)
    : new RegisteredClient({ issuer: ISSUER, clientId: CLIENT_ID }, redirectUrl, open);

/** The person has decided: the query with which their browser came back. */
const answered = new Promise<URLSearchParams>((resolve) => {
  callback.on('request', (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', redirectUrl);
    if (pathname !== '/callback' || !provider.isMine(searchParams.get('state'))) return response.writeHead(404).end();
    response.end('You can close this page.');
    return resolve(searchParams);
  });
});

async function connected(): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL(API), { authProvider: provider });
  const client = new Client({ name: 'photo-agent', version: '1.0.0' });
  try {
    await client.connect(transport);
    return client;
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    // Checks `iss` (RFC 9207), then exchanges the code.
    await transport.finishAuth(await answered);
    return connected();
  }
}

const client = await connected();
const { tools } = await client.listTools();
say(`Tools: ${tools.map((tool) => tool.name).join(', ')}`);
const { content } = await client.callTool({ name: 'list_photos' });
say(`Photos: ${JSON.stringify(content)}`);
await client.close();
callback.close();
