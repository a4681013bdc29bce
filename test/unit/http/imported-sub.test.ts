/** The `sub` that an end-user had in another system: every output has it, and nothing else ever gets it. */
import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { userFacts } from '../../../src/lifecycles/user/table.ts';
import { personalDataOf } from '../../../src/storage/personal-data.ts';
import { isSub } from '../../../src/storage/users.ts';
import { authorizeUrl, exchange, goThrough, makePkce, PASSWORD, refresh, type TestUser } from '../../support/actors.ts';
import { Browser } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { type Caller, callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const SUB = 'auth0|64F2a.b/c?d%e';
const SCOPES = ['users:read', 'users:write', 'grants:read', 'sessions:read', 'ledger:read', 'clients:write'];

const ROW = {
  id: randomUUID(),
  usernameKey: 'ada',
  passwordHash: '',
  passwordByLinkAt: null,
  disabledAt: null,
  macVersion: 0n,
  claims: {},
};

let scene: Scene;
let call: Caller;
let serial = 0;
beforeAll(async () => {
  scene = await openScene(anyDatabase, { configuration: withBot() });
  await makeBot(scene);
  call = callerWith(scene, () => tokenOf(scene, SCOPES));
});
afterAll(() => scene.close());

const register = (sub: string, username = `moved-${++serial}`) =>
  call('POST', '/users', { body: { username, sub, password: PASSWORD, claims: { name: 'Ada' } } });

describe('an imported sub', () => {
  let user: TestUser;
  let browser: Browser;
  let idToken: string;
  let accessToken: string;
  let refreshToken: string;

  beforeAll(async () => {
    const answer = await register(SUB, 'ada');
    expect(answer.statusCode, answer.body).toBe(201);
    const id = String(answer.json()._links.self.href).split('/').at(-1) ?? '';
    user = { id, username: 'ada' };
    browser = new Browser(scene.app);
    const pkce = makePkce();
    const { url } = await goThrough(browser, authorizeUrl(scene.client, pkce, { scope: 'openid profile' }), user);
    const code = new URL(url).searchParams.get('code') ?? '';
    const { json } = await exchange(scene, scene.client, { code, verifier: pkce.verifier });
    idToken = json.id_token ?? '';
    accessToken = json.access_token ?? '';
    refreshToken = json.refresh_token ?? '';
  });

  it('is in access tokens and ID Tokens, also after a refresh', async () => {
    expect(decodeJwt(accessToken).sub).toBe(SUB);
    expect(decodeJwt(idToken).sub).toBe(SUB);
    const { json } = await refresh(scene, scene.client, refreshToken);
    expect(decodeJwt(json.access_token ?? '').sub).toBe(SUB);
    expect(decodeJwt(json.id_token ?? '').sub).toBe(SUB);
    refreshToken = json.refresh_token ?? '';
    accessToken = json.access_token ?? '';
  });

  it('is in UserInfo and in introspection', async () => {
    const headers = { authorization: `Bearer ${accessToken}` };
    const info = await scene.app.inject({ method: 'GET', url: '/oauth/userinfo', headers });
    expect(info.json()).toMatchObject({ sub: SUB, name: 'Ada' });
    const { clientId, secret } = scene.client;
    for (const token of [accessToken, refreshToken]) {
      const answer = await scene.app.inject({
        method: 'POST',
        url: '/oauth/introspect',
        headers: {
          authorization: `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${secret}`).toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        payload: new URLSearchParams({ token }).toString(),
      });
      expect(answer.json()).toMatchObject({ active: true, sub: SUB });
    }
  });

  it('matches as a hint in an authorization request', async () => {
    const asked = (hint: string) =>
      authorizeUrl(scene.client, makePkce(), { scope: 'openid', prompt: 'none', id_token_hint: hint });
    const right = await browser.get(asked(idToken));
    expect(new URL(String(right.headers['location'])).searchParams.get('code')).not.toBeNull();
    const other = await scene.code({ change: { scope: 'openid' } });
    const { json } = await exchange(scene, scene.client, other);
    const wrong = await browser.get(asked(json.id_token ?? ''));
    expect(new URL(String(wrong.headers['location'])).searchParams.get('error')).toBe('login_required');
  });

  it('addresses the end-user in the management API, beside the id', async () => {
    for (const path of [encodeURIComponent(SUB), user.id]) {
      const shown = await call('GET', `/users/${path}`);
      expect(shown.json()).toMatchObject({ sub: SUB, username: 'ada' });
      for (const list of ['grants', 'sessions']) {
        const { items } = (await call('GET', `/users/${path}/${list}`)).json();
        expect(items[0]).toMatchObject({ sub: SUB, username: 'ada' });
        expect(items.length).toBeGreaterThan(0);
      }
    }
    for (const list of ['grants', 'sessions', 'transitions']) {
      const { items } = (await call('GET', `/${list}?sub=${encodeURIComponent(SUB)}`)).json();
      expect(items.length, list).toBeGreaterThan(0);
      expect(items.every(({ sub }: { sub: string | null }) => sub === SUB || sub === null)).toBe(true);
    }
    expect((await call('GET', `/users/${encodeURIComponent(SUB.toLowerCase())}`)).statusCode).toBe(404);
  });

  it('is covered by the MAC of the row, and a row without one has the MAC of before', () => {
    const row = { ...ROW, sub: null };
    expect(userFacts({ ...row, sub: SUB })).not.toEqual(userFacts(row));
    expect(userFacts({ ...row, sub: SUB })[1]).toContain(SUB);
    expect(userFacts(row)[1]).toHaveLength(8);
  });

  it('is in the download of personal data', async () => {
    const data = await personalDataOf(scene.database.drizzle, user.id);
    expect(data?.account).toMatchObject({ sub: SUB, username: 'ada' });
  });

  it('never changes', async () => {
    const [shown] = [await call('GET', `/users/${user.id}`)];
    const headers = { 'if-match': String(shown.headers.etag) };
    for (const sub of [`${SUB}x`, SUB.toUpperCase(), user.id]) {
      const answer = await call('PATCH', `/users/${user.id}`, { body: { sub, claims: {} }, headers });
      expect(answer.statusCode, sub).toBe(422);
      expect(answer.json().errors[0].field).toBe('sub');
    }
    await expect(
      scene.database.drizzle.execute(`update users set sub = 'another' where id = '${user.id}'`),
    ).rejects.toThrow();
  });

  it('ends the session by an id_token_hint without a question', async () => {
    const query = new URLSearchParams({ id_token_hint: idToken });
    const answer = await browser.get(`/oauth/logout?${query}`);
    expect(answer.body).toContain('You are signed out');
  });
});

describe('a sub', () => {
  it('is refused where it is no printable text of at most 255 characters', async () => {
    for (const sub of ['', ' ', 'a b', 'é', 'a\n', 'x'.repeat(256)]) {
      const answer = await register(sub);
      expect([answer.statusCode, answer.json().errors?.[0]?.field], JSON.stringify(sub)).toEqual([422, 'sub']);
    }
    expect((await register('x'.repeat(255))).statusCode).toBe(201);
  });

  it('that is a UUID is the id', async () => {
    const sub = randomUUID();
    const answer = await register(sub);
    expect(answer.json()).toMatchObject({ sub });
    expect(answer.json()._links.self.href.endsWith(`/users/${sub}`)).toBe(true);
  });

  it('differs from another in case', async () => {
    expect((await register('Case-Sensitive')).statusCode).toBe(201);
    expect((await register('case-sensitive')).statusCode).toBe(201);
  });

  it.each(['opaque', 'uuid', 'UUID'])('of another end-user, or of a deleted one, is refused (%s)', async (kind) => {
    const id = randomUUID();
    const sub = kind === 'opaque' ? `okta|${id}` : id;
    const again = kind === 'UUID' ? id.toUpperCase() : sub;
    expect((await register(sub)).statusCode).toBe(201);
    const refused = await register(again);
    expect([refused.statusCode, refused.json().errors[0].field]).toEqual([422, 'sub']);
    expect((await call('DELETE', `/users/${encodeURIComponent(sub)}`)).statusCode).toBe(204);
    expect((await register(again)).statusCode).toBe(422);
    expect(await isSub(scene.database.drizzle, sub)).toBe(true);
  });

  it('is given once, however many ask for it at the same time', async () => {
    for (const sub of [`race|${randomUUID()}`, randomUUID()]) {
      const answers = await Promise.all([1, 2, 3, 4].map(() => register(sub)));
      expect(answers.filter(({ statusCode }) => statusCode === 201).length).toBe(1);
      expect(answers.filter(({ statusCode }) => statusCode >= 500)).toEqual([]);
    }
  });

  it('is no client_id, in either order', async () => {
    const sub = `app-${randomUUID()}`;
    expect((await register(sub)).statusCode).toBe(201);
    const body = { client_id: sub, client_name: 'App', redirect_uris: ['https://app.test/cb'] };
    expect((await call('POST', '/clients', { body })).statusCode).toBe(422);
    const other = await register(scene.client.clientId);
    expect([other.statusCode, other.json().errors[0].field]).toEqual([422, 'sub']);
  });
});
