/** POST /oauth/introspect (RFC 7662): the answer for each client, and that introspection is not presentation. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Resource } from '../../../policies/schema.ts';
import type { Configuration } from '../../../src/config/configuration.ts';
import { exchange, makeClient, makeUser, obtainTokens, refresh, type TestClient, token } from '../../support/actors.ts';
import { deleteClient, disableUser, saveClient } from '../../support/administration.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { anyDatabase } from '../../support/database.ts';
import { claimsOf, forgeriesOf } from '../../support/forging.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { introspect, revoke } from '../../support/sent-token.ts';
import { everything } from '../../support/stored.ts';

const resource = (name: string, introspectedBy: string[], ...scopes: string[]): Resource => ({
  identifier: `https://${name}.test`,
  name,
  introspectedBy,
  scopes: scopes.map((one) => ({ name: one, description: one })),
});
const [photos, prints, mail] = [
  resource('photos', ['photos-api', 'media-api'], 'read', 'upload'),
  resource('prints', ['prints-api', 'media-api'], 'read', 'order'),
  { identifier: 'https://mail.test', name: 'mail', scopes: [{ name: 'send', description: 'send' }] } as Resource,
];
const configuration: Configuration = {
  ...shippedConfiguration,
  resources: [{ ...photos, default: true }, prints, mail],
};
const INACTIVE = { status: 200, json: { active: false } };

describe('introspection', () => {
  let scene: Scene;
  const apis = new Map<string, TestClient>();
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { configuration });
    for (const clientId of ['photos-api', 'prints-api', 'media-api', 'mail-api']) {
      apis.set(clientId, await makeClient(scene, { clientId, redirectUris: [], grantTypes: ['client_credentials'] }));
    }
  });
  afterAll(() => scene.close());

  const api = (name: string): TestClient => apis.get(`${name}-api`) ?? scene.client;
  /** The answer, without its headers. */
  const ask = async (client: TestClient, sent: string, more = {}) => {
    const { status, json, headers } = await introspect(scene, client, sent, more);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(headers['cache-control']).toBe('no-store');
    return { status, json };
  };
  const isActive = async (client: TestClient, sent: string) => (await ask(client, sent)).json['active'];
  const ofService = async (fields: Readonly<Record<string, string>> | [string, string][], client = scene.client) =>
    (await token(scene, client, Array.isArray(fields) ? fields : Object.entries(fields))).json.access_token ?? '';
  /** For both, as far as a single request allows. */
  const forBoth: [string, string][] = [
    ['grant_type', 'client_credentials'],
    ['resource', photos.identifier],
    ['resource', prints.identifier],
  ];

  it('returns to its own client the whole content of an access token, and no other member', async () => {
    const { accessToken } = await obtainTokens(scene, scene.client, scene.user);
    const { jti, iat, exp } = claimsOf(accessToken);
    expect(await ask(scene.client, accessToken)).toEqual({
      status: 200,
      json: {
        active: true,
        scope: 'read upload',
        client_id: scene.client.clientId,
        token_type: 'Bearer',
        exp,
        iat,
        sub: scene.user.id,
        aud: photos.identifier,
        iss: scene.issuer,
        jti,
        // RFC 9470 §6.2.
        acr: 'urn:statehouse:acr:password',
        auth_time: iat,
      },
    });
  });

  it('returns to its own client a refresh token, which is for this server alone', async () => {
    const { accessToken, refreshToken } = await obtainTokens(scene, scene.client, scene.user);
    const { iat } = claimsOf(accessToken);
    expect(await ask(scene.client, refreshToken)).toEqual({
      status: 200,
      json: {
        active: true,
        scope: 'read upload',
        client_id: scene.client.clientId,
        exp: iat + 30 * 86_400,
        iat,
        sub: scene.user.id,
        aud: scene.issuer,
        iss: scene.issuer,
      },
    });
    for (const name of ['photos', 'media']) expect(await ask(api(name), refreshToken)).toEqual(INACTIVE);
  });

  it.each(['access_token', 'refresh_token', 'nonsense'])('ignores a hint of %s', async (token_type_hint) => {
    const { accessToken, refreshToken } = await obtainTokens(scene, scene.client, scene.user);
    for (const one of [accessToken, refreshToken]) {
      expect((await ask(scene.client, one, { token_type_hint })).json['active']).toBe(true);
    }
  });

  describe('an API', () => {
    it('gets an active answer for its own tokens alone', async () => {
      const { accessToken } = await obtainTokens(scene, scene.client, scene.user);
      expect((await ask(api('photos'), accessToken)).json).toMatchObject({
        active: true,
        sub: scene.user.id,
        client_id: scene.client.clientId,
        aud: photos.identifier,
        scope: 'read upload',
      });
      for (const name of ['prints', 'mail']) expect(await ask(api(name), accessToken)).toEqual(INACTIVE);
      expect(await ask(scene.other, accessToken)).toEqual(INACTIVE);
    });

    it('gets no other audience of a token', async () => {
      const both = await ofService(forBoth);
      expect(claimsOf(both)).toMatchObject({ aud: [photos.identifier, prints.identifier], scope: 'read upload order' });
      const seen = async (client: TestClient) => {
        const { aud, scope } = (await ask(client, both)).json;
        return { aud, scope };
      };
      expect(await seen(api('photos'))).toEqual({ aud: photos.identifier, scope: 'read upload' });
      expect(await seen(api('prints'))).toEqual({ aud: prints.identifier, scope: 'read order' });
      expect(await seen(api('media'))).toEqual(await seen(scene.client));
      expect(await seen(scene.client)).toEqual({
        aud: [photos.identifier, prints.identifier],
        scope: 'read upload order',
      });
      expect(await ask(api('mail'), both)).toEqual(INACTIVE);
    });

    it('gets no scope where the token has none of its scopes', async () => {
      const onlyOrders = await ofService([...forBoth, ['scope', 'order']]);
      const { json } = await ask(api('photos'), onlyOrders);
      expect(json).toMatchObject({ active: true, aud: photos.identifier });
      expect(json).not.toHaveProperty('scope');
    });

    it('that is no longer listed, or is public, gets inactive', async () => {
      const { accessToken } = await obtainTokens(scene, scene.client, scene.user);
      const before = apis.get('photos-api');
      if (!before) throw new Error('unknown API');
      const { secret: _, ...registration } = before;
      await deleteClient(scene.database.drizzle, before.clientId);
      expect((await ask(before, accessToken)).status).toBe(401);
      await saveClient(scene.database.drizzle, { ...registration, tokenEndpointAuthMethod: 'none', secretMacs: [] });
      expect(await ask({ ...before, secret: null }, accessToken)).toMatchObject({
        status: 401,
        json: { error: 'invalid_client' },
      });
      await saveClient(scene.database.drizzle, registration);
      expect(await isActive(before, accessToken)).toBe(true);
    });
  });

  it('rejects a public client, for its own tokens too', async () => {
    const app = await makeClient(scene, { tokenEndpointAuthMethod: 'none' });
    const { accessToken, refreshToken } = await obtainTokens(scene, app, scene.user);
    for (const one of [accessToken, refreshToken, 'x']) {
      expect(await ask(app, one)).toMatchObject({ status: 401, json: { error: 'invalid_client' } });
    }
  });

  it('is not a presentation: no row changes, and a used token is inactive while its chain is active', async () => {
    const { accessToken, refreshToken } = await obtainTokens(scene, scene.client, scene.user);
    const head = (await refresh(scene, scene.client, refreshToken)).json.refresh_token ?? '';
    const before = await everything(scene.database.drizzle);
    for (let times = 0; times < 3; times++) {
      expect(await ask(scene.client, refreshToken)).toEqual(INACTIVE);
      expect(await isActive(scene.client, head)).toBe(true);
      for (const client of [scene.client, api('photos')]) expect(await isActive(client, accessToken)).toBe(true);
      expect(await ask(scene.other, head)).toEqual(INACTIVE);
    }
    expect(await everything(scene.database.drizzle)).toEqual(before);
    expect((await refresh(scene, scene.client, head)).status).toBe(200);
  });

  it('returns a refresh token inactive from the moment at which it would be rejected', async () => {
    const { refreshToken } = await obtainTokens(scene, scene.client, scene.user);
    const start = scene.clock.now();
    const exp = Number((await ask(scene.client, refreshToken)).json['exp']) * 1000;
    scene.clock.set(new Date(exp - 1));
    expect(await isActive(scene.client, refreshToken)).toBe(true);
    scene.clock.set(new Date(exp));
    expect(await ask(scene.client, refreshToken)).toEqual(INACTIVE);
    expect((await refresh(scene, scene.client, refreshToken)).json.error).toBe('invalid_grant');
    scene.clock.set(start);
  });

  it('returns it inactive for a client that may no longer refresh', async () => {
    const client = await makeClient(scene);
    const { refreshToken } = await obtainTokens(scene, client, scene.user);
    const { secret: _, ...registration } = client;
    await saveClient(scene.database.drizzle, { ...registration, grantTypes: ['authorization_code'] });
    expect(await ask(client, refreshToken)).toEqual(INACTIVE);
    expect((await refresh(scene, client, refreshToken)).json.error).toBe('unauthorized_client');
  });

  it('returns all tokens of a grant inactive as soon as the grant ends', async () => {
    const user = await makeUser(scene);
    const endings: readonly ((tokens: { accessToken: string; refreshToken: string }) => Promise<unknown>)[] = [
      ({ refreshToken }) => revoke(scene, scene.client, refreshToken),
      ({ accessToken }) => revoke(scene, scene.client, accessToken),
      async ({ refreshToken }) => {
        await refresh(scene, scene.client, refreshToken);
        await refresh(scene, scene.client, refreshToken);
      },
      () => disableUser(scene.database.drizzle, user.username),
    ];
    for (const end of endings) {
      const tokens = await obtainTokens(scene, scene.client, user);
      expect(await isActive(api('photos'), tokens.accessToken)).toBe(true);
      await end(tokens);
      expect(await ask(api('photos'), tokens.accessToken)).toEqual(INACTIVE);
      for (const one of Object.values(tokens)) expect(await ask(scene.client, one)).toEqual(INACTIVE);
    }
  });

  it('returns a revoked or expired token of client credentials inactive', async () => {
    const grant_type = 'client_credentials';
    const [one, another] = [await ofService({ grant_type }), await ofService({ grant_type })];
    expect((await ask(scene.client, one)).json).toMatchObject({ active: true, sub: scene.client.clientId });
    await revoke(scene, scene.client, one);
    for (const client of [scene.client, api('photos')]) {
      expect(await ask(client, one)).toEqual(INACTIVE);
      expect(await isActive(client, another)).toBe(true);
    }
    const start = scene.clock.now();
    scene.clock.set(new Date(claimsOf(another).exp * 1000));
    expect(await ask(scene.client, another)).toEqual(INACTIVE);
    scene.clock.set(start);
  });

  it('returns a forged, garbled or invalid token inactive, without a reason', async () => {
    const { accessToken, refreshToken } = await obtainTokens(scene, scene.client, scene.user);
    const { code } = await scene.code();
    const forged = [...(await forgeriesOf(scene, accessToken)).values()];
    for (const one of [...forged, code, `${refreshToken}A`, refreshToken.slice(0, -1), 'x', 'a.b.c']) {
      for (const client of [scene.client, api('photos')]) expect(await ask(client, one), one).toEqual(INACTIVE);
    }
  });

  it('returns no more of the user than the sub', async () => {
    const { json } = await exchange(scene, scene.client, await scene.code());
    for (const one of [json.access_token, json.refresh_token]) {
      expect(JSON.stringify((await ask(scene.client, one ?? '')).json)).not.toContain(scene.user.username);
    }
  });

  it('logs the client and the reason for an inactive token, and no token', async () => {
    const { accessToken, refreshToken } = await obtainTokens(scene, scene.client, scene.user);
    await ask(scene.client, accessToken);
    await ask(api('prints'), accessToken);
    await ask(scene.other, refreshToken);
    const logs = scene.logs();
    for (const one of [accessToken, refreshToken]) {
      expect(logs).not.toContain(one);
      expect(logs).not.toContain(one.split('.').at(-1));
    }
    const lines = logs
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter((line) => line.route === '/oauth/introspect');
    expect(lines.slice(-3)).toMatchObject([
      { clientId: scene.client.clientId, grantId: expect.any(String), active: true },
      { clientId: 'prints-api', active: false, reason: 'not_for_this_client' },
      { clientId: scene.other.clientId, active: false, reason: 'client_mismatch' },
    ]);
  });
});
