/** The parts of the API that commands need in addition: previews of changes, warnings, one end-user by name, explanations. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idempotencyKeys } from '../../../src/storage/schema.ts';
import { makeClient, makeUser, obtainTokens } from '../../support/actors.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type Caller, callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';

let opened: TestDatabase;
let test: TestApp;
let call: Caller;
beforeAll(async () => {
  opened = await openTestDatabase(anyDatabase);
  test = await openTestApp(opened.database, { configuration: withBot() });
  await makeBot(test);
  const scope = ['clients:read', 'clients:write', 'users:read', 'users:write', 'grants:read', 'keys:read'];
  call = callerWith(test, () => tokenOf(test, scope));
});
afterAll(() => opened.close());

describe('a PUT without a condition', () => {
  it('lists the fields of a client that it would change, and changes nothing', async () => {
    const shop = { client_id: 'shop', redirect_uris: ['https://shop.example/'], grant_types: ['authorization_code'] };
    expect((await call('PUT', '/clients/shop', { body: shop })).statusCode).toBe(201);
    const answer = await call('PUT', '/clients/shop', { body: { ...shop, client_name: 'Another' } });
    expect(answer.statusCode).toBe(428);
    expect(answer.json().errors).toEqual([{ field: 'client_name', detail: 'Would be changed.' }]);
    expect((await call('GET', '/clients/shop')).json().client_name).toBe('shop');
    expect((await call('PUT', '/clients/shop', { body: shop })).statusCode).toBe(200);
  });

  it('lists the members of an end-user that it would change', async () => {
    const user = await makeUser(test);
    const body = {
      username: user.username,
      password: 'another password, long enough',
      claims: { name: 'Other' },
      disabled: true,
    };
    const answer = await call('PUT', `/users/${user.id}`, { body });
    expect(answer.statusCode).toBe(428);
    const fields = answer.json().errors.map(({ field }: { field: string }) => field);
    expect(fields).toEqual(['password', 'claims', 'disabled']);
  });
});

it('a client shows the number of its secrets; one that replaces the others is alone', async () => {
  const client = await makeClient(test, { grantTypes: ['client_credentials'], redirectUris: [] });
  const path = `/clients/${client.clientId}`;
  const count = async () => (await call('GET', path)).json().stored_secrets;
  expect(await count()).toBe(1);
  expect((await call('POST', `${path}/secrets`)).statusCode).toBe(201);
  expect(await count()).toBe(2);
  const replaced = await call('POST', `${path}/secrets`, { body: { replaces: true } });
  expect(replaced.statusCode).toBe(201);
  expect((await call('GET', `${path}/secrets`)).json().items).toMatchObject([{ secret_id: replaced.json().secret_id }]);
});

it('a registration warns of probable mistakes', async () => {
  const body = { client_id: 'warned', redirect_uris: ['http://localhost/'], grant_types: ['authorization_code'] };
  const answer = await call('POST', '/clients', { body });
  expect(answer.json().warnings).toEqual([
    expect.stringMatching(/^redirect_uris\.0: "localhost" can resolve elsewhere/),
  ]);
  const shown = await call('GET', '/clients/warned');
  expect(shown.json()).not.toHaveProperty('warnings');
  expect(shown.headers.etag).toBe(answer.headers.etag);
});

it('an end-user is found by username, compared as at a sign-in', async () => {
  const user = await makeUser(test);
  const subs = async (username: string, more = '') => {
    const { items } = (await call('GET', `/users?username=${encodeURIComponent(username)}${more}`)).json();
    return items.map(({ sub }: { sub: string }) => sub);
  };
  expect(await subs(` ${user.username.toUpperCase()}`)).toEqual([user.id]);
  expect(await subs(user.username, '&disabled=true')).toEqual([]);
  expect(await subs(user.username, '&q=else')).toEqual([]);
  expect(await subs(user.username.slice(1))).toEqual([]);
});

it('the signing keys include the policy for rotations', async () => {
  const { policy } = (await call('GET', '/signing-keys')).json();
  expect(policy).toEqual({
    algorithms: ['ES256', 'RS256'],
    published_before_signing_seconds: 86_400,
    jwks_max_age_seconds: 300,
  });
});

describe('explanations', () => {
  it('show the history behind a token, which is neither presented nor logged', async () => {
    const [client, user] = [await makeClient(test), await makeUser(test)];
    const { refreshToken, accessToken } = await obtainTokens(test, client, user);
    for (const [credential, place] of [
      [refreshToken, 'current'],
      [accessToken, 'access_token'],
      ['sh_rt_forged', 'refresh_token_malformed'],
    ] as const) {
      const answer = await call('POST', '/explanations', { body: { credential } });
      expect(answer.statusCode, answer.body).toBe(200);
      expect(answer.json().presented.place).toBe(place);
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.body).not.toContain(credential);
      expect(test.logs()).not.toContain(credential);
    }
    const again = await call('POST', '/explanations', { body: { credential: refreshToken } });
    expect(again.json()).toMatchObject({ active: true, client: { client_id: client.clientId } });
  });

  it('store no row, not even an Idempotency-Key: an auditor may request one', async () => {
    const body = { credential: 'sh_rt_forged' };
    const answer = await call('POST', '/explanations', { body, headers: { 'idempotency-key': 'of-an-auditor' } });
    expect(answer.statusCode).toBe(200);
    expect(await test.database.drizzle.select().from(idempotencyKeys)).toEqual([]);
  });

  it('report an unknown grant', async () => {
    expect((await call('POST', '/explanations', { body: { credential: randomUUID() } })).statusCode).toBe(404);
  });
});
