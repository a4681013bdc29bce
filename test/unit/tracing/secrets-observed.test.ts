/**
 * Telemetry of requests holds no secret: spans as a real collector receives them, metrics as they are scraped, and lines of the log.
 * Each line of the table makes requests, valid and invalid, and names every secret in them.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Metrics, openMetrics } from '../../../src/metrics/listener.ts';
import { openTracing } from '../../../src/tracing/tracing.ts';
import {
  authorizeUrl,
  exchange,
  goThrough,
  makeClient,
  makePkce,
  makeUser,
  PASSWORD,
  refresh,
  type TestClient,
  type TokenAnswer,
  token,
} from '../../support/actors.ts';
import { Browser, formOf } from '../../support/browser.ts';
import { enrol } from '../../support/factors.ts';
import { OTHER_SECRET, openReceiver, WEBHOOK_SECRET } from '../../support/receiver.ts';
import { introspect, revoke } from '../../support/sent-token.ts';
import { openTwoServers, pressButton, signInPage, type TwoServers } from '../../support/upstream.ts';
import { deliveryWorkerOf, webhooksFile } from '../../support/webhooks.ts';

const MARK = 'Zq8-the-secret-itself';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

let two: TwoServers;
/** Thrown by the next commit of a grant. */
let thrown: Error | null = null;
const cookiesOf = ({ cookies }: Browser) => [...cookies.values()];
const tokensOf = ({ json }: TokenAnswer) => [json.access_token, json.refresh_token, json.id_token];
const basic = (client: TestClient, secret = client.secret) =>
  Buffer.from(`${client.clientId}:${secret}`).toString('base64');

