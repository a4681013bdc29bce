/** Lists of end-users and clients: entity tags of items, members that are asked for, orders with their cursors, and filters. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FIELDS_TYPE } from '../../../src/management/fields.ts';
import { MAX_WORDS } from '../../../src/storage/search.ts';
import { authorizeUrl, makePkce } from '../../support/actors.ts';
import { Browser } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { type Caller, callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const PASSWORD = 'a long enough password';

describe('lists of end-users and clients', () => {
  let scene: Scene;
  let call: Caller;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { configuration: withBot() });
    await makeBot(scene);
    call = callerWith(scene, () => tokenOf(scene, ['users:read', 'users:write', 'clients:read', 'clients:write']));
    for (const [name, more] of [
      ['list-ada', { password: PASSWORD, claims: { department: 'Sales', level: 3 } }],
      ['list-ben', { claims: { department: 'Law', email: 'ben@example.com', email_verified: true } }],
      ['list-cat', { password: PASSWORD }],
    ] as const) {
      const made = await call('POST', '/users', { body: { username: name, ...more } });
      expect(made.statusCode, made.body).toBe(201);
    }
    const body = { client_id: 'list-shop', client_name: 'A shop', redirect_uris: ['https://shop.example/'] };
    expect((await call('POST', '/clients', { body })).statusCode).toBe(201);
  });
  afterAll(() => scene.close());

  async function signedIn(username: string, password: string): Promise<boolean> {
    const browser = new Browser(scene.app);
    const page = await browser.get(authorizeUrl(scene.client, makePkce()));
    const after = await browser.submit(page, { username, password });
    return !after.body.includes('name="password"');
  }

  const get = async (path: string) => (await call('GET', path)).json();
  const names = async (query: string): Promise<readonly string[]> =>
    (await get(`/users?q=list&${query}`)).items.map(({ username }: { username: string }) => username);

  it.each([
    ['/users?username=list-ada', '/users/', 'sub', { claims: { department: 'Ops' } }],
    ['/clients?q=list-shop', '/clients/', 'client_id', { client_name: 'Another shop' }],
  ])('each item of %s has the tag of the item by itself, which a change takes', async (list, at, key, body) => {
    const [item] = (await get(list)).items;
    const path = `${at}${item[key]}`;
    const alone = await call('GET', path);
    expect(alone.headers.etag).toBe(item.etag);
    expect(alone.json()).toEqual(Object.fromEntries(Object.entries(item).filter(([name]) => name !== 'etag')));
    const change = () => call('PATCH', path, { body, headers: { 'if-match': item.etag } });
    const changed = await change();
    expect(changed.statusCode, changed.body).toBe(200);
    expect((await call('GET', path)).headers.etag).toBe(changed.headers.etag);
    expect((await change()).statusCode).toBe(412);
  });

  it('a sign-in changes the tag, and no condition about the record', async () => {
    const [cat] = (await get('/users?username=list-cat')).items;
    const seen = await call('GET', `/users/${cat.sub}`);
    expect(seen.json()).toMatchObject({ last_sign_in_at: null, has_password: true, factors: [], changed_at: null });
    expect(await signedIn('list-cat', PASSWORD)).toBe(true);
    const after = await call('GET', `/users/${cat.sub}`, { headers: { 'if-none-match': String(seen.headers.etag) } });
    expect(after.statusCode).toBe(200);
    expect(after.json().last_sign_in_at).not.toBeNull();
    const headers = { 'if-match': String(seen.headers.etag) };
    const changed = await call('PATCH', `/users/${cat.sub}`, { body: { disabled: true }, headers });
    expect(changed.statusCode, changed.body).toBe(200);
    expect(changed.json().changed_at).not.toBeNull();
    expect((await call('PATCH', `/users/${cat.sub}`, { body: { disabled: false }, headers })).statusCode).toBe(412);
    const again = { 'if-match': String(changed.headers.etag) };
    expect((await call('PATCH', `/users/${cat.sub}`, { body: { disabled: false }, headers: again })).statusCode).toBe(
      200,
    );
  });

  it('show only the members that are asked for, and reject unknown ones', async () => {
    const [item] = (await get('/users?username=list-ada&fields=sub,etag')).items;
    expect(Object.keys(item).toSorted()).toEqual(['etag', 'sub']);
    const alone = await call('GET', `/users/${item.sub}?fields=username, has_password`.replace(' ', '%20'));
    expect(alone.json()).toEqual({ username: 'list-ada', has_password: true });
    expect(alone.headers.etag).toBe(item.etag);
    expect(alone.headers['content-type']).toBe(FIELDS_TYPE);
    expect((await call('GET', `/users/${item.sub}`)).headers['content-type']).toBe('application/json');
    expect((await call('GET', '/clients/list-shop?fields=client_id')).json()).toEqual({ client_id: 'list-shop' });
    expect(await get('/clients?q=list-shop&fields=client_id')).toMatchObject({ items: [{ client_id: 'list-shop' }] });
    for (const path of ['/users?fields=usrname', '/clients?fields=etags', `/users/${item.sub}?fields=etag`]) {
      const refused = await call('GET', path);
      expect([refused.statusCode, refused.json().errors[0].field], path).toEqual([400, 'fields']);
      expect(refused.json().errors[0].detail).toContain('names of members');
    }
  });

  it('are sorted, and each cursor belongs to its order', async () => {
    expect(await names('sort=username&order=desc')).toEqual(['list-cat', 'list-ben', 'list-ada']);
    expect(await names('sort=created_at')).toEqual(['list-ada', 'list-ben', 'list-cat']);
    const first = await get('/users?q=list&sort=created_at&order=desc&limit=1');
    expect([first.items[0].username, first.total]).toEqual(['list-cat', 3]);
    const second = await get(first._links.next.href.slice(scene.issuer.length));
    expect(second.items[0].username).toBe('list-ben');
    const cursor = new URL(first._links.next.href).searchParams.get('cursor');
    const refused = await call('GET', `/users?q=list&cursor=${cursor}`);
    expect([refused.statusCode, refused.json().errors[0].field]).toEqual([400, 'cursor']);
    const clients = await get('/clients?sort=client_name&limit=1');
    const more = await get(clients._links.next.href.slice(scene.issuer.length));
    expect(more.items[0].client_name >= clients.items[0].client_name).toBe(true);
    expect((await get('/clients?sort=created_at&order=desc&limit=1')).items[0].client_id).toBe('list-shop');
  });

  it.each([
    ['has_password=false', ['list-ben']],
    ['email_verified=true', ['list-ben']],
    ['claim=department%3DLaw', ['list-ben']],
    ['claim=level=3', ['list-ada']],
    ['signed_in_since=2020-01-01T00:00:00Z', ['list-cat']],
    ['not_signed_in_since=2020-01-01T00:00:00Z', ['list-ada', 'list-ben']],
    ['factor=passkey', []],
    ['factor=none&disabled=false', ['list-ada', 'list-ben', 'list-cat']],
  ])('are filtered by %s', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  it.each([
    ['claim=department', 'claim'],
    ['claim==x', 'claim'],
    ['factor=key', 'factor'],
    ['signed_in_since=yesterday', 'signed_in_since'],
    ['sort=email', 'sort'],
    ['order=up', 'order'],
    [`q=${Array.from({ length: MAX_WORDS + 1 }, (_, n) => `w${n}`).join('+')}`, 'q'],
  ])('reject %s', async (query, field) => {
    const refused = await call('GET', `/users?${query}`);
    expect([refused.statusCode, refused.json().errors[0].field], refused.body).toEqual([400, field]);
  });

  it('search a name for as many words as are allowed, repeated ones once', async () => {
    const words = Array.from({ length: MAX_WORDS }, (_, n) => `w${n}`).join('+');
    expect((await call('GET', `/users?q=${words}+w0+w1`)).statusCode).toBe(200);
  });

  it('an exact username takes every filter, also one that searches the names', async () => {
    const found = async (query: string) => (await get(`/users?username=LIST-BEN&${query}`)).items.length;
    expect(await found('q=ben%40example')).toBe(1);
    expect(await found('q=law')).toBe(0);
    expect([await found('has_password=false'), await found('has_password=true')]).toEqual([1, 0]);
    expect([await found('claim=department=Law'), await found('claim=department=Sales')]).toEqual([1, 0]);
  });

  describe('an end-user without a password', () => {
    it('is registered, and gets one later', async () => {
      const made = await call('POST', '/users', { body: { username: 'list-none', has_password: false } });
      expect([made.statusCode, made.json().has_password], made.body).toEqual([201, false]);
      const path = `/users/${made.json().sub}`;
      const headers = { 'if-match': String(made.headers.etag) };
      const changed = await call('PATCH', path, { body: { password: PASSWORD }, headers });
      expect([changed.statusCode, changed.json().has_password], changed.body).toEqual([200, true]);
    });

    it('is not mistaken for one with a password', async () => {
      const made = await call('POST', '/users', { body: { username: 'list-wrong', has_password: true } });
      expect([made.statusCode, made.json().errors[0].field]).toEqual([422, 'has_password']);
      const [ada] = (await get('/users?username=list-ada')).items;
      const headers = { 'if-match': ada.etag };
      const removed = await call('PATCH', `/users/${ada.sub}`, { body: { has_password: false }, headers });
      expect([removed.statusCode, removed.json().errors[0].field]).toEqual([422, 'has_password']);
    });

    it('cannot sign in with an empty password, and with no other', async () => {
      const [ben] = (await get('/users?username=list-ben')).items;
      expect(ben.has_password).toBe(false);
      expect(await signedIn('list-ben', '')).toBe(false);
      expect(await signedIn('list-ben', PASSWORD)).toBe(false);
      expect(await signedIn('list-ada', PASSWORD)).toBe(true);
    });
  });
});
