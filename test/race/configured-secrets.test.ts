/** Two running nodes get the secrets of a mail server, a webhook endpoint and an upstream over the API, and neither restarts. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { rootKeys } from '../../src/crypto/root-secret.ts';
import { makeClient, makeUser, type TestClient } from '../support/actors.ts';
import { testClock } from '../support/clock.ts';
import { freePort } from '../support/listening.ts';
import { OTHER_SECRET, openReceiver, WEBHOOK_SECRET } from '../support/receiver.ts';
import { RemoteBrowser } from '../support/remote-browser.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { openSmtpSink, type SmtpSink, WITHOUT_TLS } from '../support/smtp-sink.ts';
import { until } from '../support/until.ts';
import { pressButton } from '../support/upstream.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const SECRET = 'a-root-secret-for-the-two-running-servers';
const BOT = 'secrets-bot';
const UPSTREAM_SECRET = 'the secret of the upstream';

const config = mkdtempSync(join(tmpdir(), 'statehouse-secrets-'));
const closes: (() => unknown)[] = [() => rmSync(config, { recursive: true, force: true })];
let scene: Scene;
let nodes: readonly [ServerProcess, ServerProcess];
let token: string;
let bot: TestClient;
beforeAll(async () => {
  scene = await openScene('postgres', { keys: rootKeys([SECRET]), clock: { ...testClock(), fixedNow: () => null } });
  closes.push(scene.close);
  cpSync(new URL('../../policies', import.meta.url).pathname, config, { recursive: true });
  writeFileSync(
    join(config, 'operators.yaml'),
    `clients:\n  - client_id: ${BOT}\n    scope: secrets:write configuration:read webhooks:read\n`,
  );
  bot = await makeClient(scene, { clientId: BOT, grantTypes: ['client_credentials'], redirectUris: [] });
});
beforeEach(async () => {
  const ports = [await freePort(), await freePort()] as const;
  const start = async (port: number) => {
    const server = await startServer({
      port,
      cwd: tmpdir(),
      env: {
        STATEHOUSE_ISSUER: `http://localhost:${ports[0]}`,
        DATABASE_URL: scene.url ?? '',
        STATEHOUSE_SECRET: SECRET,
        STATEHOUSE_CONFIG: config,
        STATEHOUSE_MAIL_FROM: 'no-reply@as.test',
      },
    });
    closes.push(server.kill);
    return server;
  };
  nodes = [await start(ports[0]), await start(ports[1])];
  const answer = await fetch(`${nodes[0].url}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${BOT}:${bot.secret}`).toString('base64')}` },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      resource: `${nodes[0].url}/management/v1`,
      scope: 'secrets:write configuration:read webhooks:read',
    }),
  });
  token = ((await answer.json()) as { access_token: string }).access_token;
});
afterAll(async () => {
  for (const close of closes.toReversed()) await close();
});

const ask = (node: ServerProcess, method: string, path: string, value?: string) =>
  fetch(`${node.url}/management/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(value !== undefined && { 'content-type': 'application/json' }) },
    ...(value !== undefined && { body: JSON.stringify({ value }) }),
  });
const set = async (name: string, value: string) => (await ask(nodes[0], 'PUT', `/secrets/${name}`, value)).status;
const remove = async (name: string) => (await ask(nodes[0], 'DELETE', `/secrets/${name}`)).status;
const textOf = async (node: ServerProcess, path: string) => (await ask(node, 'GET', path)).text();
const onBoth = (holds: (node: ServerProcess) => Promise<boolean>) =>
  until(async () => (await Promise.all(nodes.map(holds))).every(Boolean));

it('a mail server is added, replaced and removed: its features appear and disappear on both nodes', async () => {
  const sinks: SmtpSink[] = [await openSmtpSink(WITHOUT_TLS), await openSmtpSink(WITHOUT_TLS)];
  for (const { close } of sinks) closes.push(close);
  const [first, second] = sinks as [SmtpSink, SmtpSink];
  await makeUser(scene, 'alice', { email: 'alice@example.com', email_verified: true });
  const formAt = async ({ url }: ServerProcess) => (await new RemoteBrowser(url).get('/forgot-password')).status;
  const askForMail = async ({ url }: ServerProcess) => {
    const browser = new RemoteBrowser(url);
    await browser.submit(await browser.get('/forgot-password'), { email: 'alice@example.com' });
  };
  expect([await formAt(nodes[0]), await formAt(nodes[1])]).toEqual([404, 404]);
  const signIn = async ({ url }: ServerProcess) => (await new RemoteBrowser(url).get('/sign-in')).body;
  expect(await signIn(nodes[0])).not.toContain('/forgot-password');

  expect(await set('STATEHOUSE_SMTP_URL', `smtp://127.0.0.1:${first.port}`)).toBe(201);
  expect(await formAt(nodes[0])).toBe(200);
  expect(await signIn(nodes[0])).toContain('/forgot-password');
  await until(async () => (await formAt(nodes[1])) === 200);
  await askForMail(nodes[1]);
  await until(() => first.got.length === 1);

  expect(await set('STATEHOUSE_SMTP_URL', `smtp://127.0.0.1:${second.port}`)).toBe(200);
  await askForMail(nodes[0]);
  await until(() => second.got.length === 1);
  expect(first.got).toHaveLength(1);

  expect(await remove('STATEHOUSE_SMTP_URL')).toBe(204);
  expect(await formAt(nodes[0])).toBe(404);
  await until(async () => (await formAt(nodes[1])) === 404);
});

it('a webhook endpoint is refused without its secret, comes into force with it, and each delivery has the newest signature', async () => {
  const receiver = await openReceiver();
  closes.push(receiver.close);
  writeFileSync(
    join(config, 'webhooks.yaml'),
    `receivers:\n  - name: crm\n    url: ${receiver.url}\n    events: [user]\n    secretEnvironment: CRM_SECRET\n    allowPrivateNetwork: true\n`,
  );
  await onBoth(async (node) => (await textOf(node, '/status')).includes('CRM_SECRET, which is not set'));
  expect(await textOf(nodes[0], '/webhook-receivers')).not.toContain('crm');

  expect(await set('CRM_SECRET', WEBHOOK_SECRET)).toBe(201);
  expect(await textOf(nodes[0], '/webhook-receivers')).toContain('crm');
  await onBoth(async (node) => (await textOf(node, '/webhook-receivers')).includes('crm'));
  const arrived = async () => {
    const { id } = await makeUser(scene);
    await until(() => receiver.received.some(({ text }) => text.includes(id)));
    return receiver.received.length;
  };
  await arrived();
  expect(receiver.verified(WEBHOOK_SECRET)).not.toEqual([]);
  expect(await remove('CRM_SECRET')).toBe(409);

  const before = receiver.received.length;
  expect(await set('CRM_SECRET', OTHER_SECRET)).toBe(200);
  await arrived();
  for (const { text, headers } of receiver.received.slice(before))
    new Webhook(OTHER_SECRET).verify(text, headers as Record<string, string>);

  rmSync(join(config, 'webhooks.yaml'));
  await onBoth(async (node) => !(await textOf(node, '/webhook-receivers')).includes('crm'));
  expect(await remove('CRM_SECRET')).toBe(204);
});

it('an upstream whose secret was set before its file works on both nodes, and a new secret with the next sign-in', async () => {
  const presented: string[] = [];
  const provider = createServer((request, response) => {
    const { authorization } = request.headers;
    if (authorization !== undefined) presented.push(Buffer.from(authorization.slice(6), 'base64').toString());
    const isMetadata = request.url?.includes('.well-known') === true;
    response.writeHead(isMetadata ? 200 : 401, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isMetadata ? metadata() : { error: 'invalid_client' }));
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  closes.push(() => provider.close());
  const issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const metadata = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
  });
  expect(await set('COMPANY_SECRET', UPSTREAM_SECRET)).toBe(201);
  writeFileSync(
    join(config, 'upstreams.yaml'),
    `upstreams:\n  - name: company\n    label: Company\n    issuer: ${issuer}\n    client_id: us\n    client_secret_environment: COMPANY_SECRET\n`,
  );
  await onBoth(async ({ url }) => (await new RemoteBrowser(url).get('/sign-in')).body.includes('Company'));
  const signInAt = async ({ url }: ServerProcess) => {
    const browser = new RemoteBrowser(url);
    const there = await pressButton(browser, await browser.get('/sign-in'));
    const state = new URL(String(there.headers['location'])).searchParams.get('state') ?? '';
    const iss = encodeURIComponent(issuer);
    await browser.get(`/sign-in/upstream/company/callback?code=a-code&state=${encodeURIComponent(state)}&iss=${iss}`);
    return presented.at(-1);
  };
  for (const node of nodes)
    expect(await signInAt(node)).toBe(`us:${encodeURIComponent(UPSTREAM_SECRET).replaceAll('%20', '+')}`);
  expect(await set('COMPANY_SECRET', 'another')).toBe(200);
  for (const node of nodes) expect(await signInAt(node)).toBe('us:another');
});
