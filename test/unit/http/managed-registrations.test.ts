/** Clients that manage their registration (RFC 7592), initial access tokens, and software statements (RFC 7591 §2.3). */
import { createHash } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import type { DynamicRegistration } from '../../../policies/registration-schema.ts';
import { commandLine } from '../../../src/model/actor.ts';
import { administerClient } from '../../../src/registration/administration.ts';
import { housekeeper } from '../../../src/storage/housekeeping.ts';
import { clientRegistrations, clients, consents, grants, interactions } from '../../../src/storage/schema.ts';
import { databaseClock } from '../../../src/system/clock.ts';
import { authorizeUrl, exchange, makePkce, refresh } from '../../support/actors.ts';
import {
  acceptingRegistrations,
  CALLBACK,
  clientOf,
  type Members,
  manage,
  metadataOf,
  type Registered,
  register,
} from '../../support/client-registrations.ts';
import { testClock } from '../../support/clock.ts';
import { openIntroductionScene } from '../../support/introduced-clients.ts';
import { testMacs } from '../../support/macs.ts';
import { unheld } from '../../support/unheld.ts';

const clock = testClock();

async function opened(rules: Partial<DynamicRegistration> = {}, fetchKeySet?: (uri: string) => Promise<string>) {
  const scene = await openIntroductionScene({
    clock,
    configuration: acceptingRegistrations(rules),
    ...(fetchKeySet !== undefined && { fetchKeySet }),
  });
  return {
    ...scene,
    off: () => scene.reloadRules(null),
    storedClient: ({ json }: Registered) => scene.storedClient(json.client_id),
    put: (registered: Registered, change: Members = {}, token?: string) =>
      manage(
        scene,
        registered,
        { method: 'PUT', payload: metadataOf({ client_id: registered.json.client_id, ...change }) },
        token,
      ),
    remove: (registered: Registered, token?: string) => manage(scene, registered, { method: 'DELETE' }, token),
  };
}
type Opened = Awaited<ReturnType<typeof opened>>;

/** A chain of the client, as its next rotation shows it. */
async function chainOf(scene: Opened, registered: Registered) {
  const client = clientOf(registered);
  const { json } = await exchange(
    scene,
    client,
    await scene.code({ client, change: { scope: 'read offline_access' } }),
  );
  let token = json.refresh_token ?? '';
  return async () => {
    const rotated = await refresh(scene, client, token);
    token = rotated.json.refresh_token ?? token;
    return rotated.status;
  };
}

