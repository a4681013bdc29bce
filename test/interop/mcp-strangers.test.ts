/**
 * Clients that no operator registered, in both lines of the MCP SDK, at MCP servers of both lines: from a 401 to a tool and to the next
 * access token. Only the document of the client is not on a port of this machine.
 */
import type { Server } from 'node:http';
import * as current from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { shippedConfiguration } from '../support/app.ts';
import { DOCUMENT_URL, documentOf, documentServer, RULES, sent } from '../support/client-documents.ts';
import { RULES as REGISTRATION_RULES } from '../support/client-registrations.ts';
import { runningClock } from '../support/clock.ts';
import { claimsOf, signedByUs } from '../support/forging.ts';
import { judged } from '../support/interop.ts';
import { freePort } from '../support/listening.ts';
import { openMcpServer, PROTECTIONS, SCOPES } from '../support/mcp-servers.ts';
import { loadedByNode } from '../support/plain-node.ts';

const { Stranger } = loadedByNode<typeof import('../../examples/mcp-protected-api/stranger.ts')>(
  'examples/mcp-protected-api/stranger.ts',
);
type Provider = InstanceType<typeof Stranger>;

const REDIRECT = 'http://127.0.0.1:51004/callback';

const LINES: Readonly<Record<string, (provider: Provider, url: string) => Connection>> = {
  '@modelcontextprotocol/sdk 1': (provider, url) => {
    const transport = new FirstTransport(new URL(url), { authProvider: provider });
    const client = new FirstClient({ name: 'stranger', version: '1' });
    return {
      connect: () => client.connect(transport as Parameters<typeof client.connect>[0]),
      finish: (back) => transport.finishAuth(back.get('code') ?? ''),
      whoami: () => client.callTool({ name: 'whoami', arguments: {} }),
      close: () => client.close(),
    };
  },
  '@modelcontextprotocol/client 2': (provider, url) => {
    const transport = new current.StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
    const client = new current.Client({ name: 'stranger', version: '1' });
    return {
      connect: () => client.connect(transport),
      finish: (back) => transport.finishAuth(back),
      whoami: () => client.callTool({ name: 'whoami', arguments: {} }),
      close: () => client.close(),
    };
  },
};
type Connection = {
  readonly connect: () => Promise<unknown>;
  readonly finish: (back: URLSearchParams) => Promise<unknown>;
  readonly whoami: () => Promise<unknown>;
  readonly close: () => Promise<void>;
};

const ports = await Promise.all([freePort(), freePort()]);
/** With a path, and without one: some clients send the latter with a slash. */
const [AT_PATH, AT_ORIGIN] = [`http://localhost:${ports[0]}/mcp`, `http://localhost:${ports[1]}`] as const;

const ACCESS = { scopes: [...SCOPES], resources: [AT_PATH, AT_ORIGIN] };

describe.each(['', '/tenant'])('an issuer with the path "%s"', (path) => {
  const documents = documentServer();
  documents.say(DOCUMENT_URL, sent(documentOf(DOCUMENT_URL, { redirect_uris: ['http://127.0.0.1/callback'] })));
  const described = (identifier: string) => ({
    identifier,
    name: 'Photos',
    scopes: SCOPES.map((name) => ({ name, description: `${name} there` })),
  });
  const judging = judged({
    path,
    clock: runningClock(),
    fetchClientDocument: documents.fetchClientDocument,
    configuration: {
      ...shippedConfiguration,
      resources: [...shippedConfiguration.resources, described(AT_PATH), described(AT_ORIGIN)],
      registration: {
        metadataDocuments: { ...RULES, ...ACCESS },
        dynamicRegistration: { ...REGISTRATION_RULES, ...ACCESS },
      },
    },
  });

  describe.each(PROTECTIONS)('an MCP server behind %s', (protection) => {
    const opened: Server[] = [];
    beforeAll(async () => {
      for (const url of [AT_PATH, AT_ORIGIN]) {
        opened.push(await openMcpServer(protection, judging.current.test.issuer, url));
      }
    });
    afterAll(() => {
      for (const one of opened) {
        one.close();
        // The streams that clients hold open.
        one.closeAllConnections();
      }
    });

    describe.each(Object.entries(LINES))('lets a stranger of %s', (_, connection) => {
      it.each([
        ['a document', AT_PATH, DOCUMENT_URL],
        ['a document', AT_ORIGIN, DOCUMENT_URL],
        ['a registration of its own', AT_PATH, null],
      ])('sign an end-user in, call a tool and refresh, by %s, at %s', async (_way, url, documentUrl) => {
        const { test, approve } = judging.current;
        const asked: URL[] = [];
        const provider = new Stranger(documentUrl, REDIRECT, (to) => void asked.push(to));
        const first = connection(provider, url);
        await expect(first.connect()).rejects.toThrow(/Unauthorized/);
        const [to = new URL(url)] = asked;
        const clientId = String(provider.clientInformation()?.client_id);
        if (documentUrl !== null) expect(clientId).toBe(documentUrl);
        expect(Object.fromEntries(to.searchParams)).toMatchObject({
          client_id: clientId,
          // The metadata of both lines write an origin with a slash.
          resource: expect.stringMatching(new RegExp(`^${url}/?$`)),
          // Line 2 adds offline_access where the metadata of the server have it.
          scope: expect.stringMatching(/^photos:read( offline_access)?$/),
        });
        await first.finish((await approve(to)).searchParams);

        const tokens = provider.tokens();
        expect(claimsOf(tokens?.access_token ?? '')).toMatchObject({ aud: url, scope: 'photos:read' });
        const client = connection(provider, url);
        await client.connect();
        onTestFinished(client.close);
        expect(await client.whoami()).toMatchObject({ content: [{ text: clientId }] });

        const past = Math.floor(Date.now() / 1000) - 60;
        const expired = signedByUs(test, {}, { ...claimsOf(tokens?.access_token ?? ''), iat: past - 900, exp: past });
        provider.saveTokens({ ...tokens, access_token: expired, token_type: 'Bearer' });
        expect(await client.whoami()).toMatchObject({ content: [{ text: clientId }] });
        expect(provider.tokens()?.refresh_token).not.toBe(tokens?.refresh_token);
        expect(claimsOf(provider.tokens()?.access_token ?? '').aud).toBe(url);
        // Without a second consent.
        expect(asked).toHaveLength(1);
      });
    });
  });
});
