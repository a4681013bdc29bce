/** The algorithm of the access tokens of each resource; this server accepts all of them (RFC 9068 §2.1). */

import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Configuration } from '../../../src/config/configuration.ts';
import {
  authorizeUrl,
  exchange,
  goThrough,
  makeClient,
  makePkce,
  refresh,
  type TestClient,
  token,
} from '../../support/actors.ts';
import { ISSUER, shippedConfiguration } from '../../support/app.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { everything } from '../../support/stored.ts';

const resource = (name: string, more: object = {}) => ({
  identifier: `https://${name}.test`,
  name,
  scopes: [{ name, description: `use ${name}` }],
  ...more,
});
const configuration: Configuration = {
  ...shippedConfiguration,
  signingKeys: { ...shippedConfiguration.signingKeys, algorithms: ['ES256', 'RS256', 'EdDSA'] },
  resources: [
    resource('plain', { default: true }),
    resource('rsa', { accessTokenSigningAlgorithm: 'RS256' as const, introspectedBy: ['rsa-api'] }),
    resource('edwards', { accessTokenSigningAlgorithm: 'EdDSA' as const }),
    resource('rsa2', { accessTokenSigningAlgorithm: 'RS256' as const }),
  ],
};
const at = (name: string) => `https://${name}.test`;

describe('the signing algorithm of a resource', () => {
  let scene: Scene;
  let api: TestClient;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { configuration });
    api = await makeClient(scene, { clientId: 'rsa-api' });
  });
  afterAll(() => scene.close());

  const tokensFor = async (scope: string, ...resources: string[]) => {
    const fields: [string, string][] = [
      ['grant_type', 'client_credentials'],
      ['scope', scope],
      ...resources.map((one): [string, string] => ['resource', at(one)]),
    ];
    return token(scene, scene.client, fields);
  };
  const post = async (path: string, by: TestClient, sent: string) =>
    scene.app.inject({
      method: 'POST',
      url: path,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(`${by.clientId}:${by.secret}`).toString('base64')}`,
      },
      payload: new URLSearchParams({ token: sent }).toString(),
    });

  it.each([
    ['plain', 'ES256'],
    ['rsa', 'RS256'],
    ['edwards', 'EdDSA'],
  ])('%s: %s, verified with the published key and no other algorithm', async (name, algorithm) => {
    const { json } = await tokensFor(name, name);
    const keys = createLocalJWKSet((await scene.app.inject('/.well-known/jwks.json')).json() as JSONWebKeySet);
    const options = { issuer: ISSUER, audience: at(name), typ: 'at+jwt', algorithms: [algorithm], currentDate: now() };
    const { payload } = await jwtVerify(json.access_token ?? '', keys, options);
    expect(payload['scope']).toBe(name);
  });
  const now = () => scene.clock.fixedNow() ?? new Date();

  it.each(['rsa', 'edwards'])('applies to introspection and revocation of a token for %s', async (name) => {
    const { json } = await tokensFor(name, name);
    const sent = json.access_token ?? '';
    expect((await post('/oauth/introspect', scene.client, sent)).json()).toMatchObject({ active: true, aud: at(name) });
    expect((await post('/oauth/introspect', api, sent)).json().active).toBe(name === 'rsa');
    expect((await post('/oauth/revoke', scene.client, sent)).statusCode).toBe(200);
    expect((await post('/oauth/introspect', scene.client, sent)).json()).toEqual({ active: false });
  });

  it('applies to a token for UserInfo as well, and UserInfo accepts it', async () => {
    const userInfo = configuration.identity.identifier;
    const pending = await scene.code({ change: { scope: 'openid rsa', resource: at('rsa') } });
    const { json } = await exchange(scene, scene.client, pending);
    expect(decodeProtectedHeader(json.access_token ?? '').alg).toBe('RS256');
    const both = await token(scene, scene.client, [
      ['grant_type', 'refresh_token'],
      ['refresh_token', json.refresh_token ?? ''],
      ['resource', at('rsa')],
      ['resource', userInfo],
    ]);
    expect(decodeProtectedHeader(both.json.access_token ?? '').alg).toBe('RS256');
    const headers = { authorization: `Bearer ${both.json.access_token}` };
    expect((await scene.app.inject({ url: '/oauth/userinfo', headers })).json()).toHaveProperty('sub');
    const alone = await refresh(scene, scene.client, both.json.refresh_token ?? '', { resource: userInfo });
    expect(decodeProtectedHeader(alone.json.access_token ?? '').alg).toBe('ES256');
  });

  it('applies to one token for resources that agree; otherwise the request is rejected without a change', async () => {
    const agreed = await tokensFor('rsa rsa2', 'rsa', 'rsa2');
    expect(decodeProtectedHeader(agreed.json.access_token ?? '').alg).toBe('RS256');
    const refused = await tokensFor('plain rsa', 'plain', 'rsa');
    expect([refused.status, refused.json.error]).toEqual([400, 'invalid_target']);
    expect(scene.logs()).toContain('resources_differ_in_signature');
  });

  it('does not use up a code for both in a token request that names neither', async () => {
    const pkce = makePkce();
    const query = [at('plain'), at('rsa')].map((one) => `&resource=${encodeURIComponent(one)}`).join('');
    const { url } = await goThrough(
      scene.browser,
      `${authorizeUrl(scene.client, pkce, { scope: 'plain rsa' })}${query}`,
      scene.user,
    );
    const pending = { code: new URL(url).searchParams.get('code') ?? '', verifier: pkce.verifier };
    const before = await everything(scene.database.drizzle);
    expect((await exchange(scene, scene.client, pending)).json.error).toBe('invalid_target');
    expect(await everything(scene.database.drizzle)).toEqual(before);
    const first = await exchange(scene, scene.client, pending, { resource: at('rsa') });
    expect(decodeProtectedHeader(first.json.access_token ?? '').alg).toBe('RS256');
    const next = await refresh(scene, scene.client, first.json.refresh_token ?? '', { resource: at('plain') });
    expect(decodeProtectedHeader(next.json.access_token ?? '').alg).toBe('ES256');
  });
});