describe('a client that manages its registration', () => {
  it('reads its metadata without its secret, and with the token that it presents', async () => {
    const scene = await opened();
    const registered = await register(scene, { token_endpoint_auth_method: 'client_secret_post' });
    const read = await manage(scene, registered);
    const { client_secret: _, client_secret_expires_at: __, ...rest } = registered.json;
    expect([read.status, read.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(read.json).toEqual(rest);
  });

  it('replaces its metadata as a whole, keeps its secret, and its chain stays active', async () => {
    const scene = await opened();
    const registered = await register(scene, { token_endpoint_auth_method: undefined });
    const rotates = await chainOf(scene, registered);
    const { json, status } = await scene.put(registered, {
      token_endpoint_auth_method: 'client_secret_basic',
      client_name: undefined,
      redirect_uris: ['https://moved.example/cb'],
      client_secret: registered.json.client_secret,
    });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      client_name: registered.json.client_id,
      redirect_uris: ['https://moved.example/cb'],
      registration_access_token: registered.json.registration_access_token,
    });
    expect(json).not.toHaveProperty('client_secret');
    expect(await rotates()).toBe(200);
    // As it reads it, it may send it back: the hosts stand beside the name once.
    const named = await scene.put(registered, { ...METHOD_OF_BASIC, client_name: 'Agent (agent.example)' });
    expect(named.json['client_name']).toBe('Agent (agent.example)');
  });

  const METHOD_OF_BASIC = { token_endpoint_auth_method: 'client_secret_basic' };

  it.each<[string, Members, string]>([
    ['no client_id', { client_id: undefined }, 'client_id'],
    ['another client_id', { client_id: 'another' }, 'client_id'],
    ['another client_secret', { client_secret: 'chosen' }, 'client_secret'],
    ['a registration_access_token', { registration_access_token: 'x' }, 'registration_access_token'],
    ['a registration_client_uri', { registration_client_uri: 'x' }, 'registration_client_uri'],
    ['a client_id_issued_at', { client_id_issued_at: 1 }, 'client_id_issued_at'],
    ['a client_secret_expires_at', { client_secret_expires_at: 0 }, 'client_secret_expires_at'],
    ['no secret any more', { token_endpoint_auth_method: 'none' }, 'token_endpoint_auth_method'],
  ])('a change with %s is refused, and nothing changes', async (_, change, says) => {
    const scene = await opened();
    const registered = await register(scene, METHOD_OF_BASIC);
    const before = await scene.storedClient(registered);
    const { status, json } = await scene.put(registered, { ...METHOD_OF_BASIC, ...change });
    expect([status, json.error]).toEqual([400, 'invalid_client_metadata']);
    expect(json.error_description).toContain(says);
    expect(await scene.storedClient(registered)).toEqual(before);
  });

  it('a change to redirect URIs that break a rule is refused as at the registration', async () => {
    const scene = await opened();
    const { status, json } = await scene.put(await register(scene), { redirect_uris: ['javascript:alert(1)'] });
    expect([status, json.error]).toEqual([400, 'invalid_redirect_uri']);
  });

  it.each(['%00', 'a%00b', 'a'.repeat(255), '__proto__'])(
    'answers the id %s as that of an unknown client',
    async (id) => {
      const scene = await opened();
      const registered = await register(scene);
      const { registration_client_uri: uri, client_id: own } = registered.json;
      const another = { json: { ...registered.json, registration_client_uri: uri.replace(own, id) } };
      for (const method of ['GET', 'PUT', 'DELETE'] as const) {
        const payload = method === 'PUT' ? { payload: metadataOf({ client_id: own }) } : {};
        const { status, json } = await manage(scene, another, { method, ...payload });
        expect([method, status, json.error]).toEqual([method, 401, 'invalid_token']);
      }
    },
  );

  it('changes it as often in an hour as an address may register, and another client continues', async () => {
    const scene = await opened({ registrationsPerHour: 2 });
    const [registered, another] = [await register(scene), await register(scene)];
    for (const name of ['first', 'second'])
      expect((await scene.put(registered, { client_name: name })).status).toBe(200);
    const before = await scene.storedClient(registered);
    const refused = await scene.put(registered, { client_name: 'third' });
    expect([refused.status, refused.json.error]).toEqual([429, 'temporarily_unavailable']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(await scene.storedClient(registered)).toEqual(before);
    expect((await manage(scene, registered)).status).toBe(200);
    // A sender without the token uses up no change of the client.
    for (const _ of [1, 2, 3]) expect((await scene.put(another, {}, 'wrong')).status).toBe(401);
    expect((await scene.put(another)).status).toBe(200);
    expect((await scene.remove(registered)).status).toBe(204);
  });

  it('a public client that asks for a secret gets one, once', async () => {
    const scene = await opened();
    const registered = await register(scene);
    const { json } = await scene.put(registered, METHOD_OF_BASIC);
    expect(json).toMatchObject({ client_secret: expect.any(String), client_secret_expires_at: 0 });
    expect((await scene.put(registered, METHOD_OF_BASIC)).json).not.toHaveProperty('client_secret');
    const client = clientOf({ json });
    expect((await exchange(scene, client, await scene.code({ client }))).status).toBe(200);
  });

  it('deletes itself: its chain ends, its token counts no more, and its id stays unknown', async () => {
    const scene = await opened();
    const registered = await register(scene);
    const rotates = await chainOf(scene, registered);
    expect(await rotates()).toBe(200);
    const deleted = await scene.remove(registered);
    expect([deleted.status, deleted.json]).toEqual([204, {}]);
    expect(await rotates()).toBe(401);
    for (const method of ['GET', 'DELETE'] as const)
      expect((await manage(scene, registered, { method })).status).toBe(401);
    expect((await scene.put(registered)).status).toBe(401);
    expect(await scene.db.select().from(clientRegistrations)).toMatchObject([{ state: 'ended' }]);
    expect(await scene.storedClient(registered)).toMatchObject({ epoch: 1n, deletedAt: expect.any(Date) });
  });

  it('gets one answer for a wrong token, an unknown client and a deleted one', async () => {
    const scene = await opened();
    const [registered, deleted] = [await register(scene), await register(scene)];
    await scene.remove(deleted);
    const unknown = { json: { ...registered.json, registration_client_uri: '/oauth/register/unknown' } };
    const answers = [
      await manage(scene, registered, {}, deleted.json.registration_access_token),
      await manage(scene, registered, {}, 'x'.repeat(1000)),
      await manage(scene, unknown),
      await manage(scene, deleted),
    ];
    for (const { status, json, headers } of answers) {
      expect(status).toBe(401);
      expect(json).toEqual(answers[0]?.json);
      expect(headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    }
    expect((await manage(scene, registered)).status).toBe(200);
  });

  it('gets nothing after an administrator deleted it, and 403 after an operator adopted it', async () => {
    const scene = await opened();
    const [deleted, adopted] = [await register(scene), await register(scene)];
    const deps = { db: scene.db, macs: testMacs, actor: commandLine, clock };
    await administerClient(deps, deleted.json.client_id, { change: { type: 'deletionRequested' } });
    expect((await manage(scene, deleted)).status).toBe(401);
    const stored = await scene.storedClient(adopted);
    if (!stored) throw new Error('the client is not stored');
    const { mac: _, macVersion: __, tokenMac: ___, createdAt: ____, epoch: _____, deletedAt: ______, ...rest } = stored;
    const registration = { ...rest, registeredBy: 'operator' } as const;
    await administerClient(deps, adopted.json.client_id, { change: { type: 'registrationRequested', registration } });
    for (const method of ['GET', 'DELETE'] as const)
      expect((await manage(scene, adopted, { method })).status).toBe(403);
    expect((await scene.put(adopted)).status).toBe(403);
  });

  it('may read and delete itself, and not change itself, where the rules are gone', async () => {
    const scene = await opened();
    const registered = await register(scene);
    scene.off();
    expect((await manage(scene, registered)).status).toBe(200);
    expect((await scene.put(registered)).status).toBe(403);
    expect((await scene.remove(registered)).status).toBe(204);
  });

  it('a row that the server did not write manages no client', async () => {
    const scene = await opened();
    const registered = await register(scene);
    const tokenHash = createHash('sha256').update('chosen').digest();
    await scene.db.execute('alter table client_registrations disable trigger user');
    await scene.db.update(clientRegistrations).set({ tokenHash });
    expect((await manage(scene, registered, {}, 'chosen')).status).toBe(401);
  });

  it('its end moves with a sign-in, once a day', async () => {
    const scene = await opened();
    const registered = await register(scene);
    const end = async () => (await scene.db.select().from(clientRegistrations))[0]?.unusedUntil.getTime() ?? 0;
    const first = await end();
    const client = clientOf(registered);
    clock.advanceSeconds(3600);
    await scene.code({ client });
    expect(await end()).toBe(first + 3_600_000);
    clock.advanceSeconds(3600);
    await scene.code({ client });
    expect(await end()).toBe(first + 3_600_000);
    clock.advanceSeconds(86_400);
    await scene.code({ client });
    expect(await end()).toBe(first + 2 * 3_600_000 + 86_400_000);
  });
});

describe('the consent to a client that registered itself', () => {
  it('is not remembered: the client moves its redirect URIs by itself', async () => {
    const scene = await opened();
    const client = clientOf(await register(scene, { token_endpoint_auth_method: 'client_secret_basic' }));
    await scene.code({ client, change: { scope: 'read' } });
    const again = await scene.browser.get(authorizeUrl(client, makePkce(), { scope: 'read' }));
    expect(again.body).toContain('This app is not vetted');
    expect(await scene.db.$count(consents)).toBe(0);
  });
});

describe('an unused registration whose client an end-user allowed', () => {
  const LONG_AGO = sql`now() - interval '40 days'`;
  const allowed = async () => {
    const scene = await opened();
    const registered = await register(scene, { token_endpoint_auth_method: 'client_secret_basic' });
    await scene.code({ client: clientOf(registered), change: { scope: 'read' } });
    await unheld(scene.db, async (own) => {
      await own.update(clientRegistrations).set({ createdAt: LONG_AGO, unusedUntil: LONG_AGO });
      await own.update(clients).set({ createdAt: LONG_AGO }).where(eq(clients.registeredBy, 'self'));
      await own.delete(interactions);
    });
    const left = async () => {
      for (let round = 0; round < 3; round++) await housekeeper(scene.db, databaseClock).cleanUp();
      return {
        registrations: await scene.db.$count(clientRegistrations),
        clients: await scene.db.$count(clients, eq(clients.registeredBy, 'self')),
      };
    };
    return { scene, left };
  };

  it('goes, and so leaves room for others', async () => {
    const { scene, left } = await allowed();
    await unheld(scene.db, (own) => own.delete(grants));
    expect(await left()).toEqual({ registrations: 0, clients: 0 });
  });

  it('stays while its client has a grant', async () => {
    const { left } = await allowed();
    expect(await left()).toEqual({ registrations: 1, clients: 1 });
  });
});

describe('an initial access token', () => {
  const TOKEN = 'an-initial-access-token';
  const sha256 = createHash('sha256').update(TOKEN).digest('hex');
  const withToken = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

  it('registers a client, and any other does not', async () => {
    const scene = await opened({ access: 'initialAccessToken', initialAccessTokens: [{ name: 'team', sha256 }] });
    for (const sent of [
      {},
      withToken('another'),
      withToken(sha256),
      { headers: { authorization: `Basic ${TOKEN}` } },
    ]) {
      const refused = await register(scene, {}, sent);
      expect([refused.status, refused.json.error]).toEqual([401, 'invalid_token']);
      expect(refused.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    }
    const registered = await register(scene, {}, withToken(TOKEN));
    expect(registered.status).toBe(201);
    expect(scene.logs()).toContain('"initialAccessToken":"team"');
    expect(scene.logs()).not.toContain(TOKEN);
    // It registers, and manages no client.
    expect((await manage(scene, registered, {}, TOKEN)).status).toBe(401);
    expect((await scene.put(registered)).status).toBe(200);
  });
});

describe('a software statement', () => {
  const ISSUER = 'https://statements.example';
  let rules: Partial<DynamicRegistration>;
  let published: string;
  let sign: (claims: object, header?: object) => Promise<string>;
  let bySymmetricKey: string;
  beforeAll(async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const jwk = { ...(await exportJWK(publicKey)), kid: 'k' };
    rules = {
      access: 'softwareStatement',
      trustedIssuers: [{ issuer: ISSUER, jwks: { keys: [jwk] } }] as object as DynamicRegistration['trustedIssuers'],
    };
    published = JSON.stringify({ keys: [jwk] });
    sign = (claims, header = {}) =>
      new SignJWT({ iss: ISSUER, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'k', ...header })
        .sign(privateKey);
    // The public key as the secret of a MAC.
    bySymmetricKey = await new SignJWT({ iss: ISSUER })
      .setProtectedHeader({ alg: 'HS256', kid: 'k' })
      .sign(new TextEncoder().encode(JSON.stringify(jwk)));
  });
  const CLAIMS = { client_name: 'Vouched', redirect_uris: ['https://vouched.example/cb'], software_id: 's' };

  it('replaces the plain members, and the response has it unmodified', async () => {
    const scene = await opened(rules);
    const statement = await sign({ ...CLAIMS, client_id: 'chosen' });
    const registered = await register(scene, { client_name: 'Plain', software_statement: statement });
    expect(registered.status).toBe(201);
    expect(registered.json).toMatchObject({
      client_name: 'Vouched (vouched.example)',
      redirect_uris: ['https://vouched.example/cb'],
      software_statement: statement,
    });
    expect(registered.json.client_id).not.toBe('chosen');
    // A change needs one too: otherwise it would leave its claims behind.
    expect((await scene.put(registered)).json.error).toBe('unapproved_software_statement');
    expect((await scene.put(registered, { software_statement: statement })).status).toBe(200);
  });

  it('is checked with the keys that its issuer publishes, and waits while they are away', async () => {
    const jwksUri = 'https://statements.example/jwks';
    const fetched: string[] = [];
    let isAway = true;
    const scene = await opened({ ...rules, trustedIssuers: [{ issuer: ISSUER, jwksUri }] }, async (uri) => {
      fetched.push(uri);
      if (isAway) throw new Error('away');
      return published;
    });
    const registered = async () => register(scene, { software_statement: await sign(CLAIMS) });
    const early = await registered();
    expect([early.status, early.json.error]).toEqual([503, 'temporarily_unavailable']);
    isAway = false;
    clock.advanceSeconds(3600);
    expect((await registered()).status).toBe(201);
    expect(new Set(fetched)).toEqual(new Set([jwksUri]));
    const forged = await register(scene, { software_statement: bySymmetricKey });
    expect(forged.json.error).toBe('invalid_software_statement');
  });

  it('gives a client no more than the rules', async () => {
    const scene = await opened(rules);
    const statement = await sign({
      ...CLAIMS,
      scope: 'read write',
      grant_types: ['authorization_code', 'client_credentials'],
    });
    const { json } = await register(scene, { software_statement: statement });
    expect(json).toMatchObject({ scope: 'read', grant_types: ['authorization_code'] });
  });

  const now = () => Math.floor(clock.now().getTime() / 1000);
  const none = (claims: object) =>
    `${[{ alg: 'none' }, { iss: ISSUER, ...claims }].map((one) => Buffer.from(JSON.stringify(one)).toString('base64url')).join('.')}.`;
  it.each<[string, () => Promise<unknown> | unknown, string]>([
    ['none', () => undefined, 'unapproved_software_statement'],
    ['another issuer', () => sign({ ...CLAIMS, iss: 'https://other.example' }), 'unapproved_software_statement'],
    ['no issuer', () => sign({ ...CLAIMS, iss: undefined }), 'invalid_software_statement'],
    ['alg none', () => none(CLAIMS), 'invalid_software_statement'],
    ['alg none, with octets for a signature', () => `${none(CLAIMS)}AAAA`, 'invalid_software_statement'],
    ['a MAC under the public key', () => bySymmetricKey, 'invalid_software_statement'],
    ['a past end', () => sign({ ...CLAIMS, exp: now() - 1 }), 'invalid_software_statement'],
    ['a later beginning', () => sign({ ...CLAIMS, nbf: now() + 3600 }), 'invalid_software_statement'],
    ['another kid', () => sign(CLAIMS, { kid: 'other' }), 'invalid_software_statement'],
    ['the typ of an access token', () => sign(CLAIMS, { typ: 'at+jwt' }), 'invalid_software_statement'],
    ['another signature', async () => (await sign(CLAIMS)).replace(/.{8}$/, 'AAAAAAAA'), 'invalid_software_statement'],
    ['a number', () => 7, 'invalid_software_statement'],
    ['an object', () => ({ iss: ISSUER }), 'invalid_software_statement'],
  ])('with %s is refused, and nothing is stored', async (_, statement, error) => {
    const scene = await opened(rules);
    const { status, json } = await register(scene, { software_statement: await statement() });
    expect([status, json.error]).toEqual([400, error]);
    expect(await scene.db.select().from(clientRegistrations)).toEqual([]);
  });

  it('is ignored where no issuer is trusted', async () => {
    const scene = await opened();
    const { status, json } = await register(scene, { software_statement: await sign(CLAIMS) });
    expect(status).toBe(201);
    expect(json).toMatchObject({ redirect_uris: [CALLBACK] });
    expect(json).not.toHaveProperty('software_statement');
  });
});
