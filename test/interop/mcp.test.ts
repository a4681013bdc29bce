/** The clients of the Model Context Protocol, both lines that are kept, against the very files of examples/mcp-protected-api. */
import type { Server } from 'node:http';
import * as current from '@modelcontextprotocol/client';
import { auth as authOfFirst } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadConfiguration } from '../../src/config/load.ts';
import { readDeclaredClients } from '../../src/registration/declared-clients.ts';
import { exchange, makeClient, makeUser, obtainCode, obtainTokens, type TestClient } from '../support/actors.ts';
import { claimsOf, forgeriesOf, signedByUs } from '../support/forging.ts';
import { judged } from '../support/interop.ts';
import { freePort } from '../support/listening.ts';
import { loadedByNode } from '../support/plain-node.ts';

const { photoApi } = loadedByNode<typeof import('../../examples/mcp-protected-api/api.ts')>(
  'examples/mcp-protected-api/api.ts',
);
const { RegisteredClient } = loadedByNode<typeof import('../../examples/mcp-protected-api/registered-client.ts')>(
  'examples/mcp-protected-api/registered-client.ts',
);

const POLICIES = new URL('../../examples/mcp-protected-api/policies', import.meta.url).pathname;
const shipped = loadConfiguration(POLICIES, 'http://localhost:3000');

const port = await freePort();
const API = `http://localhost:${port}/mcp`;
const METADATA = `http://localhost:${port}/.well-known/oauth-protected-resource/mcp`;
const REDIRECT = 'http://127.0.0.1:51004/callback';
const OTHER_API = 'https://other.example';

