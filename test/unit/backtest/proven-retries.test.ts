/** A backtest of `provenRetrySeconds`: the retries that another time would have refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backtest } from '../../../src/backtest/backtest.ts';
import { rowMacs } from '../../../src/crypto/row-mac.ts';
import { authenticClients } from '../../../src/storage/authentic-clients.ts';
import { grantStore } from '../../../src/storage/grant-store.ts';
import { makeClient, type TestClient, token } from '../../support/actors.ts';
import { ISSUER, withEveryPolicy } from '../../support/app.ts';
import { anyDatabase } from '../../support/database.ts';
import { type ProofKey, proofKey, proofOf } from '../../support/dpop.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const configuration = withEveryPolicy({ provenRetrySeconds: 600 });

describe('a backtest of provenRetrySeconds', () => {
  let scene: Scene;
  let client: TestClient;
  let key: ProofKey;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { configuration });
    client = await makeClient(scene, {
      tokenEndpointAuthMethod: 'none',
      grantTypes: ['authorization_code', 'refresh_token'],
    });
    key = await proofKey();
    // A retry after 30 seconds and one after 300, each of a chain of its own, and a refresh of its successor.
    for (const seconds of [30, 300]) {
      const { code, verifier } = await scene.code({ client });
      const first = await send({ grant_type: 'authorization_code', code, code_verifier: verifier });
      await refresh(first);
      scene.clock.advanceSeconds(seconds);
      await refresh(await refresh(first));
    }
    // The period does not include its last instant.
    scene.clock.advanceSeconds(1);
  });
  afterAll(() => scene.close());

  async function send(fields: Readonly<Record<string, string>>): Promise<string> {
    const dpop = proofOf(key, { url: `${ISSUER}/oauth/token`, now: scene.clock.now() });
    const { status, json } = await token(scene, client, fields, { dpop });
    expect(status).toBe(200);
    return json.refresh_token ?? '';
  }
  const refresh = (refreshToken: string) => send({ grant_type: 'refresh_token', refresh_token: refreshToken });

  const numbersUnder = async (change: object) => {
    const { database, clock, keys } = scene;
    const { loadClient } = grantStore(database.drizzle, clock, authenticClients(rowMacs(keys)));
    const deps = {
      ...{ db: database.drizzle, clock, macs: rowMacs(keys), mayContinue: () => true },
      loadClient: async (clientId: string) => (await loadClient(clientId)).client,
    };
    const sides = { before: { configuration }, after: { configuration: withEveryPolicy(change) } };
    return (await backtest(deps, sides, 86_400_000)).refreshes;
  };

  it('refuses nothing under the time that was in force', async () => {
    expect(await numbersUnder({ provenRetrySeconds: 600 })).toMatchObject({ total: 6, refused: 0, following: 0 });
  });

  it('counts the retry that a shorter time refuses, and the refresh that follows it', async () => {
    expect(await numbersUnder({ provenRetrySeconds: 60 })).toMatchObject({
      ...{ total: 6, refused: 1, following: 1, refused_before: 0 },
      by_reason: [{ reason: 'newer_token_issued', count: 1 }],
    });
  });

  it('counts every retry as a reuse where the key is absent', async () => {
    expect(await numbersUnder({ provenRetrySeconds: undefined })).toMatchObject({
      ...{ total: 6, refused: 2, following: 2, refused_before: 0 },
      by_reason: [{ reason: 'refresh_token_reused', count: 2 }],
    });
  });
});
