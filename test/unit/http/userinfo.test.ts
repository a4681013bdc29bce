/** OpenID Connect Core §5.3 and RFC 6750: the claims for an access token, and the rejection of everything else. */

import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AccessTokenClaims, signAccessToken } from '../../../src/crypto/access-token.ts';
import { signIdToken } from '../../../src/crypto/id-token.ts';
import { raiseServerEpoch } from '../../../src/storage/server.ts';
import {
  authorizeUrl,
  exchange,
  goThrough,
  makeClient,
  makePkce,
  makeUser,
  refresh,
  type TestUser,
  token,
} from '../../support/actors.ts';
import { deleteClient, disableUser } from '../../support/administration.ts';
import { ISSUER } from '../../support/app.ts';
import { Browser } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const CLAIMS = {
  name: 'Ada Lovelace',
  given_name: 'Ada',
  email: 'ada@example.com',
  email_verified: false,
  phone_number: '+44 20 7946 0958',
  address: { locality: 'London', country: 'GB' },
  updated_at: 1_700_000_000,
};

describe('the UserInfo Endpoint', () => {
  let scene: Scene;
  let user: TestUser;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
  });
  beforeEach(async () => {
    user = await makeUser(scene, undefined, CLAIMS);
  });
  afterAll(() => scene.close());

  const tokensFor = async (scope: string, client = scene.client) => {
    const pkce = makePkce();
    const { url } = await goThrough(new Browser(scene.app), authorizeUrl(client, pkce, { scope }), user);
    const code = new URL(url).searchParams.get('code') ?? '';
    const { json } = await exchange(scene, client, { code, verifier: pkce.verifier });
    return {
      accessToken: json.access_token ?? '',
      idToken: json.id_token ?? '',
      refreshToken: json.refresh_token ?? '',
    };
  };
  const ask = async (accessToken: string | null, more: object = {}) => {
    const reply = await scene.app.inject({
      method: 'GET',
      url: '/oauth/userinfo',
      ...(accessToken !== null && { headers: { authorization: `Bearer ${accessToken}` } }),
      ...more,
    });
    return {
      status: reply.statusCode,
      challenge: reply.headers['www-authenticate'],
      headers: reply.headers,
      json: reply.json(),
    };
  };

  it.each([
    ['openid', {}],
    ['openid email', { email: CLAIMS.email, email_verified: false }],
    ['openid address phone', { address: CLAIMS.address, phone_number: CLAIMS.phone_number }],
  ])('returns for %s exactly its claims', async (scope, claims) => {
    const { accessToken } = await tokensFor(scope);
    const { status, json, headers } = await ask(accessToken);
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'application/json; charset=utf-8' });
    expect(json).toEqual({ sub: user.id, ...claims });
  });

  it('returns the username as preferred_username where no other is known', async () => {
    const { accessToken } = await tokensFor('openid profile');
    const { name, given_name, updated_at } = CLAIMS;
    expect((await ask(accessToken)).json).toEqual({
      sub: user.id,
      name,
      given_name,
      updated_at,
      preferred_username: user.username,
    });
  });

  it('accepts POST, with the token in the header or in the form', async () => {
    const { accessToken } = await tokensFor('openid');
    expect((await ask(accessToken, { method: 'POST' })).json).toEqual({ sub: user.id });
    const inBody = {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ access_token: accessToken }).toString(),
    };
    expect((await ask(null, inBody)).json).toEqual({ sub: user.id });
  });

  const metadata = `resource_metadata="${ISSUER}/.well-known/oauth-protected-resource/oauth/userinfo"`;

  it('answers without a token a challenge with the metadata, and no error (RFC 6750 §3.1, RFC 9728 §5.1)', async () => {
    const { status, challenge } = await ask(null);
    expect(status).toBe(401);
    expect(challenge).toBe(`Bearer scope="openid", ${metadata}, DPoP algs="ES256 EdDSA PS256"`);
  });

  it('ignores a token in the query', async () => {
    const { accessToken } = await tokensFor('openid');
    expect(await ask(null, { url: `/oauth/userinfo?access_token=${accessToken}` })).toMatchObject({ status: 401 });
  });

  it('rejects a token for another purpose: 403 insufficient_scope', async () => {
    const service = await token(scene, scene.client, { grant_type: 'client_credentials', scope: 'read' });
    const person = await tokensFor('openid read');
    const narrowed = await refresh(scene, scene.client, person.refreshToken, { scope: 'read' });
    const toApi = await refresh(scene, scene.client, narrowed.json.refresh_token ?? '', {
      resource: 'https://api.example.com',
    });
    for (const accessToken of [
      service.json.access_token,
      (await tokensFor('read')).accessToken,
      narrowed.json.access_token,
      toApi.json.access_token,
    ]) {
      const { status, challenge, json } = await ask(accessToken ?? '');
      expect({ status, error: json.error }).toEqual({ status: 403, error: 'insufficient_scope' });
      expect(challenge).toMatch(/^Bearer error="insufficient_scope", .*scope="openid"/);
    }
  });

  it('rejects a token with openid for another audience: 403', async () => {
    const { accessToken } = await tokensFor('openid read');
    const claims = decodeJwt(accessToken) as unknown as AccessTokenClaims;
    const key = scene.deps.keyRing.signerOf('ES256');
    for (const aud of ['https://api.example.com', ISSUER, `${ISSUER}/oauth/userinfo/`, []]) {
      expect(await ask(signAccessToken(key, { ...claims, aud }))).toMatchObject({ status: 403 });
    }
  });

  describe('rejects with invalid_token', () => {
    const expectRefused = async (accessToken: string) => {
      const { status, challenge, json } = await ask(accessToken);
      expect({ status, error: json.error }).toEqual({ status: 401, error: 'invalid_token' });
      expect(challenge).toMatch(/^Bearer error="invalid_token"/);
      expect(JSON.stringify(json)).not.toContain(CLAIMS.email);
    };

    it('an expired token, to the second', async () => {
      const { accessToken } = await tokensFor('openid');
      scene.clock.advanceSeconds(899);
      expect(await ask(accessToken)).toMatchObject({ status: 200 });
      scene.clock.advanceSeconds(1);
      await expectRefused(accessToken);
    });

    it("a token from the instant of its chain's revocation", async () => {
      const { accessToken, refreshToken } = await tokensFor('openid');
      await refresh(scene, scene.client, refreshToken);
      expect(await ask(accessToken)).toMatchObject({ status: 200 });
      await refresh(scene, scene.client, refreshToken);
      await expectRefused(accessToken);
    });

    it('a token of a disabled user, a deleted client, or an ended server epoch', async () => {
      const disabled = await tokensFor('openid');
      await disableUser(scene.database.drizzle, user.username);
      await expectRefused(disabled.accessToken);
      user = await makeUser(scene);
      const client = await makeClient(scene);
      const deleted = await tokensFor('openid', client);
      await deleteClient(scene.database.drizzle, client.clientId);
      await expectRefused(deleted.accessToken);
      const ended = await tokensFor('openid');
      await raiseServerEpoch(scene.database.drizzle);
      await expectRefused(ended.accessToken);
    });

    it('an ID Token, a refresh token, a tampered one, or arbitrary text', async () => {
      const { accessToken, idToken, refreshToken } = await tokensFor('openid');
      const [header = '', payload = '', signature = ''] = accessToken.split('.');
      const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
      const flipped = `${signature.slice(0, -2)}${signature.endsWith('AA') ? 'BB' : 'AA'}`;
      for (const one of [
        idToken,
        refreshToken,
        `${header}.${payload}.${flipped}`,
        `${header}.${payload}.`,
        `${none}.${payload}.`,
        'x',
        'a.b.c',
      ]) {
        await expectRefused(one);
      }
    });

    it('a token of another issuer under our own keys, or of another type', async () => {
      const key = scene.deps.keyRing.signerOf('ES256');
      const { accessToken } = await tokensFor('openid');
      const claims = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString());
      await expectRefused(signAccessToken(key, { ...claims, iss: 'https://elsewhere.test' }));
      await expectRefused(signIdToken(key, claims));
      expect(await ask(signAccessToken(key, claims))).toMatchObject({ status: 200 });
    });
  });

  it('answers 400 for two tokens, or an unreadable one', async () => {
    const { accessToken } = await tokensFor('openid');
    const body = (payload: string) => ({
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: `Bearer ${accessToken}` },
      payload,
    });
    expect(await ask(null, body(`access_token=${accessToken}`))).toMatchObject({ status: 400 });
    expect(await ask(null, { headers: { authorization: 'Bearer a b' } })).toMatchObject({ status: 400 });
    const twice = {
      ...body(`access_token=a&access_token=b`),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    };
    expect(await ask(null, twice)).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
    expect(await ask(null, { method: 'DELETE' })).toMatchObject({ status: 405 });
    expect(await ask(null, { headers: { authorization: 'Basic eDp5' } })).toMatchObject({ status: 401 });
  });

  it('logs no token and no claim', async () => {
    const { accessToken } = await tokensFor('openid email');
    await ask(accessToken);
    expect(scene.logs()).not.toContain(accessToken);
    expect(scene.logs()).not.toContain(CLAIMS.email);
  });
});
