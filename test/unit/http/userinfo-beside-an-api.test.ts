/** `scope=openid profile email read` in one request, as most OpenID Connect libraries send it (docs/decisions/0024). */
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Configuration } from '../../../src/config/configuration.ts';
import { exchange, makeClient, refresh, type TestClient, token } from '../../support/actors.ts';
import { ISSUER, openTestApp, shippedConfiguration, type TestApp } from '../../support/app.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const API = 'https://api.test';
const VAULT = 'https://vault.test';
const USERINFO = `${ISSUER}/oauth/userinfo`;
const described = (...names: string[]) => names.map((name) => ({ name, description: `${name} there` }));
const resources: Configuration['resources'] = [
  { identifier: API, name: 'API', default: true, introspectedBy: ['api'], scopes: described('read', 'write') },
  { identifier: VAULT, name: 'Vault', userInfo: false, introspectedBy: ['api'], scopes: described('open') },
];
const configuration: Configuration = { ...shippedConfiguration, resources };

describe('openid beside a scope of an API', () => {
  let scene: Scene;
  let atVault: TestClient;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { configuration });
    atVault = await makeClient(scene, { defaultResource: VAULT });
  });
  afterAll(() => scene.close());

  const userInfoStatus = async (accessToken = '', { app }: Pick<TestApp, 'app'> = scene) =>
    (await app.inject({ url: '/oauth/userinfo', headers: { authorization: `Bearer ${accessToken}` } })).statusCode;
  const signIn = async (scope: string, client = scene.client, more: Record<string, string> = {}) =>
    (await exchange(scene, client, await scene.code({ client, change: { scope, ...more } }))).json;
  const audience = (accessToken = '') => decodeJwt(accessToken).aud;

  it('covers the API and the UserInfo Endpoint, in the returned scope; the ID Token comes with it', async () => {
    const json = await signIn('openid profile email read');
    expect(json).toMatchObject({ scope: 'openid profile email read', id_token: expect.any(String) });
    expect(decodeJwt(json.access_token ?? '')).toMatchObject({
      aud: [API, USERINFO],
      scope: 'openid profile email read',
    });
    expect(await userInfoStatus(json.access_token)).toBe(200);
  });

  it('stays so over a refresh; a refresh excludes the scopes that it omits', async () => {
    const first = await signIn('openid email read');
    const second = (await refresh(scene, scene.client, first.refresh_token ?? '')).json;
    expect(audience(second.access_token)).toEqual([API, USERINFO]);
    expect(await userInfoStatus(second.access_token)).toBe(200);
    const forApi = (await refresh(scene, scene.client, second.refresh_token ?? '', { scope: 'read' })).json;
    expect(decodeJwt(forApi.access_token ?? '')).toMatchObject({ aud: API, scope: 'read' });
    expect(await userInfoStatus(forApi.access_token)).toBe(403);
    const named = (await refresh(scene, scene.client, forApi.refresh_token ?? '', { resource: API })).json;
    expect(decodeJwt(named.access_token ?? '')).toMatchObject({ aud: API, scope: 'read' });
    const identity = (await refresh(scene, scene.client, named.refresh_token ?? '', { scope: 'openid' })).json;
    expect(decodeJwt(identity.access_token ?? '')).toMatchObject({ aud: USERINFO, scope: 'openid' });
    const all = (await refresh(scene, scene.client, identity.refresh_token ?? '')).json;
    expect(audience(all.access_token)).toEqual([API, USERINFO]);
  });

  it('with `resource` is for the named resource alone', async () => {
    const json = await signIn('openid email read', scene.client, { resource: API });
    expect(decodeJwt(json.access_token ?? '')).toMatchObject({ aud: API, scope: 'read' });
    expect(json).toMatchObject({ scope: 'openid email read', id_token: expect.any(String) });
    expect(await userInfoStatus(json.access_token)).toBe(403);
  });

  it('shows the API, at introspection, nothing but itself', async () => {
    const api = await makeClient(scene, { clientId: 'api' });
    const { access_token: sent = '' } = await signIn('openid email read write');
    const reply = await scene.app.inject({
      method: 'POST',
      url: '/oauth/introspect',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(`${api.clientId}:${api.secret}`).toString('base64')}`,
      },
      payload: new URLSearchParams({ token: sent }).toString(),
    });
    expect(reply.json()).toMatchObject({ active: true, aud: API, scope: 'read write' });
  });

  describe('where the API has userInfo: false', () => {
    it('covers the API alone; the ID Token comes, and a token for UserInfo by `resource`', async () => {
      const json = await signIn('openid email open', atVault);
      expect(decodeJwt(json.access_token ?? '')).toMatchObject({ aud: VAULT, scope: 'open' });
      expect(json).toMatchObject({ scope: 'openid email open', id_token: expect.any(String) });
      expect(await userInfoStatus(json.access_token)).toBe(403);
      const identity = (await refresh(scene, atVault, json.refresh_token ?? '', { resource: USERINFO })).json;
      expect(decodeJwt(identity.access_token ?? '')).toMatchObject({ aud: USERINFO, scope: 'openid email' });
      expect(await userInfoStatus(identity.access_token)).toBe(200);
    });

    it('gives no token for both; a token request that names both uses no credential', async () => {
      const pkce = await scene.code({ client: atVault, change: { scope: 'openid open', resource: VAULT } });
      const { json } = await exchange(scene, atVault, pkce);
      const both: [string, string][] = [
        ['grant_type', 'refresh_token'],
        ['refresh_token', json.refresh_token ?? ''],
        ['resource', VAULT],
        ['resource', USERINFO],
      ];
      expect(await token(scene, atVault, both)).toMatchObject({ status: 400, json: { error: 'invalid_target' } });
      expect((await refresh(scene, atVault, json.refresh_token ?? '', { resource: VAULT })).status).toBe(200);
    });

    it('applies to grants and tokens from before, too', async () => {
      const before = await signIn('openid email read');
      const now = { ...configuration, resources: resources.map((one) => ({ ...one, userInfo: false })) };
      const strict = await openTestApp(scene.database, { configuration: now, clock: scene.clock });
      try {
        expect(await userInfoStatus(before.access_token, strict)).toBe(403);
        const { json } = await refresh(strict, scene.client, before.refresh_token ?? '');
        expect(decodeJwt(json.access_token ?? '')).toMatchObject({ aud: API, scope: 'read' });
        expect(json.scope).toBe('openid email read');
        expect(await userInfoStatus(json.access_token, strict)).toBe(403);
      } finally {
        await strict.app.close();
      }
    });
  });
});
