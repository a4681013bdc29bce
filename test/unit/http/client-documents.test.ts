/** Clients that describe themselves by a document at their `client_id`: from the first request to the rotation. */
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { transitions } from '../../../src/storage/schema.ts';
import { authorizeUrl, exchange, goThrough, makePkce, refresh, token } from '../../support/actors.ts';
import { ISSUER } from '../../support/app.ts';
import { Browser } from '../../support/browser.ts';
import {
  API,
  type Content,
  clientAt,
  DOCUMENT_URL,
  documentOf,
  ORIGIN,
  openDocumentScene as opened,
  sent,
} from '../../support/client-documents.ts';
import { signedBy, testKey } from '../../support/client-keys.ts';
import { claimsOf } from '../../support/forging.ts';
import { push } from '../../support/pushing.ts';

const HOUR = 3600;
const TOKEN_ENDPOINT = `${ISSUER}/oauth/token`;
const client = clientAt(DOCUMENT_URL);
const describedScope = (name: string) => ({ name, description: `${name} there` });

describe('a client that describes itself by a document', () => {
  it('signs an end-user in, gets tokens within the rules, and rotates, with one fetch', async () => {
    const scene = await opened();
    const code = await scene.code({ client, change: { scope: 'openid read offline_access' } });
    const { status, json } = await exchange(scene, client, code);
    expect(status).toBe(200);
    expect(json.scope).toBe('openid read offline_access');
    const rotated = await refresh(scene, client, json.refresh_token ?? '');
    expect(rotated.status).toBe(200);
    expect(scene.server.asked).toEqual([DOCUMENT_URL]);
    expect(await scene.storedClient()).toMatchObject({
      clientName: 'Agent (agent.example)',
      registeredBy: 'self',
      declared: false,
      scope: ['openid', 'read', 'offline_access'],
      policy: 'native-app',
      defaultResource: null,
      logoUri: null,
      consent: 'ask',
    });
    expect(await scene.storedDocument()).toMatchObject({ state: 'known', failedAt: null, problem: null });
    const entries = await scene.db.select().from(transitions).where(eq(transitions.clientId, DOCUMENT_URL));
    expect(entries.map(({ machine, toState }) => [machine, toState])).toEqual(
      expect.arrayContaining([
        ['clientDocument', 'known'],
        ['client', 'registered'],
      ]),
    );
  });

  it('is off by default, and metadata says whether it is on', async () => {
    const scene = await opened();
    const metadata = async () =>
      (await scene.app.inject({ url: '/.well-known/oauth-authorization-server' })).json<Record<string, unknown>>();
    expect(await metadata()).toMatchObject({ client_id_metadata_document_supported: true });
    scene.reload(null);
    expect(await metadata()).not.toHaveProperty('client_id_metadata_document_supported');
    const answer = await scene.named();
    expect(answer.status).toBe(400);
    expect(answer.headers).not.toHaveProperty('location');
    expect(scene.server.asked).toEqual([]);
    expect(await scene.storedClient()).toBeUndefined();
  });

  it('pushes its request, and is described where it pushes', async () => {
    const scene = await opened();
    const pushed = await push(scene, client);
    expect(pushed.status).toBe(201);
    const { url } = await goThrough(new Browser(scene.app), pushed.link, scene.user);
    const code = { code: new URL(url).searchParams.get('code') ?? '', verifier: pushed.pkce.verifier };
    expect((await exchange(scene, client, code)).status).toBe(200);
    expect(scene.server.asked).toEqual([DOCUMENT_URL]);
  });

  it('a push of a client with a broken document names the rule', async () => {
    const scene = await opened({ content: { client_id: `${DOCUMENT_URL}x` } });
    const pushed = await push(scene, client);
    expect(pushed.status).toBe(400);
    expect(pushed.json).toEqual({
      error: 'invalid_request',
      error_description: 'The client_id in the document is not the URL of the document.',
    });
  });

  it('cannot ask for more than the rules, whatever its document says', async () => {
    const scene = await opened({ content: { scope: 'openid read write management:read' } });
    expect((await scene.named({ scope: 'write' })).body).toContain('scope');
    expect((await scene.named({ scope: 'write' })).status).toBe(400);
    expect((await scene.named({ scope: 'read', resource: API })).status).toBe(200);
    expect((await scene.storedClient())?.scope).toEqual(['openid', 'read']);
  });

  it('gets no token for a resource that the rules leave out, whose scope has the same name', async () => {
    const scene = await opened({ rules: { resources: ['https://other.example'] } });
    expect((await scene.named({ scope: 'read', resource: API })).status).toBe(400);
  });

  describe('that names no resource', () => {
    const [PHOTOS, MAIL] = ['https://photos.example/mcp', 'https://mail.example/mcp'];
    const withServers = async (resources: string[]) => {
      const scene = await opened({
        rules: { resources, scopes: ['photos:read', 'mail:read', 'search', 'offline_access'] },
        resources: [
          { identifier: PHOTOS, name: 'Photos', scopes: ['photos:read', 'search'].map(describedScope) },
          { identifier: MAIL, name: 'Mail', scopes: ['mail:read', 'search'].map(describedScope) },
        ],
      });
      const audience = async (scope: string, sent: Record<string, string> = {}) => {
        const { status, json } = await exchange(scene, client, await scene.code({ client, change: { scope } }), sent);
        return { status, ...json, aud: json.access_token && claimsOf(json.access_token).aud };
      };
      return { ...scene, audience };
    };

    it('gets the audience of the only MCP server, at the exchange and at each rotation', async () => {
      const scene = await withServers([MAIL]);
      const { aud, scope, refresh_token: first = '' } = await scene.audience('search');
      expect({ aud, scope }).toEqual({ aud: MAIL, scope: 'search' });
      const { json } = await refresh(scene, client, first);
      expect(claimsOf(json.access_token ?? '').aud).toBe(MAIL);
    });

    it('gets the audience of the only MCP server that has its scope', async () => {
      const scene = await withServers([PHOTOS, MAIL]);
      expect(await scene.audience('search mail:read')).toMatchObject({ aud: MAIL, scope: 'search mail:read' });
    });

    it('may write the origin of its MCP server with a slash, at each endpoint', async () => {
      const scene = await opened();
      const slashed = { resource: `${API}/` };
      const code = await scene.code({ client, change: { scope: 'read', ...slashed } });
      const first = await exchange(scene, client, code, slashed);
      const second = await refresh(scene, client, first.json.refresh_token ?? '', slashed);
      expect([first, second].map(({ json }) => claimsOf(json.access_token ?? '').aud)).toEqual([API, API]);
      const other = await refresh(scene, client, second.json.refresh_token ?? '', { resource: `${API}/mcp` });
      expect(other.json).toMatchObject({ error: 'invalid_target' });
    });

    it('may name that MCP server at the token endpoint, and no other one', async () => {
      const scene = await withServers([PHOTOS, MAIL]);
      expect(await scene.audience('mail:read', { resource: MAIL })).toMatchObject({ aud: MAIL });
      expect(await scene.audience('mail:read', { resource: PHOTOS })).toMatchObject({
        status: 400,
        error: 'invalid_target',
      });
    });

    it.each([
      ['two MCP servers have its scope', 'search'],
      ['no MCP server has all of its scope', 'photos:read mail:read'],
    ])('gets an error that asks for one where %s', async (_, scope) => {
      const scene = await withServers([PHOTOS, MAIL]);
      const page = await scene.named({ scope });
      expect(page.status).toBe(400);
      expect(page.body).toContain('send the parameter resource');
      expect((await push(scene, client, { scope })).json).toMatchObject({ error: 'invalid_target' });
      expect((await scene.named({ scope: 'search', resource: MAIL })).status).toBe(200);
    });
  });

  it('has its origin and the host of its redirect on the consent page, and is asked each time', async () => {
    const scene = await opened();
    const consent = async () => {
      const first = await scene.browser.get(authorizeUrl(client, makePkce(), { scope: 'openid read' }));
      if (!first.body.includes('name="password"')) return first;
      return scene.browser.submit(first, { username: scene.user.username, password: 'correct horse battery staple' });
    };
    const page = await consent();
    expect(page.body).toContain('This app is not vetted');
    expect(page.body).toContain(ORIGIN);
    expect(page.body).toContain('Agent (agent.example)');
    expect(page.body).not.toContain('remembered for');
    expect((await scene.browser.submit(page, { decision: 'approve' })).url).toContain(`${ORIGIN}/callback?`);
    expect((await consent()).body).toContain('This app is not vetted');
  });

  it('warns where the answer goes to the device, also beside an https redirect URI', async () => {
    const device = 'http://127.0.0.1:4000/callback';
    const scene = await opened({ content: { redirect_uris: [`${ORIGIN}/callback`, 'http://127.0.0.1/callback'] } });
    const url = authorizeUrl(clientAt(DOCUMENT_URL, device), makePkce());
    const at = await scene.browser.get(url);
    const page = await scene.browser.submit(at, {
      username: scene.user.username,
      password: 'correct horse battery staple',
    });
    expect(page.body).toContain('Did you just start this yourself?');
    expect(page.body).toContain('127.0.0.1:4000');
  });

  it('with a key authenticates by it at each exchange and rotation, and never without it', async () => {
    const key = testKey();
    const content = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } };
    const scene = await opened({ content });
    const seconds = () => scene.clock.now().getTime() / 1000;
    const signed = (by = key) => ({
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: signedBy(by, {
        ...{ iss: DOCUMENT_URL, sub: DOCUMENT_URL, aud: ISSUER, jti: randomUUID() },
        ...{ iat: seconds(), exp: seconds() + 60 },
      }),
    });
    const { code, verifier } = await scene.code({ client });
    const exchanged = { grant_type: 'authorization_code', code, code_verifier: verifier };
    const sentWith = (fields: Record<string, string>) =>
      token(scene, client, { ...exchanged, redirect_uri: `${ORIGIN}/callback`, ...fields });
    expect((await sentWith({})).json.error).toBe('invalid_client');
    expect((await sentWith(signed(testKey()))).json.error).toBe('invalid_client');
    const { status, json } = await sentWith(signed());
    expect(status).toBe(200);
    const rotation = { grant_type: 'refresh_token', refresh_token: json.refresh_token ?? '' };
    expect((await token(scene, client, rotation)).json.error).toBe('invalid_client');
    expect((await token(scene, client, { ...rotation, ...signed() })).status).toBe(200);
  });

  it('with a key has its consent remembered for redirect URIs of its own origin, and of no other', async () => {
    const elsewhere = 'https://known.example/callback';
    const redirectUris = [`${ORIGIN}/callback`, elsewhere];
    const content = {
      ...{ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [testKey().jwk] } },
      redirect_uris: redirectUris,
    };
    const scene = await opened({ content });
    const again = async (redirectUri: string) => {
      const by = clientAt(DOCUMENT_URL, redirectUri);
      await scene.code({ client: by, change: { scope: 'read' } });
      return scene.browser.get(authorizeUrl(by, makePkce(), { scope: 'read' }));
    };
    expect((await again(elsewhere)).body).toContain('This app is not vetted');
    expect((await again(`${ORIGIN}/callback`)).url).toContain(`${ORIGIN}/callback?`);
    expect((await again(elsewhere)).body).toContain('This app is not vetted');
  });

  it('an error of its request stays on a page of this server', async () => {
    const scene = await opened();
    const answer = await scene.named({ scope: 'everything' });
    expect(answer.status).toBe(400);
    expect(answer.headers).not.toHaveProperty('location');
  });
});

