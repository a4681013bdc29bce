/**
 * Every snippet of the guides as JavaScript: without its types, in a file snippet.mjs. `node` alone runs it, in a process and a folder of
 * its own, against the server on its port.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { exportJWK, generateKeyPair } from 'jose';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { headersOf } from '../../src/webhooks/attempt.ts';
import { Visitor } from '../docs/visitor.ts';
import { makeClient, obtainTokens } from '../support/actors.ts';
import { outputOf, startChild } from '../support/child-process.ts';
import { runningClock } from '../support/clock.ts';
import { signedByUs } from '../support/forging.ts';
import { judged } from '../support/interop.ts';
import { freePort } from '../support/listening.ts';
import { OTHER_SECRET, WEBHOOK_SECRET } from '../support/receiver.ts';

const ROOT = join(import.meta.dirname, '../..');
const RESOURCE = 'https://api.example.com';

const guides = readdirSync(join(ROOT, 'docs')).filter((file) => file.endsWith('.md'));
const text = guides.map((guide) => readFileSync(join(ROOT, 'docs', guide), 'utf8')).join('\n');
/** The text of the block itself, by the name of its file. */
const snippets = new Map(
  [...text.matchAll(/<!-- example: examples\/([\w.-]+)\.ts -->\n```ts\n([\s\S]*?)```/g)].map(
    ([, name = '', code = '']) => [name, code] as const,
  ),
);

const WITH_KEYS = ['openid-client-key', 'oauth4webapi-key'];
const PROGRAMS = [
  'openid-client',
  'openid-client-dpop',
  ...WITH_KEYS,
  'oauth4webapi',
  'token-keeper',
  'webhook-receiver',
];
const WEB_APPS = ['passport-oauth2', 'express-openid-connect', 'fastify-oauth2'];
const APIS = [
  ...['protected-api', 'protected-fastify-api', 'express-oauth2-jwt-bearer', 'guarded-claims', 'guarded-hono'],
  ...['guarded-lambda', 'guarded-nest', 'guarded-next', 'guarded-worker'],
];
const OTHER_APIS = ['guarded-mcp', 'guarded-websocket'];
/** Snippets that need more than a process, by the test that runs each. */
const RUN_ELSEWHERE: Readonly<Record<string, string>> = {
  'oauth4webapi-tls': 'client-certificates.test.ts',
  'openid-client-par': 'pushed-requests.test.ts',
  'token-file': 'token-file.test.ts',
  'openid-client-workload': 'workload-identity.test.ts',
};

/** With decorators, as a compiler of NestJS's has them, where there are any. */
const asJavaScript = (code: string): string =>
  code.includes('@Controller')
    ? transpileModule(code, {
        compilerOptions: { target: ScriptTarget.ES2022, module: ModuleKind.ESNext, experimentalDecorators: true },
      }).outputText
    : stripTypeScriptTypes(code);

