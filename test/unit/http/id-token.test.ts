/** OpenID Connect Core §2, §3.1.3.3, §12.2: the ID Token, at the exchange and at each refresh. */
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessTokenHash } from '../../../src/crypto/id-token.ts';
import { exchange, makeClient, refresh, type TestClient, token } from '../../support/actors.ts';
import { ISSUER, shippedConfiguration } from '../../support/app.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const API = 'https://api.example.com';
const USERINFO = `${ISSUER}/oauth/userinfo`;

describe('the ID Token', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
  });
  afterAll(() => scene.close());

  const now = () => Math.floor(scene.clock.now().getTime() / 1000);
  async function verified(idToken: string | undefined, client: TestClient, alg = 'RS256') {
    const jwks = (await scene.app.inject('/.well-known/jwks.json')).json() as JSONWebKeySet;
    const { payload } = await jwtVerify(idToken ?? '', createLocalJWKSet(jwks), {
      issuer: ISSUER,
      audience: client.clientId,
      typ: 'JWT',
      algorithms: [alg],
      currentDate: scene.clock.now(),
    });
    return payload;
  }
  const signIn = async (change: Readonly<Record<string, string>>, client = scene.client) => {
    const code = await scene.code({ client, change });
    return (await exchange(scene, client, code)).json;
  };

  it('says who signed in, when and how, for this client, and reveals no more about the user', async () => {
    await scene.code();
    const signedInAt = now();
    scene.clock.advanceSeconds(100);
    const answer = await signIn({ scope: 'openid profile email read', nonce: 'n-0S6_WzA2Mj' });
    expect(await verified(answer.id_token, scene.client)).toEqual({
      iss: ISSUER,
      sub: scene.user.id,
      aud: scene.client.clientId,
      iat: now(),
      exp: now() + 900,
      auth_time: signedInAt,
      nonce: 'n-0S6_WzA2Mj',
      at_hash: accessTokenHash('RS256', answer.access_token ?? ''),
      acr: 'urn:statehouse:acr:password',
      amr: ['pwd'],
      sid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(answer.scope).toBe('openid profile email read');
    expect(decodeJwt(answer.access_token ?? '')).toMatchObject({
      aud: [API, `${ISSUER}/oauth/userinfo`],
      scope: 'openid profile email read',
    });
  });

  it('is issued only where openid was requested', async () => {
    const answer = await signIn({ scope: 'read', nonce: 'a-nonce' });
    expect(answer).not.toHaveProperty('id_token');
    expect(decodeJwt(answer.access_token ?? '').aud).toBe(API);
  });

  it('comes with an access token for the UserInfo Endpoint alone, where only identity was requested', async () => {
    const answer = await signIn({ scope: 'openid email' });
    expect(decodeJwt(answer.access_token ?? '')).toMatchObject({ aud: USERINFO, scope: 'openid email' });
    expect(decodeJwt(answer.id_token ?? '')).not.toHaveProperty('nonce');
  });

  it.each(['ES256', 'RS256'] as const)('is signed with the algorithm of the client: %s', async (alg) => {
    const client = await makeClient(scene, { idTokenSignedResponseAlg: alg });
    const { id_token, access_token } = await signIn({ scope: 'openid' }, client);
    expect(await verified(id_token, client, alg)).toMatchObject({ at_hash: accessTokenHash(alg, access_token ?? '') });
  });

  it('is issued again at a refresh: same subject, same sign-in, no nonce (§12.2)', async () => {
    const first = await signIn({ scope: 'openid read', nonce: 'a-nonce' });
    const before = await verified(first.id_token, scene.client);
    scene.clock.advanceSeconds(500);
    const { json } = await refresh(scene, scene.client, first.refresh_token ?? '');
    const after = await verified(json.id_token, scene.client);
    expect(after).toEqual({
      ...before,
      nonce: undefined,
      iat: now(),
      exp: now() + 900,
      at_hash: accessTokenHash('RS256', json.access_token ?? ''),
    });
    expect(after).not.toHaveProperty('nonce');
  });

  it('is not issued at a refresh for less than openid, or for another scope alone', async () => {
    const first = await signIn({ scope: 'openid read' });
    const { json } = await refresh(scene, scene.client, first.refresh_token ?? '', { scope: 'read' });
    expect(json).not.toHaveProperty('id_token');
    const again = await refresh(scene, scene.client, json.refresh_token ?? '', { scope: 'openid' });
    expect(again.json).toMatchObject({ id_token: expect.any(String), scope: 'openid' });
    const wide = await refresh(scene, scene.client, again.json.refresh_token ?? '', { scope: 'openid email' });
    expect(wide).toMatchObject({ status: 400, json: { error: 'invalid_scope' } });
  });

  it('is still issued when the access token is narrowed to an API, which loses the identity', async () => {
    const code = await scene.code({ change: { scope: 'openid email read' } });
    const { json } = await exchange(scene, scene.client, code, { resource: API });
    expect(json).toMatchObject({ scope: 'read', id_token: expect.any(String) });
    expect(decodeJwt(json.access_token ?? '')).toMatchObject({ aud: API, scope: 'read' });
  });

  it('is not issued for client credentials', async () => {
    for (const scope of ['openid', 'read openid', 'profile', 'offline_access']) {
      const { status, json } = await token(scene, scene.client, { grant_type: 'client_credentials', scope });
      expect({ status, error: json.error }).toEqual({ status: 400, error: 'invalid_scope' });
    }
  });

  it('is not affected by identity scopes in the ceiling of a service, which gets the rest', async () => {
    const client = await makeClient(scene, { scope: ['openid', 'email', 'read', 'offline_access'] });
    const { json } = await token(scene, client, { grant_type: 'client_credentials' });
    expect(json).toMatchObject({ scope: 'read' });
  });
});

