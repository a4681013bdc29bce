/** Clients that register themselves (RFC 7591): from the registration to the rotation, and what they cannot do. */
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { DynamicRegistration } from '../../../policies/registration-schema.ts';
import { clientRegistrations, clients, transitions } from '../../../src/storage/schema.ts';
import { authorizeUrl, exchange, makePkce, PASSWORD, refresh } from '../../support/actors.ts';
import { Browser } from '../../support/browser.ts';
import {
  acceptingRegistrations,
  CALLBACK,
  clientOf,
  type Members,
  manage,
  metadataOf,
  register,
  send,
} from '../../support/client-registrations.ts';
import { testClock } from '../../support/clock.ts';
import { openIntroductionScene } from '../../support/introduced-clients.ts';

async function opened(rules: Partial<DynamicRegistration> = {}) {
  const clock = testClock();
  const scene = await openIntroductionScene({ clock, configuration: acceptingRegistrations(rules) });
  const { db } = scene;
  return {
    ...scene,
    clock,
    reload: (next: Partial<DynamicRegistration> | null) => scene.reloadRules(next && acceptingRegistrations(next)),
    stored: () => db.select().from(clientRegistrations),
    entriesOf: async (clientId: string) =>
      (await db.select().from(transitions).where(eq(transitions.clientId, clientId))).map(
        ({ machine, toState, actor }) => [machine, toState, actor],
      ),
  };
}

const SIGN_IN = { scope: 'openid read offline_access' };