describe('the snippets of the guides, in JavaScript', () => {
  const judging = judged({ clock: runningClock() });
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'statehouse-snippets-'));
    mkdirSync(join(folder, 'node_modules'));
    // The packages that are installed here, and this one, as `npm install` would put them there.
    for (const name of readdirSync(join(ROOT, 'node_modules'))) {
      if (!name.startsWith('.') && name !== 'statehouse')
        symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
    }
    symlinkSync(ROOT, join(folder, 'node_modules/statehouse'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** @returns its output, line by line. */
  function run(name: string, settings: object) {
    const file = join(folder, `${name}.mjs`);
    writeFileSync(file, asJavaScript(snippets.get(name) ?? ''));
    const program = join(import.meta.dirname, 'around-a-snippet.mjs');
    const args = [program, name, pathToFileURL(file).href, JSON.stringify(settings)];
    // No option and no variable that loads other code.
    const env = { PATH: process.env['PATH'] };
    const child = startChild(process.execPath, args, { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] });
    const output = outputOf(child);
    const lines = createInterface({ input: child.stdout ?? process.stdin })[Symbol.asyncIterator]();
    return {
      answer: (line: string) => void child.stdin?.write(`${line}\n`),
      tells: async (): Promise<Record<string, unknown>> => {
        const { value, done } = await lines.next();
        if (done) throw new Error(`${name} ended:\n${output()}`);
        return JSON.parse(value);
      },
    };
  }

  it('are all run, here or by another test', () => {
    const here = [...PROGRAMS, ...WEB_APPS, ...APIS, ...OTHER_APIS];
    expect([...snippets.keys()].toSorted()).toEqual([...here, ...Object.keys(RUN_ELSEWHERE)].toSorted());
    for (const [name, file] of Object.entries(RUN_ELSEWHERE))
      expect(readFileSync(join(import.meta.dirname, file), 'utf8')).toContain(`docs/examples/${name}.ts`);
    expect(
      readdirSync(join(ROOT, 'docs/examples'))
        .map((file) => file.replace('.ts', ''))
        .toSorted(),
    ).toEqual([...snippets.keys()].toSorted());
  });

  it('sign in, refresh and sign out with openid-client', async () => {
    const { test, confidential, user, approve } = judging.current;
    const settings = { issuer: test.issuer, clientId: confidential.clientId, clientSecret: confidential.secret };
    const program = run('openid-client', { ...settings, redirectUri: confidential.redirectUris[0] });
    const { sentTo } = await program.tells();
    program.answer((await approve(new URL(String(sentTo)))).href);
    expect(await program.tells()).toEqual({ sub: user.id, rotated: true, scope: 'read', leaves: '/oauth/logout' });
  });

  it('do the same as a public client with oauth4webapi', async () => {
    const { test, publicClient, approve } = judging.current;
    const { clientId, redirectUris } = publicClient;
    const program = run('oauth4webapi', { issuer: test.issuer, clientId, redirectUri: redirectUris[0] });
    const { sentTo } = await program.tells();
    program.answer((await approve(new URL(String(sentTo)))).href);
    expect(await program.tells()).toEqual({ rotated: true, scope: 'read' });
  });

  it.each(WITH_KEYS)('get a token by a key of their own with %s', async (name) => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const [jwk, { x, y }] = await Promise.all([exportJWK(privateKey), exportJWK(publicKey)]);
    const named = { kid: 'first', alg: 'ES256' } as const;
    const { clientId } = await makeClient(judging.current.test, {
      tokenEndpointAuthMethod: 'private_key_jwt',
      jwks: { keys: [{ kty: 'EC', crv: 'P-256', x, y, ...named }] },
    });
    const settings = { issuer: judging.current.test.issuer, clientId, jwk: { ...jwk, ...named } };
    expect(await run(name, settings).tells()).toEqual({ scope: 'read' });
  });

  it('bind tokens to a key with openid-client', async () => {
    const { test, confidential, user, approve } = judging.current;
    const settings = { issuer: test.issuer, clientId: confidential.clientId, clientSecret: confidential.secret };
    const program = run('openid-client-dpop', { ...settings, redirectUri: confidential.redirectUris[0] });
    const { sentTo } = await program.tells();
    program.answer((await approve(new URL(String(sentTo)))).href);
    expect(await program.tells()).toEqual({ type: 'dpop', sub: user.id });
  });

  it('store the received tokens in the token keeper', async () => {
    expect(await run('token-keeper', {}).tells()).toEqual({ accessToken: 'new', stored: 'second' });
  });

  it('accept signed events in the receiver', async () => {
    const port = await freePort();
    const program = run('webhook-receiver', { port, secret: WEBHOOK_SECRET });
    expect(await program.tells()).toEqual({ listens: true });
    const body = { contentType: 'application/json', text: '{"type":"user.created"}' };
    const send = (secret: string) =>
      fetch(`http://localhost:${port}`, {
        method: 'POST',
        headers: headersOf({ id: 'evt_1', body, secrets: [secret], at: new Date() }),
        body: body.text,
      });
    expect((await send(OTHER_SECRET)).status).toBe(401);
    expect((await send(WEBHOOK_SECRET)).status).toBe(204);
    expect(await program.tells()).toEqual({ event: { type: 'user.created' }, id: 'evt_1' });
  });

  it.each(WEB_APPS)('sign in to a web app with %s', async (name) => {
    const { test, approve } = judging.current;
    const port = await freePort();
    const base = `http://localhost:${port}`;
    const client = await makeClient(test, { redirectUris: [`${base}/callback`] });
    const { clientId, secret: clientSecret } = client;
    const redirectUri = `${base}/callback`;
    const program = run(name, { issuer: test.issuer, clientId, clientSecret, base, port, redirectUri });
    expect(await program.tells()).toEqual({ listens: true });
    const visitor = new Visitor();
    const { location } = await visitor.get(`${base}/login`);
    const { status, body } = await visitor.get(await approve(new URL(location)));
    const page = status === 302 ? await visitor.get(`${base}/`) : { body };
    expect(page.body).toBe('Signed in.');
  });

  it.each(APIS)('accept a token of the server, and no other, with %s', async (name) => {
    const { test, confidential, user } = judging.current;
    const port = await freePort();
    expect(await run(name, { issuer: test.issuer, resource: RESOURCE, port }).tells()).toEqual({ listens: true });
    const { accessToken } = await obtainTokens(test, confidential, user);
    const ask = async (token: string) =>
      (await fetch(`http://localhost:${port}/photos`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await ask(accessToken)).toBe(200);
    expect(await ask(`${accessToken}x`)).toBe(401);
  });

  /** The API of a snippet, on its port. */
  async function opened(name: string) {
    const port = await freePort();
    const program = run(name, { issuer: judging.current.test.issuer, resource: RESOURCE, port });
    expect(await program.tells()).toEqual({ listens: true });
    return { ...program, at: `localhost:${port}` };
  }
  const tokenFor = async (scope: string): Promise<string> => {
    const { test, confidential, user } = judging.current;
    return (await obtainTokens(test, confidential, user, { scope })).accessToken;
  };

  it('report a refused request, and read the roles of a token that has none', async () => {
    const { at, tells } = await opened('guarded-claims');
    expect((await fetch(`http://${at}/photos?access_token=a`)).status).toBe(401);
    expect(await tells()).toEqual({ kind: 'refused', reason: 'no_credentials', method: 'GET', path: '/photos' });
    const headers = { authorization: `Bearer ${await tokenFor('read')}` };
    expect(await (await fetch(`http://${at}/photos`, { headers })).json()).toEqual({ mayEdit: false, photos: [] });
  });

  it('authorize a request before API Gateway calls a handler', async () => {
    const { at } = await opened('guarded-lambda');
    const ask = async (headers: Record<string, string>) => (await fetch(`http://${at}/authorized`, { headers })).json();
    expect(await ask({})).toBe('Unauthorized');
    const { user, confidential } = judging.current;
    expect(await ask({ authorization: `Bearer ${await tokenFor('read')}` })).toEqual({
      isAuthorized: true,
      context: { subject: user.id, clientId: confidential.clientId, scopes: 'read' },
    });
  });

  it('leave a public route of NestJS open', async () => {
    const { at } = await opened('guarded-nest');
    expect(await (await fetch(`http://${at}/status`)).json()).toEqual({ status: 'ok' });
    const headers = { authorization: `Bearer ${await tokenFor('read')}` };
    expect((await fetch(`http://${at}/photos`, { method: 'POST', headers })).status).toBe(403);
  });

  it('require the scopes of a tool in an MCP server', async () => {
    const { at } = await opened('guarded-mcp');
    const call = async (scope: string | null, name: string) => {
      const headers: Record<string, string> = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(scope !== null && { authorization: `Bearer ${await tokenFor(scope)}` }),
      };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } });
      const response = await fetch(`http://${at}/`, { method: 'POST', headers, body });
      return { status: response.status, text: await response.text() };
    };
    expect((await call(null, 'list_photos')).status).toBe(401);
    expect(await call('read', 'list_photos')).toMatchObject({
      status: 200,
      text: expect.stringContaining(judging.current.user.id),
    });
    expect(await call('read', 'add_photo')).toMatchObject({ status: 403, text: expect.stringContaining('"write"') });
    expect((await call('read write', 'add_photo')).status).toBe(200);
  });

  describe('a WebSocket', () => {
    const ORIGIN = 'https://app.example.com';
    /** @returns the events of a socket, in their order. */
    const eventsOf = (socket: WebSocket) => {
      const waiting: ((event: unknown) => void)[] = [];
      const seen: unknown[] = [];
      const add = (event: unknown) => {
        const next = waiting.shift();
        if (next === undefined) seen.push(event);
        else next(event);
      };
      socket.on('open', () => add('open'));
      socket.on('message', (data) => add(JSON.parse(String(data))));
      socket.on('close', (code, reason) => add([code, String(reason)]));
      socket.on('unexpected-response', (_request, { statusCode }) => add(statusCode));
      socket.on('error', () => add('error'));
      return () => new Promise((resolve) => (seen.length > 0 ? resolve(seen.shift()) : waiting.push(resolve)));
    };
    /** A token of the server, which expires soon. */
    const shortLived = () => {
      const now = Math.floor(Date.now() / 1000);
      const { test, user } = judging.current;
      return signedByUs(
        test,
        {},
        {
          iss: test.issuer,
          aud: RESOURCE,
          sub: user.id,
          client_id: 'a',
          jti: 'b',
          scope: 'read',
          iat: now,
          exp: now + 2,
        },
      );
    };
    const photos = () => ({ subject: judging.current.user.id, photos: [] });

    it('opens with a token in the upgrade, and closes when the token expires', async () => {
      const { at } = await opened('guarded-websocket');
      const refused = eventsOf(new WebSocket(`ws://${at}/photos`));
      expect(await refused()).toBe(401);
      const headers = { authorization: `Bearer ${await shortLived()}` };
      const next = eventsOf(new WebSocket(`ws://${at}/photos`, { headers }));
      expect([await next(), await next(), await next()]).toEqual(['open', photos(), [3000, 'expired']]);
    });

    it('opens to a page of the app, with a token in the first message', async () => {
      const { at } = await opened('guarded-websocket');
      const page = async (origin: string, message: string) => {
        const socket = new WebSocket(`ws://${at}/photos/browser`, { origin });
        const next = eventsOf(socket);
        const first = await next();
        if (first === 'open') socket.send(message);
        const second = first === 'open' ? await next() : null;
        socket.terminate();
        return [first, second];
      };
      expect(await page(ORIGIN, await tokenFor('read'))).toEqual(['open', photos()]);
      expect(await page(ORIGIN, 'no token')).toEqual(['open', [3000, 'malformed_credentials']]);
      expect(await page('https://elsewhere.example', await tokenFor('read'))).toEqual(['error', null]);
    });
  });
});
