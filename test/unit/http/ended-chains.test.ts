/** A client that presents a token of an ended chain again and again. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeClient, refresh, type TestClient } from '../../support/actors.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

describe('a token of an ended chain, presented again and again', () => {
  let scene: Scene;
  let loads = 0;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, {
      change: (deps) => {
        const load: typeof deps.store.load = (key) => {
          loads++;
          return deps.store.load(key);
        };
        return { ...deps, store: { ...deps.store, load } };
      },
    });
  });
  afterAll(() => scene.close());

  async function endedChainOf(client: TestClient): Promise<string> {
    const refreshToken = await scene.chain({ client });
    await refresh(scene, client, refreshToken);
    await refresh(scene, client, refreshToken);
    await refresh(scene, client, refreshToken);
    return refreshToken;
  }
  const lastReason = () =>
    JSON.parse(
      scene
        .logs()
        .trimEnd()
        .split('\n')
        .findLast((line) => line.includes('/oauth/token')) ?? '{}',
    );

  it.each(['none', 'client_secret_basic'] as const)(
    'costs no query for a minute, and tells a client with %s not to try again',
    async (tokenEndpointAuthMethod) => {
      const client = await makeClient(scene, {
        tokenEndpointAuthMethod,
        grantTypes: ['authorization_code', 'refresh_token'],
      });
      const used = await endedChainOf(client);
      expect(lastReason()).toMatchObject({ reason: 'grant_revoked', clientId: client.clientId });
      loads = 0;
      for (let time = 0; time < 200; time++) {
        const { status, json } = await refresh(scene, client, used);
        expect([status, json]).toEqual([
          400,
          {
            error: 'invalid_grant',
            error_description: 'The grant has been revoked. Do not try again: the end-user has to sign in.',
          },
        ]);
      }
      expect(loads).toBe(0);
      expect(lastReason()).toMatchObject({
        reason: 'grant_revoked',
        repeated: true,
        clientId: client.clientId,
        grantId: expect.any(String),
      });
      scene.clock.advanceSeconds(60);
      await refresh(scene, client, used);
      expect(loads).toBe(1);
      expect(lastReason()).toMatchObject({ reason: 'grant_revoked' });
      expect(lastReason()).not.toHaveProperty('repeated');
    },
  );

  it('does not spare another client, or a wrong secret, the authentication', async () => {
    const client = await makeClient(scene);
    const used = await endedChainOf(client);
    const wrong = await refresh(scene, { ...client, secret: 'a wrong secret' }, used);
    expect([wrong.status, wrong.json.error]).toEqual([401, 'invalid_client']);
    const other = await refresh(scene, await makeClient(scene), used);
    expect(other.json.error_description).toBe('It was issued to another client.');
  });

  it('leaves other chains of the client as they are', async () => {
    const client = await makeClient(scene);
    await endedChainOf(client);
    const refreshToken = await scene.chain({ client });
    expect((await refresh(scene, client, refreshToken)).status).toBe(200);
  });
});
