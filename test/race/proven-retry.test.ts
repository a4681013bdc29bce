/**
 * A used refresh token with its proof, at two nodes. Clients present it together, beside a rotation of its successor, and in eight
 * processes. Those share one credential file and lose every tenth answer.
 *
 * `PROVEN_RETRY_ROTATIONS=10000 npx vitest run test/race/proven-retry.test.ts` runs the last one for longer.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeClient, type TestClient, token } from '../support/actors.ts';
import { ISSUER, shippedConfiguration, withEveryPolicy } from '../support/app.ts';
import { type ProofKey, proofKey, proofOf } from '../support/dpop.ts';
import { type Nodes, openNodes } from '../support/nodes.ts';
import { placeOf, storedGrant } from '../support/stored.ts';

const ROUNDS = 20;
const PROCESSES = 8;
const ROTATIONS = Number(process.env['PROVEN_RETRY_ROTATIONS'] ?? 200);
const MILLISECONDS_A_ROTATION = 500;
const STALE = 'A newer token was issued to this client: use that one.';

describe('a policy with a retry, at two nodes', () => {
  let scene: Nodes;
  let client: TestClient;
  let key: ProofKey;
  beforeAll(async () => {
    const limits = {
      ...shippedConfiguration.limits,
      tokenRequestsPerSecondByAddress: 1_000_000,
      tokenRequestsPerSecondByClient: 1_000_000,
    };
    scene = await openNodes({ configuration: { ...withEveryPolicy({ provenRetrySeconds: 60 }), limits } });
    client = await makeClient(scene, {
      tokenEndpointAuthMethod: 'none',
      grantTypes: ['authorization_code', 'refresh_token'],
    });
    key = await proofKey();
  });
  afterAll(() => scene.close());

  const nodeOf = (n: number) => scene.nodes[n % 2 === 0 ? 0 : 1];
  const send = (node: Nodes['nodes'][number], fields: Readonly<Record<string, string>>) =>
    token(node, client, fields, { dpop: proofOf(key, { url: `${ISSUER}/oauth/token`, now: scene.clock.now() }) });
  const refresh = (node: Nodes['nodes'][number], refreshToken: string) =>
    send(node, { grant_type: 'refresh_token', refresh_token: refreshToken });
  const chain = async () => {
    const { code, verifier } = await scene.code({ client });
    const { json } = await send(scene.nodes[0], { grant_type: 'authorization_code', code, code_verifier: verifier });
    return json.refresh_token ?? '';
  };
  const rowOf = (refreshToken: string) =>
    storedGrant(scene.database.drizzle, placeOf(scene.keys, refreshToken).grantId);

  it('answers five presentations of one token together with one successor', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const used = await chain();
      // A rotation first in half of the rounds: then all five are retries.
      if (round % 2 === 0) await refresh(scene.nodes[0], used);
      const answers = await Promise.all(Array.from({ length: 5 }, (_, n) => refresh(nodeOf(n), used)));
      expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
      const [successor, ...others] = new Set(answers.map(({ json }) => json.refresh_token));
      expect(others).toEqual([]);
      expect(await rowOf(used)).toMatchObject({ state: 'active', refreshGeneration: 1n });
      expect((await refresh(scene.nodes[1], successor ?? '')).status).toBe(200);
    }
  });

  it('answers retries beside a rotation of the successor with the successor, or as stale', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const used = await chain();
      const head = (await refresh(scene.nodes[0], used)).json.refresh_token ?? '';
      const [rotated, ...retries] = await Promise.all([
        refresh(scene.nodes[1], head),
        ...Array.from({ length: 4 }, (_, n) => refresh(nodeOf(n), used)),
      ]);
      expect(rotated?.status).toBe(200);
      for (const { status, json } of retries) {
        if (status === 200) expect(json.refresh_token).toBe(head);
        else expect([status, json.error, json.error_description]).toEqual([400, 'invalid_grant', STALE]);
      }
      expect(await rowOf(used)).toMatchObject({ state: 'active', refreshGeneration: 2n });
      expect((await refresh(scene.nodes[0], rotated?.json.refresh_token ?? '')).status).toBe(200);
    }
  });

  it(
    `keeps ${PROCESSES} processes on one credential file signed in, while every tenth answer is lost`,
    async () => {
      const file = { token: await chain() };
      const first = file.token;
      /** By generation: one value each, or two tokens would be active. */
      const seen = new Map<bigint, string>();
      let answered = 0;
      let head = 0n;
      const run = async (process: number) => {
        for (let turn = process; head < BigInt(ROTATIONS); turn++) {
          const presented = file.token;
          const { status, json } = await refresh(nodeOf(turn), presented);
          answered++;
          if (status !== 200) {
            expect([status, json.error, json.error_description]).toEqual([400, 'invalid_grant', STALE]);
            continue;
          }
          const successor = json.refresh_token ?? '';
          const { generation } = placeOf(scene.keys, successor);
          expect(seen.get(generation) ?? successor).toBe(successor);
          seen.set(generation, successor);
          if (answered % 10 === 0) continue;
          // A careful process writes only while the file has the token that it presented.
          if (file.token === presented) file.token = successor;
          if (generation > head) head = generation;
        }
      };
      await Promise.all(Array.from({ length: PROCESSES }, (_, process) => run(process)));
      expect(await rowOf(first)).toMatchObject({ state: 'active' });
      expect((await refresh(scene.nodes[0], first)).json.error_description).toBe(STALE);
      expect((await refresh(scene.nodes[0], file.token)).status).toBe(200);
    },
    60_000 + ROTATIONS * MILLISECONDS_A_ROTATION,
  );
});