describe('offline_access (§11)', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
  });
  afterAll(() => scene.close());

  it('is granted to a client that may refresh, and is in the returned scope', async () => {
    const code = await scene.code({ change: { scope: 'openid read offline_access' } });
    const { json } = await exchange(scene, scene.client, code);
    expect(json).toMatchObject({ scope: 'openid read offline_access', refresh_token: expect.any(String) });
  });

  it('is ignored where the ceiling of the client does not have it', async () => {
    const client = await makeClient(scene, { scope: ['openid', 'read'] });
    const code = await scene.code({ client, change: { scope: 'openid read offline_access' } });
    expect((await exchange(scene, client, code)).json.scope).toBe('openid read');
    const may = await makeClient(scene, { scope: ['openid', 'read', 'offline_access'] });
    const granted = await scene.code({ client: may, change: { scope: 'openid offline_access' } });
    expect((await exchange(scene, may, granted)).json.scope).toBe('openid offline_access');
  });

  it('is ignored for a client that may not refresh', async () => {
    const client = await makeClient(scene, { grantTypes: ['authorization_code'] });
    const code = await scene.code({ client, change: { scope: 'openid read offline_access' } });
    const { json } = await exchange(scene, client, code);
    expect(json.scope).toBe('openid read');
    expect(json).not.toHaveProperty('refresh_token');
  });

  it('can be required for refresh tokens by policy', async () => {
    const [name, policy] = [...shippedConfiguration.policies][0] ?? [];
    if (!name || !policy) throw new Error('no policy');
    const strict = { ...policy, refreshTokensNeedOfflineAccess: true };
    const configuration = {
      ...shippedConfiguration,
      policies: new Map([...shippedConfiguration.policies, ['strict', strict]]),
    };
    const other = await openScene(anyDatabase, { configuration });
    const client = await makeClient(other, { policy: 'strict' });
    const online = await exchange(other, client, await other.code({ client, change: { scope: 'openid read' } }));
    expect(online.json).not.toHaveProperty('refresh_token');
    const change = { scope: 'openid read offline_access' };
    const offline = await exchange(other, client, await other.code({ client, change }));
    const rotated = await refresh(other, client, offline.json.refresh_token ?? '');
    expect(rotated.json).toMatchObject({ refresh_token: expect.any(String) });
    await other.close();
  });

  it('requests nothing by itself', async () => {
    await expect(scene.code({ change: { scope: 'offline_access' } })).rejects.toThrow(/invalid_scope/);
  });
});
