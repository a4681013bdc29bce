/** The public keys of a client: registered, or published and fetched by the node that answers. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ISSUER } from '../../support/app.ts';
import { signedBy, testKey } from '../../support/client-keys.ts';
import { anyDatabase } from '../../support/database.ts';
import { type Caller, callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const URI = 'https://published.example/keys';
const CLIENT = {
  token_endpoint_auth_method: 'private_key_jwt',
  grant_types: ['client_credentials'],
  redirect_uris: [],
};
const NEVER = { keys: [], fetched_at: null, tried_at: null, problem: null };

describe('the public keys of a client', () => {
  const key = testKey('ES256', 'first');
  const shown = { kid: 'first', kty: 'EC', crv: 'P-256' };
  let scene: Scene;
  let call: Caller;
  let origin: () => Promise<string>;
  beforeAll(async () => {
    origin = () => Promise.reject(new Error('The server of the key set answered with status 500.'));
    scene = await openScene(anyDatabase, { configuration: withBot(), fetchKeySet: () => origin() });
    await makeBot(scene);
    call = callerWith(scene, () => tokenOf(scene, ['clients:read', 'clients:write']));
    for (const client of [
      { ...CLIENT, client_id: 'registered', jwks: { keys: [key.jwk] } },
      { ...CLIENT, client_id: 'published', jwks_uri: URI },
    ]) {
      const made = await call('POST', '/clients', { body: client });
      expect(made.statusCode, made.body).toBe(201);
    }
  });
  afterAll(() => scene.close());

  const keysOf = async (clientId: string) => (await call('GET', `/clients/${clientId}/keys`)).json();
  const authenticate = async (clientId: string) => {
    const now = scene.clock.now().getTime() / 1000;
    const claims = { iss: clientId, sub: clientId, aud: ISSUER, jti: randomUUID(), iat: now, exp: now + 60 };
    const { statusCode } = await scene.app.inject({
      method: 'POST',
      url: '/oauth/introspect',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({
        token: 'unknown',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: signedBy(key, claims),
      }).toString(),
    });
    return statusCode;
  };

  it('are shown without their values, where they are registered', async () => {
    expect(await keysOf('registered')).toEqual({ ...NEVER, keys: [shown] });
    expect((await call('GET', '/clients/unknown/keys')).statusCode).toBe(404);
  });

  it('come with the last fetch and its problem, where they are published', async () => {
    expect(await keysOf('published')).toEqual(NEVER);

    expect(await authenticate('published')).toBe(401);
    const failed = scene.clock.now().toISOString();
    const problem = 'The server of the key set answered with status 500.';
    expect(await keysOf('published')).toEqual({ ...NEVER, tried_at: failed, problem });

    origin = async () => JSON.stringify({ keys: [key.jwk] });
    scene.clock.advanceSeconds(60);
    expect(await authenticate('published')).toBe(200);
    const fetched = scene.clock.now().toISOString();
    expect(await keysOf('published')).toEqual({ keys: [shown], fetched_at: fetched, tried_at: fetched, problem: null });

    scene.clock.advanceSeconds(30);
    expect(await keysOf('published')).toMatchObject({ fetched_at: fetched });
  });
});