describe('a client that registers itself', () => {
  it('signs an end-user in, gets tokens within the rules, and rotates', async () => {
    const scene = await opened();
    const registered = await register(scene);
    expect(registered.status).toBe(201);
    expect(registered.headers['cache-control']).toBe('no-store');
    const { client_id: clientId } = registered.json;
    expect(registered.json).toEqual({
      client_id: clientId,
      client_name: 'Agent (agent.example)',
      application_type: 'web',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: 'openid read offline_access',
      client_id_issued_at: Math.floor(scene.clock.now().getTime() / 1000),
      registration_client_uri: `${scene.issuer}/oauth/register/${clientId}`,
      registration_access_token: expect.stringMatching(/^sh_reg_[\w-]{43}$/),
    });
    const client = clientOf(registered);
    const { json } = await exchange(scene, client, await scene.code({ client, change: SIGN_IN }));
    expect(json.scope).toBe('openid read offline_access');
    expect((await refresh(scene, client, json.refresh_token ?? '')).status).toBe(200);
    expect(await scene.stored()).toMatchObject([{ clientId, state: 'used' }]);
    expect(await scene.entriesOf(clientId)).toEqual(
      expect.arrayContaining([
        ['clientRegistration', 'unused', `client ${clientId}`],
        ['client', 'registered', `client ${clientId}`],
        ['clientRegistration', 'used', `client ${clientId}`],
      ]),
    );
  });

  it('gets a secret where its method needs one, and authenticates with it', async () => {
    const scene = await opened();
    for (const method of [undefined, 'client_secret_basic', 'client_secret_post']) {
      const registered = await register(scene, { token_endpoint_auth_method: method });
      expect(registered.json).toMatchObject({
        token_endpoint_auth_method: method ?? 'client_secret_basic',
        client_secret: expect.stringMatching(/^[\w-]{43}$/),
        client_secret_expires_at: 0,
      });
      const client = clientOf(registered);
      expect((await exchange(scene, client, await scene.code({ client }))).status).toBe(200);
      const wrong = { ...client, secret: 'another' };
      expect((await exchange(scene, wrong, await scene.code({ client }))).status).toBe(401);
    }
  });

  it('sends what agents send, and reads which of it counts', async () => {
    const scene = await opened();
    const { status, json } = await register(scene, {
      redirect_uris: ['http://localhost:6274/oauth/callback', 'cursor://anysphere.cursor-mcp/oauth/callback'],
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials', 'implicit'],
      response_types: ['code', 'token'],
      token_endpoint_auth_method: 'client_secret_jwt',
      scope: 'read write admin',
      client_uri: 'https://agent.example',
      logo_uri: 'javascript:alert(1)',
      contacts: ['a@agent.example'],
      software_id: 'an-agent',
      software_version: '1.0',
      policy: 'default',
      consent: 'skip',
      client_id: 'chosen',
      client_secret: 'chosen',
    });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
      scope: 'read',
      client_name: 'Agent (localhost, cursor:)',
    });
    expect(json.client_id).not.toBe('chosen');
    expect(json.client_secret).not.toBe('chosen');
    expect(await scene.storedClient(json.client_id)).toMatchObject({
      policy: 'native-app',
      consent: 'ask',
      registeredBy: 'self',
      declared: false,
      logoUri: null,
      clientUri: null,
    });
  });

  it('is shown as not vetted, with its destination', async () => {
    const scene = await opened();
    const client = clientOf(await register(scene));
    const browser = new Browser(scene.app);
    const start = await browser.get(authorizeUrl(client, makePkce()));
    const consent = await browser.submit(start, { username: scene.user.username, password: PASSWORD });
    expect(consent.body).toContain('This app is not vetted');
    expect(consent.body).toContain('It registered itself here');
    expect(consent.body).toContain('agent.example');
  });

  it('is asked for consent each time without a secret or a key, and gets no redirect with an error', async () => {
    const scene = await opened();
    const client = clientOf(await register(scene));
    const url = authorizeUrl(client, makePkce());
    const browser = new Browser(scene.app);
    const start = await browser.get(url);
    await browser.submit(await browser.submit(start, { username: scene.user.username, password: PASSWORD }), {
      decision: 'approve',
    });
    expect((await browser.get(url)).body).toContain('name="decision"');
    const refused = await browser.get(authorizeUrl(client, makePkce(), { scope: 'write' }));
    expect(refused.status).toBe(400);
    expect(refused.headers).not.toHaveProperty('location');
  });

  it('is off by default, and metadata says whether it is on', async () => {
    const scene = await opened();
    const metadata = async (name: string) =>
      (await scene.app.inject({ url: `/.well-known/${name}` })).json<Record<string, unknown>>();
    const names = ['oauth-authorization-server', 'openid-configuration'];
    for (const name of names)
      expect(await metadata(name)).toMatchObject({ registration_endpoint: `${scene.issuer}/oauth/register` });
    scene.reload(null);
    for (const name of names) expect(await metadata(name)).not.toHaveProperty('registration_endpoint');
    expect((await register(scene)).status).toBe(404);
    expect(await scene.stored()).toEqual([]);
  });

  it('gets nothing new where the rules are gone, and keeps its chain', async () => {
    const scene = await opened();
    const client = clientOf(await register(scene));
    const { json } = await exchange(scene, client, await scene.code({ client, change: SIGN_IN }));
    scene.reload(null);
    for (const change of [{}, { scope: 'openid' }, { scope: 'openid email offline_access' }])
      expect((await new Browser(scene.app).get(authorizeUrl(client, makePkce(), change))).status).toBe(400);
    expect((await refresh(scene, client, json.refresh_token ?? '')).status).toBe(200);
  });

  it('gets no scope any more that the rules have lost since, and keeps its chain', async () => {
    const scene = await opened();
    const client = clientOf(await register(scene));
    const { json } = await exchange(scene, client, await scene.code({ client, change: SIGN_IN }));
    scene.reload({ scopes: ['read'] });
    const asked = await new Browser(scene.app).get(authorizeUrl(client, makePkce(), SIGN_IN));
    expect([asked.status, asked.body.includes('openid')]).toEqual([400, true]);
    const code = await scene.code({ client, change: { scope: 'read' } });
    expect((await exchange(scene, client, code)).json.scope).toBe('read');
    const rotated = await refresh(scene, client, json.refresh_token ?? '');
    expect([rotated.status, rotated.json.scope]).toEqual([200, SIGN_IN.scope]);
  });

  it('registers from a script in any browser', async () => {
    const scene = await opened();
    const origin = 'https://inspector.example';
    const preflight = await scene.app.inject({
      method: 'OPTIONS',
      url: '/oauth/register',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
    expect(preflight.statusCode).toBe(204);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': expect.stringContaining('content-type'),
    });
    const registered = await register(scene, {}, { headers: { origin } });
    expect(registered.headers).toMatchObject({ 'access-control-allow-origin': origin });
    expect(registered.headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it('leaves no token and no secret in the log, the ledger or the table', async () => {
    const scene = await opened();
    const registered = await register(scene, { token_endpoint_auth_method: 'client_secret_post' });
    await manage(scene, registered);
    const { client_secret: secret = '', registration_access_token: token } = registered.json;
    const written = JSON.stringify([
      scene.logs(),
      ...(await scene.db.select().from(transitions)).map((row) => JSON.stringify(row, bigints)),
      ...(await scene.db.select().from(clients)).map((row) => JSON.stringify(row, bigints)),
      ...(await scene.stored()).map((row) => JSON.stringify(row, bigints)),
    ]);
    expect(written).toContain(registered.json.client_id);
    expect(written).not.toContain(secret);
    expect(written).not.toContain(token);
  });
});

const bigints = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

describe('a registration that breaks a rule', () => {
  const REDIRECT = 'invalid_redirect_uri';
  const METADATA = 'invalid_client_metadata';
  const cases: readonly (readonly [string, unknown, string, string])[] = [
    ['no redirect URI', metadataOf({ redirect_uris: undefined }), REDIRECT, 'redirect_uris'],
    ['an empty list', metadataOf({ redirect_uris: [] }), REDIRECT, 'redirect_uris'],
    ['10,000 redirect URIs', metadataOf({ redirect_uris: Array(10_000).fill('a:b') }), METADATA, 'too large'],
    ['a thousand redirect URIs', metadataOf({ redirect_uris: Array(1000).fill('a:b') }), REDIRECT, '1 to 20'],
    ['a number as a redirect URI', metadataOf({ redirect_uris: [7] }), REDIRECT, 'redirect_uris.0'],
    ['javascript:', metadataOf({ redirect_uris: ['javascript:alert(1)'] }), REDIRECT, 'redirect_uris.0'],
    ['data:', metadataOf({ redirect_uris: ['data:text/html,x'] }), REDIRECT, 'redirect_uris.0'],
    ['http to another host', metadataOf({ redirect_uris: ['http://agent.example/cb'] }), REDIRECT, 'RFC 9700'],
    ['a fragment', metadataOf({ redirect_uris: [`${CALLBACK}#a`] }), REDIRECT, 'redirect_uris.0'],
    ['a wildcard', metadataOf({ redirect_uris: ['https://*.example/cb'] }), REDIRECT, 'redirect_uris.0'],
    ['a host in Cyrillic', metadataOf({ redirect_uris: ['https://аgent.example/cb'] }), REDIRECT, 'redirect_uris.0'],
    ['no code', metadataOf({ response_types: ['token'] }), METADATA, 'response_types'],
    ['client credentials alone', metadataOf({ grant_types: ['client_credentials'] }), METADATA, 'authorization_code'],
    ['grant types as a text', metadataOf({ grant_types: 'authorization_code' }), METADATA, 'grant_types'],
    ['no scope of the rules', metadataOf({ scope: 'write' }), METADATA, 'scope'],
    ['a scope as a list', metadataOf({ scope: ['read'] }), METADATA, 'scope'],
    ['a method as a list', metadataOf({ token_endpoint_auth_method: ['none'] }), METADATA, 'token_endpoint'],
    ['a key method without keys', metadataOf({ token_endpoint_auth_method: 'private_key_jwt' }), METADATA, 'jwks'],
    ['keys at two places', metadataOf({ jwks: { keys: [] }, jwks_uri: 'https://a.example' }), METADATA, 'jwks'],
    ['a name with a bidirectional override', metadataOf({ client_name: 'evil\u202e' }), METADATA, 'client_name'],
    ['a name of 201 characters', metadataOf({ client_name: 'a'.repeat(201) }), METADATA, 'client_name'],
    ['a list', [], METADATA, 'JSON object'],
    ['null', 'null', METADATA, 'JSON object'],
    ['a depth of 10,000', `${'['.repeat(10_000)}${']'.repeat(10_000)}`, METADATA, 'JSON object'],
    ['half of a body', '{"redirect_uris":', METADATA, 'not JSON'],
    ['an empty body', '', METADATA, 'not JSON'],
  ];
  it.each(cases)(
    '%s: the answer names the member and the rule, and nothing is stored',
    async (_, payload, error, says) => {
      const scene = await opened();
      const { status, json, headers } = await send(scene, { payload });
      expect([status, json.error]).toEqual([400, error]);
      expect(json.error_description).toContain(says);
      expect(headers['cache-control']).toBe('no-store');
      expect(await scene.stored()).toEqual([]);
    },
  );

  it('a form is no registration', async () => {
    const scene = await opened();
    const sent = { payload: 'redirect_uris=a', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    expect((await send(scene, sent)).json).toMatchObject({
      error: METADATA,
      error_description: 'Send application/json.',
    });
  });

  it('members of every object prototype are members like others', async () => {
    const scene = await opened();
    const payload = `{"__proto__":{"policy":"default"},"constructor":1,"toString":2,${JSON.stringify(metadataOf()).slice(1)}`;
    const { status, json } = await send(scene, { payload });
    expect(status).toBe(201);
    expect(await scene.storedClient(json.client_id)).toMatchObject({ policy: 'native-app' });
    expect(({} as Members)['policy']).toBeUndefined();
  });

  it('a name in another script stands beside the host that the browser goes to', async () => {
    const scene = await opened();
    const { json } = await register(scene, { client_name: 'Аpple', redirect_uris: ['https://xn--pple-43d.example/'] });
    expect(json['client_name']).toBe('Аpple (xn--pple-43d.example)');
  });

  it('a name stands beside each host, and falls away where they do not fit', async () => {
    const scene = await opened();
    const uris = [CALLBACK, 'http://127.0.0.1/cb', 'com.example.app:/cb', `${CALLBACK}/2`];
    expect((await register(scene, { redirect_uris: uris })).json['client_name']).toBe(
      'Agent (agent.example, 127.0.0.1, com.example.app:)',
    );
    const many = Array.from({ length: 20 }, (_, n) => `https://agent-number-${n}.example/cb`);
    const { json } = await register(scene, { redirect_uris: many });
    expect(json['client_name']).toBe(json.client_id);
  });
});

describe('many registrations', () => {
  it('stop at the rate of an address, and another address continues', async () => {
    const scene = await opened({ registrationsPerHour: 2 });
    expect((await register(scene)).status).toBe(201);
    expect((await register(scene)).status).toBe(201);
    const refused = await register(scene);
    expect([refused.status, refused.json.error]).toEqual([429, 'temporarily_unavailable']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await register(scene, {}, { remoteAddress: '198.51.100.9' })).status).toBe(201);
  });

  it('stop at the total of the rules', async () => {
    const scene = await opened({ maxRegistrations: 2 });
    await register(scene);
    await register(scene);
    const refused = await register(scene);
    expect([refused.status, refused.json.error]).toEqual([503, 'temporarily_unavailable']);
    expect(await scene.stored()).toHaveLength(2);
  });
});
