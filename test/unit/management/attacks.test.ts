/** Callers without access: tokens for others, removed roles, auditors who write, and access that has just ended. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OperatorsFile } from '../../../policies/operators-schema.ts';
import {
  authorizeUrl,
  exchange,
  goThrough,
  makeClient,
  makePkce,
  makeUser,
  type TestClient,
  type TestUser,
} from '../../support/actors.ts';
import { deleteClient, disableUser } from '../../support/administration.ts';
import { Browser } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { proofKey, proofOf } from '../../support/dpop.ts';
import { API, BOT, type Caller, callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const WANTED = 'clients:read clients:write';

describe('the management API', () => {
  let scene: Scene;
  /** Its registration names the scopes of the API. */
  let console: TestClient;
  let operators: OperatorsFile;
  const { operators: given } = withBot();
  beforeAll(async () => {
    operators = given;
    scene = await openScene(anyDatabase, { configuration: withBot(), operators: () => operators });
    await makeBot(scene);
    console = await makeClient(scene, { scope: ['openid', 'read', ...WANTED.split(' ')] });
  });
  afterAll(() => scene.close());
  beforeEach(() => {
    operators = given;
  });

  /** Signs in, allows, and calls. */
  const personWith = async (
    username: string,
    parameters: Record<string, string> = { scope: WANTED, resource: API },
  ) => {
    const user = await makeUser(scene, username);
    const pkce = makePkce();
    const { url } = await goThrough(new Browser(scene.app), authorizeUrl(console, pkce, parameters), user);
    const code = new URL(url).searchParams.get('code') ?? '';
    const { json } = await exchange(scene, console, { code, verifier: pkce.verifier });
    return { user, json, call: callerWith(scene, () => String(json.access_token)) };
  };
  let serial = 0;
  const person = async (role: 'operators' | 'auditors' | 'none'): Promise<{ user: TestUser; call: Caller }> => {
    const username = `${role}-${++serial}`;
    operators = { ...given, ...(role !== 'none' && { [role]: [username] }) };
    return personWith(username);
  };
  const register = (call: Caller, id: string) =>
    call('POST', '/clients', { body: { client_id: id, redirect_uris: ['https://x.test/'] } });
  const refusedWith = async (answer: Awaited<ReturnType<Caller>>, status: number, reason: string, id: string) => {
    expect([answer.statusCode, answer.json().type], answer.body).toEqual([status, `${API}/problems/${reason}`]);
    expect(answer.headers['www-authenticate']).toContain(`error="${reason}"`);
    const bot = callerWith(scene, () => tokenOf(scene, ['clients:read']));
    expect((await bot('GET', `/clients/${id}`)).statusCode).toBe(404);
  };

  it('lets an operator read and write', async () => {
    const { call, user } = await person('operators');
    expect((await register(call, 'by-olga')).statusCode).toBe(201);
    const { me } = (await call('GET', '')).json();
    expect(me).toEqual({
      kind: 'operator',
      sub: user.id,
      user_id: user.id,
      username: user.username,
      scopes: WANTED.split(' '),
    });
  });

  it('lets an auditor read, and rejects every write', async () => {
    const { call } = await person('auditors');
    expect((await call('GET', '/clients')).statusCode).toBe(200);
    await refusedWith(await register(call, 'by-auditor'), 403, 'insufficient_scope', 'by-auditor');
  });

  it('grants an end-user without a role no access', async () => {
    const { call } = await person('none').catch(() => ({ call: callerWith(scene, () => 'none') }));
    const answer = await register(call, 'by-none');
    expect([401, 403]).toContain(answer.statusCode);
  });

  it('rejects a role immediately after its removal, though the token still has it', async () => {
    const { call } = await person('operators');
    operators = { ...given, operators: [] };
    await refusedWith(await register(call, 'by-former'), 403, 'insufficient_scope', 'by-former');
    operators = { ...given, operators: [], clients: [] };
    const bot = callerWith(scene, () => tokenOf(scene, ['clients:read']));
    expect((await bot('GET', '/clients')).statusCode).toBe(403);
  });

  it("rejects an operator's token for another API", async () => {
    operators = { ...given, operators: ['other-audience'] };
    const { call } = await personWith('other-audience', { scope: 'read' });
    await refusedWith(await register(call, 'other-audience'), 401, 'invalid_token', 'other-audience');
  });

  it('rejects an ID Token of an operator', async () => {
    operators = { ...given, operators: ['identity'] };
    const { json } = await personWith('identity', { scope: 'openid read' });
    const call = callerWith(scene, () => String(json.id_token));
    await refusedWith(await register(call, 'by-id-token'), 401, 'invalid_token', 'by-id-token');
  });

  it('rejects the token of an operator immediately after the operator is disabled', async () => {
    const { call, user } = await person('operators');
    await disableUser(scene.database.drizzle, user.username);
    await refusedWith(await register(call, 'by-disabled'), 401, 'invalid_token', 'by-disabled');
  });

  it('rejects the token of a client immediately after the client is deleted', async () => {
    const call = callerWith(scene, () => tokenOf(scene, ['clients:write'], { sub: 'gone', client_id: 'gone' }));
    await register(
      callerWith(scene, () => tokenOf(scene, ['clients:write'])),
      'gone',
    );
    operators = { ...given, clients: [...given.clients, { client_id: 'gone', scope: ['clients:write'] }] };
    expect((await register(call, 'by-living')).statusCode).toBe(201);
    await deleteClient(scene.database.drizzle, 'gone');
    await refusedWith(await register(call, 'by-deleted'), 401, 'invalid_token', 'by-deleted');
  });

  it.each([
    ['another issuer', { iss: 'https://other.test' }],
    ['another audience', { aud: 'https://api.example.com' }],
    ['the UserInfo Endpoint', { aud: 'https://as.test/oauth/userinfo' }],
    ['a time that is over', { exp: 1_000_000_000 }],
  ])('rejects a token for %s', async (_, change) => {
    const call = callerWith(scene, () => tokenOf(scene, ['clients:write'], change));
    await refusedWith(await register(call, 'by-forged'), 401, 'invalid_token', 'by-forged');
  });

  it('reads no token from the query, from the body or from a cookie', async () => {
    const token = tokenOf(scene, ['clients:read']);
    for (const request of [
      { url: `/management/v1/clients?access_token=${token}` },
      { url: '/management/v1/clients', headers: { cookie: `access_token=${token}` } },
    ])
      expect((await scene.app.inject(request)).statusCode).toBe(401);
  });

  it('lets no caller raise its own access through any request', async () => {
    const call = callerWith(scene, () =>
      tokenOf(scene, ['clients:read', 'clients:write', 'users:read', 'users:write']),
    );
    for (const [path, body] of [
      ['/clients', { client_id: 'x', redirect_uris: ['https://x.test/'], declared: true }],
      ['/clients', { client_id: 'x', redirect_uris: ['https://x.test/'], registered_by: 'self' }],
      ['/clients', '{"client_id":"x","redirect_uris":["https://x.test/"],"__proto__":{"declared":true}}'],
      ['/users', { username: 'x', password: 'a long password of x', sub: scene.user.id }],
      ['/users', { username: 'x', password: 'a long password of x', epoch: 7 }],
    ] as const)
      expect([body, (await call('POST', path, { body })).statusCode]).toEqual([body, 422]);
    expect((await call('GET', '/clients/x')).statusCode).toBe(404);
  });

  it('never shows or logs a secret, a password or their hashes', async () => {
    const all = callerWith(scene, () => tokenOf(scene, ['clients:read', 'users:read', 'users:write']));
    await all('POST', '/users', { body: { username: 'secretive', password: 'the hidden password 1' } });
    const shown = (await all('GET', '/users')).body + (await all('GET', '/clients')).body + scene.logs();
    for (const word of ['the hidden password', 'argon2', 'secret_macs', 'secretMacs', 'password_hash'])
      expect(shown).not.toContain(word);
    expect(scene.logs()).not.toContain(tokenOf(scene, []).slice(0, 30));
    expect(BOT).toBe('bot');
  });

  it('takes a bound token with its proof, and in no other way', async () => {
    const key = await proofKey();
    const token = tokenOf(scene, ['clients:read'], { cnf: { jkt: key.jkt } });
    const url = `${API}/clients`;
    const proof = (change: object = {}) =>
      proofOf(key, { method: 'GET', url, now: scene.clock.now(), accessToken: token, ...change });
    const ask = async (authorization: string, dpop?: string) => {
      const headers = { authorization, ...(dpop !== undefined && { dpop }) };
      const reply = await scene.app.inject({ method: 'GET', url: '/management/v1/clients?limit=1', headers });
      return [reply.statusCode, String(reply.headers['www-authenticate'] ?? '').split(' ')[0]];
    };
    const sent = proof();
    expect(await ask(`DPoP ${token}`, sent)).toEqual([200, '']);
    expect(await ask(`DPoP ${token}`, sent)).toEqual([401, 'DPoP']);
    expect(await ask(`DPoP ${token}`)).toEqual([401, 'DPoP']);
    expect(await ask(`DPoP ${token}`, proof({ url: `${API}/users` }))).toEqual([401, 'DPoP']);
    expect(await ask(`DPoP ${token}`, proof({ accessToken: 'a.b.c' }))).toEqual([401, 'DPoP']);
    expect(await ask(`Bearer ${token}`, proof())).toEqual([401, 'Bearer']);
  });
});