/**
 * Documents as the vendors published them in September 2026, and the redirect URI that the client sends. Ports are those of reports: Claude
 * Code and Codex take a free one, and so does VS Code where 33418 is taken.
 */
const PUBLISHED: readonly [name: string, url: string, redirectUri: string, content: Content][] = [
  [
    'Claude and Claude Desktop',
    'https://claude.ai/oauth/mcp-oauth-client-metadata',
    'https://claude.ai/api/mcp/auth_callback',
    {
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
    },
  ],
  [
    'Claude Code',
    'https://claude.ai/oauth/claude-code-client-metadata',
    'http://localhost:58135/callback',
    { redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'] },
  ],
  [
    'VS Code',
    'https://vscode.dev/oauth/client-metadata.json',
    'http://127.0.0.1:33418/',
    {
      application_type: 'native',
      client_uri: 'https://vscode.dev/product',
      redirect_uris: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    },
  ],
  [
    'VS Code on another port',
    'https://vscode.dev/oauth/client-metadata.json',
    'http://127.0.0.1:59656/',
    {
      application_type: 'native',
      redirect_uris: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
    },
  ],
  [
    'Codex',
    'https://chatgpt.com/oauth/codex/client.json',
    'http://127.0.0.1:41239/callback',
    { redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'] },
  ],
];

describe('a client whose vendor publishes a document', () => {
  it.each(PUBLISHED)('signs an end-user in: %s', async (_, url, redirectUri, content) => {
    const scene = await opened();
    scene.server.say(url, sent(documentOf(url, content)));
    const known = clientAt(url, redirectUri);
    const { status, json } = await exchange(
      scene,
      known,
      await scene.code({ client: known, change: { scope: 'read' } }),
    );
    expect({ status, scope: json.scope }).toEqual({ status: 200, scope: 'read' });
    expect((await refresh(scene, known, json.refresh_token ?? '')).status).toBe(200);
  });

  // With another id of an app, as users of ChatGPT reported it until September 2026. It is no copy.
  it.each([
    ['the issuer', {}, ISSUER],
    ['the token endpoint', { tokenEndpointAudienceAccepted: true }, TOKEN_ENDPOINT],
  ])(
    'signs an end-user in with a document as users of ChatGPT report it: keys at jwks_uri, and as audience %s',
    async (_, policy, audience) => {
      const url = 'https://chatgpt.com/oauth/an-app/client.json';
      const redirectUri = 'https://chatgpt.com/connector/oauth/an-app';
      const jwksUri = 'https://chatgpt.com/oauth/jwks.json';
      const [key, next] = [testKey('RS256', 'first'), testKey('RS256', 'second')];
      let published = [key];
      const asked: string[] = [];
      const scene = await opened({
        policy,
        fetchKeySet: async (uri) => {
          asked.push(uri);
          return JSON.stringify({ keys: published.map(({ jwk }) => jwk) });
        },
      });
      const content = {
        client_uri: 'https://chatgpt.com/',
        client_name: 'ChatGPT',
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
        token_endpoint_auth_signing_alg: 'RS256',
        jwks_uri: jwksUri,
      };
      scene.server.say(url, sent(documentOf(url, content)));
      const known = clientAt(url, redirectUri);
      const seconds = () => scene.clock.now().getTime() / 1000;
      const sentWith = (fields: Record<string, string>, by?: typeof key, aud = audience) =>
        token(scene, known, {
          ...fields,
          ...(by && {
            client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
            client_assertion: signedBy(by, {
              ...{ iss: url, sub: url, aud, jti: randomUUID() },
              ...{ iat: seconds(), exp: seconds() + 60 },
            }),
          }),
        });
      const { code, verifier } = await scene.code({ client: known, change: { scope: 'read offline_access' } });
      // No page asked for the keys.
      expect(asked).toEqual([]);
      const exchanged = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri };
      expect((await sentWith(exchanged)).json.error).toBe('invalid_client');
      // docs/decisions/0122: an attacker's server may name the token endpoint of another, and gets such assertions.
      if (audience === ISSUER)
        expect((await sentWith(exchanged, key, TOKEN_ENDPOINT)).json.error).toBe('invalid_client');
      expect((await sentWith(exchanged, key, `${ISSUER}/oauth/par`)).json.error).toBe('invalid_client');
      const { status, json } = await sentWith(exchanged, key);
      expect({ status, scope: json.scope }).toEqual({ status: 200, scope: 'read offline_access' });
      const rotation = { grant_type: 'refresh_token', refresh_token: json.refresh_token ?? '' };
      expect((await sentWith(rotation, next)).json.error).toBe('invalid_client');
      // ChatGPT publishes its next key.
      published = [next];
      scene.clock.advanceSeconds(30);
      expect((await sentWith(rotation, next)).status).toBe(200);
      expect(new Set(asked)).toEqual(new Set([jwksUri]));
    },
  );

  it('reads the difference of its redirect URI on the page, as any client does', async () => {
    const scene = await opened({ content: { redirect_uris: ['http://127.0.0.1/callback'] } });
    const page = await scene.named({}, clientAt(DOCUMENT_URL, 'http://127.0.0.1:19876/mcp/oauth/callback'));
    expect(page.status).toBe(400);
    expect(page.headers).not.toHaveProperty('location');
    expect(page.body.replaceAll(/<[^>]*>/g, '')).toContain('http://127.0.0.1/callback');
    expect(page.body.replaceAll(/<[^>]*>/g, '')).toContain('http://127.0.0.1:19876/mcp/oauth/callback');
  });
});

describe('the document of a client', () => {
  it('with an http redirect URI to another host is refused; with a loopback one it is not', async () => {
    for (const [redirectUri, status] of [
      ['http://agent.example/callback', 400],
      ['http://192.0.2.7/callback', 400],
      ['http://localhost.agent.example/callback', 400],
      ['http://localhost/callback', 200],
      ['http://127.0.0.1:8000/callback', 200],
      ['http://[::1]/callback', 200],
      [`${ORIGIN}/callback`, 200],
    ] as const) {
      const scene = await opened({ content: { redirect_uris: [redirectUri] } });
      const answer = await scene.named({}, clientAt(DOCUMENT_URL, redirectUri));
      expect(answer.status, redirectUri).toBe(status);
      expect((await scene.storedClient()) !== undefined, redirectUri).toBe(status === 200);
    }
  });

  it('is fetched again when it is no longer fresh, and changed redirect URIs leave chains as they are', async () => {
    const scene = await opened();
    const { json } = await exchange(scene, client, await scene.code({ client }));
    const moved = `${ORIGIN}/moved`;
    scene.server.say(DOCUMENT_URL, sent(documentOf(DOCUMENT_URL, { redirect_uris: [moved] })));
    scene.clock.advanceSeconds(3599);
    expect((await scene.named()).status).toBe(200);
    scene.clock.advanceSeconds(1);
    expect((await scene.named()).status).toBe(400);
    expect((await scene.named({}, clientAt(DOCUMENT_URL, moved))).status).toBe(200);
    expect(scene.server.asked).toHaveLength(2);
    expect((await refresh(scene, client, json.refresh_token ?? '')).status).toBe(200);
  });

  it('counts for a day while its origin does not answer, and no longer', async () => {
    const scene = await opened();
    expect((await scene.named()).status).toBe(200);
    scene.server.say(DOCUMENT_URL, { kind: 'unreachable', problem: 'The connection failed: ECONNREFUSED.' });
    scene.clock.advanceSeconds(HOUR);
    expect((await scene.named()).status).toBe(200);
    expect(await scene.storedDocument()).toMatchObject({ state: 'stale' });
    expect((await scene.named()).status).toBe(200);
    expect(scene.server.asked).toHaveLength(2);
    scene.clock.advanceSeconds(23 * HOUR);
    expect((await scene.named()).status).toBe(400);
    expect(await scene.storedDocument()).toMatchObject({ state: 'refused' });
    scene.server.say(DOCUMENT_URL, sent(documentOf(DOCUMENT_URL)));
    scene.clock.advanceSeconds(60);
    expect((await scene.named()).status).toBe(200);
    expect(await scene.storedDocument()).toMatchObject({ state: 'known', failedAt: null });
  });

  it('that becomes invalid counts for nothing from then on, and its chains stay', async () => {
    const scene = await opened();
    const { json } = await exchange(scene, client, await scene.code({ client }));
    scene.server.say(DOCUMENT_URL, sent(documentOf(DOCUMENT_URL, { client_secret: 'x' })));
    scene.clock.advanceSeconds(HOUR);
    const answer = await scene.named();
    expect(answer.status).toBe(400);
    expect(answer.body).toContain('client_secret');
    // Without another fetch.
    expect((await scene.named()).status).toBe(400);
    expect(scene.server.asked).toHaveLength(2);
    expect((await refresh(scene, client, json.refresh_token ?? '')).status).toBe(200);
  });

  it('is fetched again when the rules name another policy, which its client then has', async () => {
    const scene = await opened();
    expect((await scene.named()).status).toBe(200);
    expect((await scene.named()).status).toBe(200);
    expect(scene.server.asked).toHaveLength(1);
    scene.reload({ policy: 'browser-app' });
    expect((await scene.named()).status).toBe(200);
    expect((await scene.named()).status).toBe(200);
    expect(scene.server.asked).toHaveLength(2);
    expect(await scene.storedClient()).toMatchObject({ policy: 'browser-app' });
  });

  it('that cannot be fetched stores nothing, and the origin gets a pause', async () => {
    const scene = await opened();
    scene.server.say(DOCUMENT_URL, { kind: 'unreachable', problem: 'The connection failed: ECONNREFUSED.' });
    const first = await scene.named();
    expect(first.status).toBe(400);
    expect(first.body).toContain('ECONNREFUSED');
    expect((await scene.named()).status).toBe(400);
    expect(scene.server.asked).toHaveLength(1);
    expect(await scene.storedClient()).toBeUndefined();
    expect(await scene.storedDocument()).toBeUndefined();
    scene.server.say(DOCUMENT_URL, sent(documentOf(DOCUMENT_URL)));
    scene.clock.advanceSeconds(60);
    expect((await scene.named()).status).toBe(200);
  });

  it('is fetched five times in ten seconds for an address, and a sixth one is refused', async () => {
    const scene = await opened();
    const urls = Array.from({ length: 8 }, (_, index) => `${ORIGIN}/${index}.json`);
    for (const url of urls) scene.server.say(url, sent(documentOf(url)));
    const answers = [];
    for (const url of urls) answers.push(await scene.named({}, clientAt(url)));
    const refused = answers.filter(({ status, body }) => status === 429 && body.includes('Too many apps'));
    expect(scene.server.asked).toEqual(urls.slice(0, 5));
    expect(refused).toHaveLength(urls.length - 5);
    // A stored document needs no fetch.
    expect((await scene.named({}, clientAt(`${ORIGIN}/0.json`))).status).toBe(200);
  });

  it('is fetched for the first time sixty times in an hour for an address, and a stored one is fetched again', async () => {
    const scene = await opened();
    const fetched = async (name: string) => {
      const url = `${ORIGIN}/${name}.json`;
      scene.server.say(url, sent(documentOf(url)));
      const { status } = await scene.named({}, clientAt(url));
      // The rate of ten seconds allows five.
      scene.clock.advanceSeconds(10);
      return status;
    };
    for (let count = 1; count <= 60; count++) expect(await fetched(String(count))).toBe(200);
    expect(await fetched('another')).toBe(429);
    expect(scene.server.asked).toHaveLength(60);
    scene.clock.advanceSeconds(3600);
    expect(await fetched('1')).toBe(200);
    expect(await fetched('another')).toBe(200);
    expect(scene.server.asked).toHaveLength(62);
  });

  it('of an origin that the rules do not name is not fetched', async () => {
    const scene = await opened({ rules: { origins: ['https://other.example'] } });
    expect((await scene.named()).status).toBe(400);
    expect(scene.server.asked).toEqual([]);
    scene.reload({ origins: [ORIGIN] });
    expect((await scene.named()).status).toBe(200);
    scene.reload({ origins: ['https://other.example'] });
    expect((await scene.named()).status).toBe(400);
  });

  it('is refused where it drops the key that its client had', async () => {
    const key = {
      kty: 'EC',
      crv: 'P-256',
      x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
      y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
    };
    const scene = await opened({ content: { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key] } } });
    expect((await scene.named()).status).toBe(200);
    scene.server.say(DOCUMENT_URL, sent(documentOf(DOCUMENT_URL)));
    scene.clock.advanceSeconds(HOUR);
    expect((await scene.named()).status).toBe(400);
    expect(await scene.storedClient()).toMatchObject({ tokenEndpointAuthMethod: 'private_key_jwt' });
    expect(await scene.storedDocument()).toMatchObject({ state: 'refused', problem: 'authentication_dropped' });
  });

  it('no more are stored than the rules allow', async () => {
    const scene = await opened({ rules: { maxDocuments: 1 } });
    expect((await scene.named()).status).toBe(200);
    const second = `${ORIGIN}/second.json`;
    scene.server.say(second, sent(documentOf(second)));
    expect((await scene.named({}, clientAt(second))).status).toBe(400);
    expect((await scene.named()).status).toBe(200);
  });
});
