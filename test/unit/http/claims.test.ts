/** Groups, roles and other custom claims: their release per client, place and scope (claims.yaml). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClaimsPolicy } from '../../../policies/claims-schema.ts';
import type { Configuration } from '../../../src/config/configuration.ts';
import {
  authorizeUrl,
  exchange,
  makeClient,
  makePkce,
  makeUser,
  obtainCode,
  PASSWORD,
  refresh,
  type TestClient,
  type TestUser,
  token,
} from '../../support/actors.ts';
import { openTestApp, shippedConfiguration, type TestApp } from '../../support/app.ts';
import { Browser } from '../../support/browser.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';

const API = 'https://api.test';
const FILES = 'https://files.test';
const claims: ClaimsPolicy = {
  scopes: [
    {
      name: 'groups',
      description: 'see the groups that you are in',
      claims: [{ name: 'groups', in: ['userinfo', 'id_token'] }],
    },
    { name: 'email', claims: [{ name: 'email', in: ['id_token'] }] },
    { name: 'profile', claims: [{ name: 'preferred_username', in: ['id_token'] }] },
    { name: 'read', claims: [{ name: 'roles', in: ['access_token'] }] },
    { name: 'list', claims: [{ name: 'quota', in: ['access_token'] }] },
  ],
};
const configuration: Configuration = {
  ...shippedConfiguration,
  claims,
  resources: [
    {
      identifier: API,
      name: 'API',
      default: true,
      introspectedBy: ['api'],
      scopes: ['read', 'write'].map((name) => ({ name, description: `${name} at the API` })),
    },
    { identifier: FILES, name: 'Files', scopes: [{ name: 'list', description: 'list your files' }] },
  ],
};
const KNOWN = {
  email: 'ann@example.com',
  groups: ['staff', 'admins'],
  roles: ['buyer'],
  quota: 5,
  secret: 'never released',
};

describe('custom claims', () => {
  let opened: TestDatabase;
  let test: TestApp;
  let client: TestClient;
  let api: TestClient;
  let user: TestUser;
  beforeAll(async () => {
    opened = await openTestDatabase(anyDatabase);
    test = await openTestApp(opened.database, { configuration });
    client = await makeClient(test);
    api = await makeClient(test, { clientId: 'api' });
    user = await makeUser(test, 'ann', KNOWN);
  });
  afterAll(async () => {
    await test.app.close();
    await opened.close();
  });

  const claimsOf = (jwt = '') => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8'));
  const first = async (scope: string, more: Record<string, string> = {}) =>
    (await exchange(test, client, await obtainCode(test, client, user, { scope }), more)).json;
  const userInfo = async (accessToken = '') =>
    (await test.app.inject({ url: '/oauth/userinfo', headers: { authorization: `Bearer ${accessToken}` } })).json();
  const introspect = async (by: TestClient, sent = '') =>
    (
      await test.app.inject({
        method: 'POST',
        url: '/oauth/introspect',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          authorization: `Basic ${Buffer.from(`${by.clientId}:${by.secret}`).toString('base64')}`,
        },
        payload: new URLSearchParams({ token: sent }).toString(),
      })
    ).json();

  it('are released by UserInfo and the ID Token for their scope, and not by the access token', async () => {
    const json = await first('openid email groups');
    expect(await userInfo(json.access_token)).toEqual({
      sub: user.id,
      email: KNOWN.email,
      groups: KNOWN.groups,
    });
    expect(claimsOf(json.id_token)).toMatchObject({ sub: user.id, groups: KNOWN.groups, email: KNOWN.email });
    for (const name of ['groups', 'email', 'roles', 'quota', 'secret']) {
      expect(claimsOf(json.access_token)).not.toHaveProperty(name);
    }
    expect(JSON.stringify([json, await userInfo(json.access_token)])).not.toContain('never released');
  });

  it('are not released without their scope', async () => {
    const json = await first('openid');
    expect(await userInfo(json.access_token)).toEqual({ sub: user.id });
    for (const name of ['groups', 'email', 'preferred_username']) {
      expect(claimsOf(json.id_token)).not.toHaveProperty(name);
    }
  });

  it('have the username as preferred_username where no other is stored', async () => {
    expect(claimsOf((await first('openid profile')).id_token).preferred_username).toBe('ann');
  });

  it('are in an access token for the resource of their scope, and in no other', async () => {
    const json = await first('openid read groups');
    expect(claimsOf(json.access_token)).toMatchObject({
      aud: [API, configuration.identity.identifier],
      scope: 'openid read groups',
      roles: ['buyer'],
    });
    expect(claimsOf(json.access_token)).not.toHaveProperty('groups');
    expect(claimsOf(json.id_token)).toMatchObject({ groups: KNOWN.groups });
    expect(claimsOf(json.id_token)).not.toHaveProperty('roles');
    expect(claimsOf((await first('write')).access_token)).not.toHaveProperty('roles');
  });

  it('follow the scope at each refresh, and the stored values at that time', async () => {
    const json = await first('openid read write groups');
    await opened.database.drizzle.execute(
      `update users set claims = claims || '{"roles": ["seller"]}' where username = 'ann'`,
    );
    const all = await refresh(test, client, json.refresh_token ?? '');
    expect(claimsOf(all.json.access_token).roles).toEqual(['seller']);
    expect(claimsOf(all.json.id_token).groups).toEqual(KNOWN.groups);
    const less = await refresh(test, client, all.json.refresh_token ?? '', { scope: 'openid write' });
    expect(claimsOf(less.json.access_token)).not.toHaveProperty('roles');
    expect(claimsOf(less.json.id_token)).not.toHaveProperty('groups');
    await opened.database.drizzle.execute(
      `update users set claims = claims || '{"roles": ["buyer"]}' where username = 'ann'`,
    );
  });

  it('are never in a token of a client itself', async () => {
    const { json } = await token(test, client, { grant_type: 'client_credentials', scope: 'read' });
    expect(claimsOf(json.access_token)).not.toHaveProperty('roles');
  });

  it('are introspected by the client of the token, and by an API only where its own scopes release them', async () => {
    const pkce = makePkce();
    const query = [API, FILES].map((one) => `&resource=${encodeURIComponent(one)}`).join('');
    const browser = new Browser(test.app);
    let page = await browser.get(`${authorizeUrl(client, pkce, { scope: 'read list' })}${query}`);
    page = await browser.submit(page, { username: user.username, password: PASSWORD });
    const { url } = await browser.submit(page, { decision: 'approve' });
    const pending = { code: new URL(url).searchParams.get('code') ?? '', verifier: pkce.verifier };
    const { json } = await exchange(test, client, pending);
    expect(claimsOf(json.access_token)).toMatchObject({ roles: ['buyer'], quota: 5 });
    expect(await introspect(client, json.access_token)).toMatchObject({ active: true, roles: ['buyer'], quota: 5 });
    const seen = await introspect(api, json.access_token);
    expect(seen).toMatchObject({ active: true, aud: API, scope: 'read', roles: ['buyer'] });
    expect(seen).not.toHaveProperty('quota');
  });

  it('have a scope that needs openid, has a text at consent, and is in the metadata', async () => {
    const refused = await new Browser(test.app).get(authorizeUrl(client, makePkce(), { scope: 'groups' }));
    expect(new URL(refused.url).searchParams.get('error')).toBe('invalid_scope');
    const other = await makeClient(test);
    const browser = new Browser(test.app);
    const page = await browser.get(authorizeUrl(other, makePkce(), { scope: 'openid groups' }));
    const consent = await browser.submit(page, { username: user.username, password: PASSWORD });
    expect(consent.body).toContain('see the groups that you are in');
    const metadata = (await test.app.inject('/.well-known/openid-configuration')).json();
    expect(metadata.scopes_supported).toContain('groups');
    expect(metadata.claims_supported).toContain('groups');
    expect(metadata.claims_supported).not.toContain('roles');
    const { scopes_supported: atUserInfo } = (
      await test.app.inject('/.well-known/oauth-protected-resource/oauth/userinfo')
    ).json();
    expect(atUserInfo).toContain('groups');
  });

  it('cannot have a name that every object has', async () => {
    const scopes = [{ name: 'openid', claims: [{ name: 'constructor', in: ['userinfo', 'id_token'] as const }] }];
    const other = await openTestApp(opened.database, {
      configuration: { ...configuration, claims: { scopes: scopes as unknown as ClaimsPolicy['scopes'] } },
    });
    const { json } = await exchange(other, client, await obtainCode(other, client, user, { scope: 'openid' }));
    expect(claimsOf(json.id_token)).not.toHaveProperty('constructor');
    await other.app.close();
  });

  it('cost a rotation no statement, and are not read where no token releases them', async () => {
    const json = await first('openid read');
    const without = await openTestApp(opened.database, { configuration: { ...configuration, claims: { scopes: [] } } });
    const grantId = Buffer.from(claimsOf(json.access_token).jti, 'base64url')
      .subarray(0, 16)
      .toString('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    const asked = { clientId: client.clientId, grantId };
    expect((await test.deps.store.load(asked)).claims).toMatchObject({ preferred_username: 'ann', roles: ['buyer'] });
    const [one, two] = await Promise.all([test.deps.store.load(asked), test.deps.store.load(asked)]);
    expect([one.claims?.['quota'], two.claims?.['quota']]).toEqual([5, 5]);
    expect((await without.deps.store.load(asked)).claims).toBeNull();
    await without.app.close();
  });
});