describe('examples/mcp-protected-api', () => {
  const resources = shipped.resources.map((one) => ({ ...one, identifier: API }));
  const other = { identifier: OTHER_API, name: 'Other', scopes: [{ name: 'photos:read', description: 'not these' }] };
  const judging = judged({ configuration: { ...shipped, resources: [...resources, other] } });
  let agent: TestClient;
  let api: Server;

  beforeAll(async () => {
    const { test } = judging.current;
    const [declared] = readDeclaredClients(shipped, {}, POLICIES, false);
    if (!declared) throw new Error('clients.yaml declares no client');
    const { clientId, clientName, secret: _, ...metadata } = declared.metadata;
    agent = await makeClient(test, { ...metadata, clientId: String(clientId), clientName: String(clientName) });
    api = await new Promise((resolve) => {
      const opening: Server = photoApi(test.issuer, API).listen(port, 'localhost', () => resolve(opening));
    });
  });
  afterAll(() => new Promise((resolve) => api.close(resolve)));
  beforeEach(() => judging.current.test.clock.set(new Date()));

  /** A client whose browser follows redirects, and a record of each. */
  function agentOfPerson() {
    const sent: URL[] = [];
    const provider = new RegisteredClient(
      { issuer: judging.current.test.issuer, clientId: agent.clientId },
      REDIRECT,
      (url) => void sent.push(url),
    );
    const comesBack = async () => (await judging.current.approve(sent.at(-1) ?? new URL(API))).searchParams;
    return { provider, sent, comesBack };
  }

  describe.each([
    [
      '@modelcontextprotocol/client 2',
      (provider: InstanceType<typeof RegisteredClient>) => {
        const transport = new current.StreamableHTTPClientTransport(new URL(API), { authProvider: provider });
        const client = new current.Client({ name: 'test', version: '1' });
        return {
          connect: () => client.connect(transport),
          finish: (back: URLSearchParams) => transport.finishAuth(back),
          call: (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: args }),
          tools: () => client.listTools(),
        };
      },
      current.auth,
    ],
    [
      '@modelcontextprotocol/sdk 1',
      (provider: InstanceType<typeof RegisteredClient>) => {
        const transport = new FirstTransport(new URL(API), { authProvider: provider });
        const client = new FirstClient({ name: 'test', version: '1' });
        return {
          connect: () => client.connect(transport as Parameters<typeof client.connect>[0]),
          finish: (back: URLSearchParams) => transport.finishAuth(back.get('code') ?? ''),
          call: (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: args }),
          tools: () => client.listTools(),
        };
      },
      authOfFirst,
    ],
  ] as const)('%s', (_name, connection, auth) => {
    /** Refused, sent to the authorization server, and back. */
    async function signedIn() {
      const { provider, sent, comesBack } = agentOfPerson();
      const first = connection(provider);
      await expect(first.connect()).rejects.toThrow(/Unauthorized/);
      const asked = sent.at(-1)?.searchParams;
      const back = await comesBack();
      await first.finish(back);
      const client = connection(provider);
      await client.connect();
      return { provider, sent, comesBack, client, asked, back };
    }

    it('leads a client from a 401 to the tools', async () => {
      const { provider, client, asked, back } = await signedIn();
      expect(asked?.get('resource')).toBe(API);
      expect(asked?.get('scope')).toBe('photos:read');
      expect(asked?.get('code_challenge_method')).toBe('S256');
      expect(back.get('iss')).toBe(judging.current.test.issuer);
      expect(provider.isMine(back.get('state'))).toBe(true);
      expect((await client.tools()).tools.map((tool) => tool.name)).toEqual(['list_photos', 'add_photo']);
      expect(await client.call('list_photos')).toMatchObject({ content: [{ type: 'text', text: '' }] });
      expect(claimsOf(provider.tokens()?.access_token ?? '')).toMatchObject({
        aud: API,
        scope: 'photos:read',
        client_id: agent.clientId,
        sub: judging.current.user.id,
      });
    });

    it('refreshes when the API reports an expired token, and continues', async () => {
      const { provider, sent, client } = await signedIn();
      const first = provider.tokens();
      if (!first) throw new Error('no tokens came');
      provider.saveTokens({ ...first, access_token: expired(first.access_token) });
      expect(await client.call('list_photos')).toMatchObject({ content: [{ type: 'text' }] });
      const second = provider.tokens();
      expect(second?.refresh_token).not.toBe(first.refresh_token);
      expect(claimsOf(second?.access_token ?? '').aud).toBe(API);
      // No further consent.
      expect(sent).toHaveLength(1);
    });

    it('lets a client discover the metadata without configuration', async () => {
      const { provider, sent, comesBack } = agentOfPerson();
      expect(await auth(provider, { serverUrl: API })).toBe('REDIRECT');
      expect(sent[0]?.searchParams.get('resource')).toBe(API);
      const back = await comesBack();
      const answer = { authorizationCode: back.get('code') ?? '', iss: back.get('iss') ?? '' };
      expect(await auth(provider, { serverUrl: API, ...answer })).toBe('AUTHORIZED');
      const first = provider.tokens();
      expect(await auth(provider, { serverUrl: API })).toBe('AUTHORIZED');
      expect(provider.tokens()?.refresh_token).not.toBe(first?.refresh_token);
      // A used token is presented again: the chain has ended, and the SDK prints the authorization URL on the console.
      const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
      onTestFinished(() => warned.mockRestore());
      provider.saveTokens(first ?? { access_token: '', token_type: 'Bearer' });
      expect(await auth(provider, { serverUrl: API })).toBe('REDIRECT');
      expect(provider.tokens()).toBeUndefined();
    });
  });

  /** The same token, at a time past its expiry. */
  const expired = (accessToken: string): string => {
    const past = Math.floor(Date.now() / 1000) - 60;
    return signedByUs(judging.current.test, {}, { ...claimsOf(accessToken), iat: past - 900, exp: past });
  };

  it('requests more scope from the user when a tool needs it (2)', async () => {
    const { provider, sent, comesBack } = agentOfPerson();
    const connect = async () => {
      const transport = new current.StreamableHTTPClientTransport(new URL(API), { authProvider: provider });
      const client = new current.Client({ name: 'test', version: '1' });
      await client.connect(transport);
      return { transport, client };
    };
    const begin = new current.StreamableHTTPClientTransport(new URL(API), { authProvider: provider });
    await expect(new current.Client({ name: 'test', version: '1' }).connect(begin)).rejects.toThrow(/Unauthorized/);
    await begin.finishAuth(await comesBack());
    const { client, transport } = await connect();
    const photo = { name: 'add_photo', arguments: { name: 'sunset.jpg' } };
    await expect(client.callTool(photo)).rejects.toThrow();
    expect(sent).toHaveLength(2);
    expect(sent[1]?.searchParams.get('scope')?.split(' ').toSorted()).toEqual(['photos:read', 'photos:write']);
    await transport.finishAuth(await comesBack());
    const again = await connect();
    expect(await again.client.callTool(photo)).toMatchObject({ content: [{ text: 'Added sunset.jpg.' }] });
    expect(await again.client.callTool({ name: 'list_photos' })).toMatchObject({ content: [{ text: 'sunset.jpg' }] });
  });

  it('rejects an answer of another authorization server (2)', async () => {
    const { provider, comesBack } = agentOfPerson();
    const transport = new current.StreamableHTTPClientTransport(new URL(API), { authProvider: provider });
    await expect(new current.Client({ name: 'test', version: '1' }).connect(transport)).rejects.toThrow(/Unauthorized/);
    const back = await comesBack();
    back.set('iss', 'https://another.example');
    await expect(transport.finishAuth(back)).rejects.toBeInstanceOf(current.IssuerMismatchError);
    expect(provider.tokens()).toBeUndefined();
  });

  it('keeps its client at its own server, whatever location an API names', async () => {
    const elsewhere = await makeClient(judging.current.test);
    const sent: URL[] = [];
    const registration = { issuer: 'https://another.example', clientId: elsewhere.clientId };
    const provider = new RegisteredClient(registration, REDIRECT, (url) => void sent.push(url));
    for (const auth of [current.auth, authOfFirst]) {
      await expect(auth(provider, { serverUrl: API })).rejects.toThrow(/another\.example/);
      provider.invalidateCredentials('all');
    }
    expect(sent).toEqual([]);
  });

  it('does not blame the caller when the keys cannot be fetched', async () => {
    const { test, user } = judging.current;
    const [alone, unreachable] = [await freePort(), await freePort()];
    const app = photoApi(`http://localhost:${unreachable}`, API);
    const server: Server = await new Promise((resolve) => {
      const opening: Server = app.listen(alone, 'localhost', () => resolve(opening));
    });
    onTestFinished(() => void server.close());
    const { accessToken } = await obtainTokens(test, agent, user);
    const headers = { authorization: `Bearer ${accessToken}` };
    expect((await fetch(`http://localhost:${alone}/mcp`, { method: 'POST', headers })).status).toBe(503);
  });

  describe('at the resource server', () => {
    const body = (tool: string) =>
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: tool, arguments: { name: 'mine.jpg' } },
      });
    const knock = async (authorization: string | null, tool = 'list_photos', method = 'POST') => {
      const response = await fetch(API, {
        method,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(authorization !== null && { authorization }),
        },
        ...(method === 'POST' && { body: body(tool) }),
      });
      return {
        status: response.status,
        challenge: response.headers.get('www-authenticate'),
        // As JSON, or as the one event of a stream.
        body: await response.text(),
      };
    };
    const challengeOf = async (...asked: Parameters<typeof knock>) => {
      const { status, challenge } = await knock(...asked);
      return { status, challenge };
    };
    const READ = `scope="photos:read", resource_metadata="${METADATA}"`;

    it.each(['POST', 'GET', 'DELETE'])(
      '%s without a token: points to the metadata, and reveals no more',
      async (method) => {
        expect(await challengeOf(null, 'list_photos', method)).toEqual({ status: 401, challenge: `Bearer ${READ}` });
      },
    );

    const refusal = (error: string, more: string) =>
      expect.stringMatching(new RegExp(`^Bearer error="${error}", error_description="[^"]+", ${more}$`));

    it.each<[string, number, unknown]>([
      // Another scheme presents no token that concerns this API.
      ['Basic YTpi', 401, `Bearer ${READ}`],
      ['Bearer', 400, refusal('invalid_request', READ)],
      ['Bearer a b', 400, refusal('invalid_request', READ)],
      ['Bearer garbage', 401, refusal('invalid_token', READ)],
    ])('answers %s with %i', async (authorization, status, challenge) => {
      expect(await challengeOf(authorization)).toEqual({ status, challenge });
    });

    it('names the missing scope', async () => {
      const { accessToken } = await obtainTokens(judging.current.test, agent, judging.current.user);
      expect((await knock(`Bearer ${accessToken}`)).status).toBe(200);
      expect(await challengeOf(`Bearer ${accessToken}`, 'add_photo')).toEqual({
        status: 403,
        challenge: refusal('insufficient_scope', `scope="photos:read photos:write", resource_metadata="${METADATA}"`),
      });
    });

    it('requires the scope of a tool in a batch too', async () => {
      const { accessToken } = await obtainTokens(judging.current.test, agent, judging.current.user);
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${accessToken}`,
      };
      const post = (text: string) => fetch(API, { method: 'POST', headers, body: text });
      expect((await post(`[${body('list_photos')}]`)).status).toBe(200);
      expect((await post(`[${body('list_photos')}, ${body('add_photo')}]`)).status).toBe(403);
    });

    it('rejects a forgery, an ID Token, and any token for another API', async () => {
      const { test, user } = judging.current;
      const { accessToken: good } = await obtainTokens(test, agent, user);
      const forgeries = await forgeriesOf(test, good);
      for (const name of ['a jti of another length']) expect(forgeries.delete(name), name).toBe(true);
      const withIdentity = await obtainCode(test, agent, user, { scope: 'openid photos:read' });
      const { id_token: idToken = '' } = (await exchange(test, agent, withIdentity)).json;
      forgeries.set('an ID Token', idToken);
      const elsewhere = await obtainTokens(test, agent, user, { resource: OTHER_API });
      expect(claimsOf(elsewhere.accessToken)).toMatchObject({ aud: OTHER_API, scope: 'photos:read' });
      forgeries.set('a token for another API', elsewhere.accessToken);
      forgeries.set('a refresh token', elsewhere.refreshToken);
      forgeries.set('too old', expired(good));
      const verdicts = await Promise.all(
        [...forgeries].map(async ([name, one]) => `${name}: ${(await knock(`Bearer ${one}`)).status}`),
      );
      // 400: a text without the form of a token.
      expect(verdicts.filter((one) => !/: 40[01]$/.test(one))).toEqual([]);
    });

    it('keeps the photos of one user from another', async () => {
      const { test, user } = judging.current;
      const mine = await obtainTokens(test, agent, user, { scope: 'photos:read photos:write' });
      const theirs = await obtainTokens(test, agent, await makeUser(test));
      expect((await knock(`Bearer ${mine.accessToken}`, 'add_photo')).body).toContain('Added mine.jpg.');
      expect((await knock(`Bearer ${mine.accessToken}`)).body).toContain('mine.jpg');
      const { status, body: list } = await knock(`Bearer ${theirs.accessToken}`);
      expect(status).toBe(200);
      expect(list).not.toContain('mine.jpg');
    });

    it('names its authorization server to scripts too', async () => {
      const response = await fetch(METADATA);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(await response.json()).toEqual({
        resource: API,
        authorization_servers: [judging.current.test.issuer],
        scopes_supported: ['photos:read', 'photos:write'],
        bearer_methods_supported: ['header'],
        resource_name: 'Photos',
      });
    });
  });
});
