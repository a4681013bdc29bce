/**
 * kill -9 at random moments under load. Afterwards the server comes back, no acknowledged rotation is lost, and no chain has two heads.
 * Each chain stands where its client left it, or one further, where only the answer was lost.
 */
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { rootKeys } from '../../src/crypto/root-secret.ts';
import { openEmbedded } from '../../src/storage/embedded.ts';
import { transitions } from '../../src/storage/schema.ts';
import type { TestClient } from '../support/actors.ts';
import { testClock } from '../support/clock.ts';
import { giveDatabase } from '../support/embedded-folder.ts';
import { freePort } from '../support/listening.ts';
import { openScene, openSceneOn, type Scene } from '../support/scene.ts';
import { placeOf, storedGrant } from '../support/stored.ts';
import { present, type RotatingChain, rotateUntilCut } from './rotating-clients.ts';
import { type ServerOptions, type ServerProcess, startServer } from './server-process.ts';

const SECRET = 'a-root-secret-for-the-server-that-is-killed';
const CLIENTS = 6;
/** `npm run chaos` kills nodes for longer. */
const ROUNDS = 20;
/** Answers that arrive before the kill, all clients together: as much load on a slow machine as on a fast one. */
const LOAD_ROTATIONS = [4, 40] as const;
/** And then a moment more: a kill that came with an answer would always find the server at the same place. */
const LONGEST_MOMENT_MILLISECONDS = 20;

/** The time of the database, as the server has it. */
const options = { keys: rootKeys([SECRET]), clock: { ...testClock(), fixedNow: () => null } };

const chainAt = (acknowledged: string): RotatingChain => ({ acknowledged, rotations: 0 });

/** All rotate, and at some moment of their load the server is gone. */
async function killUnderLoad(
  server: ServerProcess,
  client: TestClient,
  chains: readonly RotatingChain[],
): Promise<void> {
  const clients = chains.map((chain) => rotateUntilCut(server.url, client, chain));
  // Before the cut a client ends only when it is refused; then there is no load left to wait for.
  let refused = false;
  for (const ended of clients) void ended.then(() => (refused = true));
  const ended = Promise.all(clients);
  const enough = randomInt(...LOAD_ROTATIONS);
  while (chains.reduce((sum, { rotations }) => sum + rotations, 0) < enough && !refused) await setTimeout(1);
  await setTimeout(randomInt(LONGEST_MOMENT_MILLISECONDS));
  await server.kill();
  // The server refused no client: each was cut off in the middle of its work.
  expect(await ended).toEqual(chains.map(() => null));
}

/** Where the chain stands: never behind what was acknowledged, at most the one commit ahead whose answer was lost. */
async function expectNothingLost(
  { database, keys }: Pick<Scene, 'database' | 'keys'>,
  chain: RotatingChain,
): Promise<bigint> {
  const { grantId, generation, nonce } = placeOf(keys, chain.acknowledged);
  const grant = await storedGrant(database.drizzle, grantId);
  const ahead = (grant.refreshGeneration ?? -1n) - generation;
  expect([0n, 1n]).toContain(ahead);
  if (ahead === 0n) expect(grant.refreshNonce?.equals(nonce)).toBe(true);
  // One head: each generation was reached once.
  const moves = await database.drizzle.select().from(transitions).where(eq(transitions.grantId, grantId));
  const reached = moves.filter(({ toState }) => toState === 'used').map((move) => move.generation ?? -1n);
  expect(reached.sort((one, other) => Number(one - other))).toEqual(
    Array.from({ length: Number(grant.refreshGeneration) + 1 }, (_, n) => BigInt(n)),
  );
  return ahead;
}

describe('kill -9 under load', () => {
  it(`on Postgres, ${ROUNDS} times`, async () => {
    const scene = await openScene('postgres', options);
    const process: ServerOptions = {
      port: await freePort(),
      cwd: tmpdir(),
      env: { DATABASE_URL: scene.url ?? '', STATEHOUSE_SECRET: SECRET },
    };
    let server: ServerProcess | null = null;
    let rotations = 0;
    try {
      const fresh = async () => chainAt(await scene.chain());
      let chains: RotatingChain[] = [];
      for (let n = 0; n < CLIENTS; n++) chains.push(await fresh());
      server = await startServer(process);
      for (let round = 0; round < ROUNDS; round++) {
        await killUnderLoad(server, scene.client, chains);
        server = await startServer(process);
        const next: RotatingChain[] = [];
        for (const chain of chains) {
          rotations += chain.rotations;
          const ahead = await expectNothingLost(scene, chain);
          const answer = await present(server.url, scene.client, chain.acknowledged);
          if (ahead === 0n) {
            expect(answer).toMatchObject({ status: 200 });
            next.push(chainAt(answer?.refreshToken ?? ''));
          } else {
            // The client holds a used token now, without a sign of it: a reuse, and the chain ends.
            expect(answer).toEqual({ status: 400, refreshToken: null, error: 'invalid_grant' });
            const { grantId } = placeOf(scene.keys, chain.acknowledged);
            expect(await storedGrant(scene.database.drizzle, grantId)).toMatchObject({
              revokedReason: 'refresh_token_reused',
            });
            next.push(await fresh());
          }
        }
        chains = next;
      }
      // The load was real.
      expect(rotations).toBeGreaterThan(ROUNDS * CLIENTS);
    } finally {
      await server?.kill();
      await scene.close();
    }
  });

  it('on the embedded database, 10 times: each start takes over from the killed process', async () => {
    const rounds = 10;
    const cwd = mkdtempSync(join(tmpdir(), 'statehouse-killed-'));
    const home = join(cwd, '.statehouse');
    const process: ServerOptions = { port: await freePort(), cwd, env: { STATEHOUSE_SECRET: SECRET } };
    let server: ServerProcess | null = null;
    try {
      // One server at a time can hold the database: every client is registered before the first start.
      giveDatabase(home);
      const database = await openEmbedded(home);
      const before = await openSceneOn({ database, url: null, close: database.close }, options);
      const { client } = before;
      const unused: string[] = [];
      for (let n = 0; n < CLIENTS * (rounds + 1); n++) unused.push(await before.chain());
      await before.close();
      const fresh = () => chainAt(unused.pop() ?? '');

      let chains = Array.from({ length: CLIENTS }, fresh);
      const dead: RotatingChain[] = [];
      let rotations = 0;
      server = await startServer(process);
      for (let round = 0; round < rounds; round++) {
        await killUnderLoad(server, client, chains);
        server = await startServer(process);
        const next: RotatingChain[] = [];
        for (const chain of chains) {
          const answer = await present(server.url, client, chain.acknowledged);
          if (answer?.refreshToken == null) dead.push(chain);
          rotations += chain.rotations;
          next.push(answer?.refreshToken == null ? fresh() : chainAt(answer.refreshToken));
        }
        chains = next;
      }
      await killUnderLoad(server, client, chains);

      const after = await openEmbedded(home);
      const seen = { database: after, keys: options.keys };
      for (const chain of chains) await expectNothingLost(seen, chain);
      for (const chain of dead) {
        // Dead because the answer of its last rotation was lost, and not because the rotation was.
        expect(await expectNothingLost(seen, chain)).toBe(1n);
        const { grantId } = placeOf(options.keys, chain.acknowledged);
        expect(await storedGrant(after.drizzle, grantId)).toMatchObject({ revokedReason: 'refresh_token_reused' });
      }
      await after.close();
      expect(rotations).toBeGreaterThan(rounds * CLIENTS);
    } finally {
      await server?.kill();
      rmSync(cwd, { recursive: true, force: true });
    }
  });
});