/** Each makes requests. @returns the secrets in them. */
const REQUESTS: Readonly<Record<string, () => Promise<readonly (string | null | undefined)[]>>> = {
  'a sign-in, with a wrong password and the right one': async () => {
    const browser = new Browser(two.scene.app);
    const { username } = await makeUser(two.scene);
    const page = await browser.get('/sign-in');
    for (const password of [MARK, PASSWORD]) await browser.submit(page, { username, password });
    expect((await browser.get('/account')).url).toBe('/account');
    return [MARK, PASSWORD, encodeURIComponent(PASSWORD), formOf(page.body).fields['csrf'], ...cookiesOf(browser)];
  },
  'a second factor, with a wrong code and the right one': async () => {
    const browser = new Browser(two.scene.app);
    const user = await makeUser(two.scene);
    const { recoveryCodes } = await enrol(two.scene, browser, user);
    const other = new Browser(two.scene.app);
    const page = await other.submit(await other.get('/sign-in'), { username: user.username, password: PASSWORD });
    const [code = ''] = recoveryCodes;
    for (const one of [MARK, code]) await other.submit(page, { code: one });
    return [MARK, ...recoveryCodes, ...recoveryCodes.map((one) => one.replaceAll('-', '')), ...cookiesOf(other)];
  },
  'the exchange of a code: wrong verifier, wrong code, right, again': async () => {
    const { scene } = two;
    const code = await scene.code({ change: { scope: 'openid read' } });
    await exchange(scene, scene.client, { ...code, verifier: makePkce().verifier + MARK });
    await exchange(scene, scene.client, { ...code, code: `${code.code}${MARK}` });
    const answers = [await exchange(scene, scene.client, code), await exchange(scene, scene.client, code)];
    expect(answers.map(({ status }) => status)).toEqual([200, 400]);
    return [MARK, code.code, code.verifier, ...answers.flatMap(tokensOf)];
  },
  'a refresh, a reuse, and an invented token': async () => {
    const { scene } = two;
    const head = await scene.chain();
    const answers = [
      await refresh(scene, scene.client, head),
      await refresh(scene, scene.client, head),
      await refresh(scene, scene.client, `${head.slice(0, -20)}${MARK}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 400]);
    return [MARK, head, ...answers.flatMap(tokensOf)];
  },
  'client credentials: right, wrong, in the body, in the URL, in both': async () => {
    const { app } = two.scene;
    const client = await makeClient(two.scene);
    const { clientId: client_id, secret } = client;
    const right = await token(two.scene, client, { grant_type: 'client_credentials' });
    expect(right.status).toBe(200);
    const send = (headers: object, fields: object, url = '/oauth/token') => {
      const payload = new URLSearchParams({ grant_type: 'client_credentials', ...fields }).toString();
      return app.inject({ method: 'POST', url, headers: { ...FORM, ...headers }, payload });
    };
    for (const client_secret of [MARK, secret ?? '']) {
      await send({}, { client_id, client_secret });
      await send({}, {}, `/oauth/token?${new URLSearchParams({ client_id, client_secret })}`);
      await send({ authorization: `Basic ${basic(client, client_secret)}` }, { client_secret });
      await send({ authorization: `Bearer ${client_secret}` }, {});
      await send({ authorization: client_secret }, { grant_type: client_secret, scope: client_secret });
    }
    return [MARK, secret, basic(client), basic(client, MARK), ...tokensOf(right)];
  },
  'tokens at the other endpoints, right and wrong': async () => {
    const { scene } = two;
    const answer = await exchange(scene, scene.client, await scene.code({ change: { scope: 'openid read' } }));
    for (const sent of [answer.json.access_token ?? '', `${answer.json.access_token}${MARK}`, MARK]) {
      const headers = { authorization: `Bearer ${sent}` };
      await scene.app.inject({ url: '/oauth/userinfo', headers });
      await scene.app.inject({ url: '/api/v1/users', headers });
      await scene.app.inject(`/oauth/userinfo?access_token=${sent}`);
      await introspect(scene, scene.client, sent);
      await revoke(scene, scene.client, sent);
    }
    return [MARK, ...tokensOf(answer)];
  },
  'cookies, paths, queries and headers that the server does not expect': async () => {
    const { app } = two.scene;
    const cookie = ['session', 'browser', 'console', 'device'].map((name) => `__Host-statehouse-${name}=${MARK}`);
    const headers = { cookie: cookie.join('; '), traceparent: MARK, 'x-request-id': MARK, 'user-agent': MARK };
    const paths = ['/account', '/console', `/${MARK}`, `/sign-in?then=${MARK}`, `/interaction/${MARK}`];
    for (const url of [...paths, `/oauth/authorize?client_id=${MARK}&state=${MARK}&request=${MARK}`]) {
      await app.inject({ url, headers });
      await app.inject({ url, method: 'POST', headers: { ...headers, ...FORM }, payload: `csrf=${MARK}&${MARK}` });
      await app.inject({ url, method: 'PUT', headers: { ...headers, 'content-type': MARK }, payload: MARK });
    }
    return [MARK];
  },
  'an authorization request, with state, nonce and what comes back': async () => {
    const { scene } = two;
    const asked = { scope: 'openid read', state: `state-${MARK}`, nonce: `nonce-${MARK}`, login_hint: `hint-${MARK}` };
    const { url } = await goThrough(scene.browser, authorizeUrl(scene.client, makePkce(), asked), scene.user);
    return [MARK, new URL(url).searchParams.get('code')];
  },
  'an error of the server whose message has the token': async () => {
    const { scene } = two;
    const head = await scene.chain();
    thrown = new Error(`the statement with ${head} failed`);
    const headers = { ...FORM, authorization: `Basic ${basic(scene.client)}` };
    const payload = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: head }).toString();
    expect((await scene.app.inject({ method: 'POST', url: '/oauth/token', headers, payload })).statusCode).toBe(500);
    return [head, basic(scene.client), 'the statement with'];
  },
  'a sign-in at an identity provider': async () => {
    const browser = new Browser(two.scene.app);
    const away = await pressButton(browser, await signInPage(browser, two.scene.client));
    const callback = await two.signInThere(away.url);
    await browser.get(`${callback}${MARK}`);
    await browser.get(callback);
    const { searchParams } = new URL(callback, 'https://as.test');
    return [MARK, two.clientSecret, searchParams.get('code'), new URL(away.url).searchParams.get('state')];
  },
  'events for an endpoint that takes them, and for one that does not': async () => {
    const receivers = [
      await openReceiver(),
      await openReceiver((response) => void response.writeHead(500).end(MARK)),
    ] as const;
    const written = receivers.map(({ url }, place) => ({ name: `crm-${place}`, url: `${url}/${MARK}?key=${MARK}` }));
    const worker = deliveryWorkerOf(two.scene, webhooksFile(written), { secrets: [WEBHOOK_SECRET, OTHER_SECRET] });
    await worker.round();
    await makeUser(two.scene);
    await worker.round();
    await worker.round();
    expect(receivers.map(({ received }) => received.length > 0)).toEqual([true, true]);
    const signatures = receivers.flatMap(({ received }) => received.map(({ headers }) => headers['webhook-signature']));
    for (const { close } of receivers) await close();
    observed.logs += worker.logs();
    const secrets = [WEBHOOK_SECRET, OTHER_SECRET].flatMap((secret) => [secret, secret.replace('whsec_', '')]);
    return [MARK, ...secrets, ...signatures.flatMap((one) => String(one).split(' '))];
  },
};

const NOTHING_STANDS: Parameters<typeof openMetrics>[0]['standing'] = {
  version: '1.2.3',
  queues: {},
  overdue: async () => [],
  waitingEvents: async () => [],
  waitingMails: async () => [],
  ledger: async () => ({ newest: 0, openSeconds: 0 }),
  ledgerDefaultEntries: async () => 0,
  keys: async () => [],
  ignoredKeys: async () => 0,
  signingLifetimeSeconds: () => 60,
  databaseAvailable: () => true,
  lastReloadAccepted: () => true,
};

let metrics: Metrics;
const observed: Record<'spans' | 'metrics' | 'logs', string> = { spans: '', metrics: '', logs: '' };
const secretsOf: Record<string, readonly string[]> = {};
beforeAll(async () => {
  const collector = createServer(async (request, response) => {
    observed.spans += await text(request);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const { port } = collector.address() as AddressInfo;
  metrics = await openMetrics({
    ...{ host: '127.0.0.1', port: 0, statementsInFlight: () => 0 },
    standing: NOTHING_STANDS,
  });
  const exporter = new OTLPTraceExporter({ url: `http://127.0.0.1:${port}/v1/traces` });
  const tracing = openTracing({
    ...{ version: '1.2.3', sampler: 'always_on', samplerArgument: null, deliveryChanged: () => {} },
    exporter,
  });
  two = await openTwoServers(
    {},
    {
      change: (deps) => ({
        ...deps,
        store: {
          ...deps.store,
          commit: async (commit) => {
            const error = thrown;
            thrown = null;
            if (error) throw error;
            return deps.store.commit(commit);
          },
        },
      }),
    },
  );
  for (const [name, run] of Object.entries(REQUESTS))
    secretsOf[name] = (await run()).filter((secret): secret is string => typeof secret === 'string' && secret !== '');
  observed.metrics = await fetch(`http://127.0.0.1:${metrics.port}/metrics`).then((answer) => answer.text());
  observed.logs += two.scene.logs() + two.upstream.logs();
  await tracing.close();
  collector.close();
});
afterAll(async () => {
  metrics?.close();
  await two?.close();
});

it('observes the requests', () => {
  expect(observed.spans).toContain('POST /oauth/token');
  expect(observed.spans).toContain('refresh_token_reused');
  expect(observed.spans).toContain('error.type');
  expect(observed.metrics).toContain('route="/oauth/token"');
  expect(observed.metrics).toContain('receiver="crm-1"');
  expect(observed.logs).toContain('refresh_token_reused');
});

it.each(Object.keys(REQUESTS))('no span, metric or line of the log has a secret of %s', (name) => {
  const secrets = secretsOf[name] ?? [];
  expect(secrets).not.toEqual([]);
  for (const [where, said] of Object.entries(observed)) {
    expect({ where, found: secrets.filter((secret) => said.includes(secret)) }).toEqual({ where, found: [] });
  }
});
