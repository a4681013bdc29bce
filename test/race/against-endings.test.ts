/** Rotation and exchange against everything that ends a chain, at the same moment: an ended chain stays ended. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { revokeGrant } from '../../src/lifecycles/grant/lifecycle.ts';
import { raiseServerEpoch } from '../../src/storage/server.ts';
import { exchange, makePkce, refresh, type TokenAnswer } from '../support/actors.ts';
import { deleteClient, disableUser, enableUser, saveClient } from '../support/administration.ts';
import { type Nodes, openNodes } from '../support/nodes.ts';
import { grantIdOfCode, placeOf, storedGrant } from '../support/stored.ts';

const ROUNDS = 60;
const ROTATIONS = 6;

describe('rotation against the end of its chain', () => {
  let scene: Nodes;
  beforeAll(async () => {
    scene = await openNodes();
  });
  afterAll(() => scene.close());

  /** A client that rotates on and on, until it is refused; the ending comes after `when` rotations. */
  async function rotatesInto(when: number, token: string, end: () => Promise<unknown>) {
    const newest: string[] = [token];
    let hasEnded = false;
    let ending: Promise<void> | null = null;
    let refusal: TokenAnswer | null = null;
    for (let n = 0; refusal === null; n++) {
      if (n === when) {
        ending = end().then(() => {
          hasEnded = true;
        });
      }
      const beganAfterTheEnd = hasEnded;
      const answer = await refresh(scene.nodes[n % 2 === 0 ? 0 : 1], scene.client, newest.at(-1) ?? '');
      if (answer.status !== 200) refusal = answer;
      else {
        // A request that began after the end was known can never succeed.
        expect(beganAfterTheEnd).toBe(false);
        newest.push(answer.json.refresh_token ?? '');
      }
    }
    await ending;
    expect(['invalid_grant', 'invalid_client']).toContain(refusal.json.error);
    return newest;
  }

  async function staysDead(tokens: readonly string[]) {
    for (const token of tokens) {
      expect((await refresh(scene, scene.client, token)).json.error).toBe('invalid_grant');
    }
  }

  const register = () => {
    const { secret: _, ...registration } = scene.client;
    return saveClient(scene.database.drizzle, registration);
  };
  const db = () => scene.nodes[1].database.drizzle;

  const endings: Readonly<
    Record<string, { end: (token: string) => Promise<unknown>; undo: () => Promise<unknown>; row: string }>
  > = {
    'its revocation': {
      end: async (token) => {
        const { store } = scene.nodes[1].deps;
        const { grantId } = placeOf(scene.keys, token);
        const loaded = await store.load({ clientId: scene.client.clientId, grantId });
        if (!loaded.grant) throw new Error('no grant');
        expect(await revokeGrant({ store, sleep: async () => {} }, { ...loaded, grant: loaded.grant })).toBe(true);
      },
      undo: async () => {},
      row: 'revoked',
    },
    'its person being disabled': {
      end: () => disableUser(db(), scene.user.username),
      undo: () => enableUser(db(), scene.user.username),
      row: 'active',
    },
    'its client being deleted': { end: () => deleteClient(db(), scene.client.clientId), undo: register, row: 'active' },
    'the epoch of the server being raised': { end: () => raiseServerEpoch(db()), undo: async () => {}, row: 'active' },
  };

  it.each(Object.keys(endings))('%s', async (name) => {
    const { end, undo, row } = endings[name] as NonNullable<(typeof endings)[string]>;
    for (let round = 0; round < ROUNDS; round++) {
      const token = await scene.chain();
      const tokens = await rotatesInto(round % ROTATIONS, token, () => end(token));
      await undo();
      const grant = await storedGrant(scene.database.drizzle, placeOf(scene.keys, token).grantId);
      expect(grant.state).toBe(row);
      // The head is the last acknowledged token: no later rotation was committed.
      expect(grant.refreshGeneration).toBe(BigInt(tokens.length - 1));
      await staysDead(tokens.slice(-2));
    }
  });

  it('an exchange against the disabling of its user: no token stays valid', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const code = await scene.code();
      const [answer] = await Promise.all([exchange(scene, scene.client, code), disableUser(db(), scene.user.username)]);
      await enableUser(db(), scene.user.username);
      if (answer.status === 200) await staysDead([answer.json.refresh_token ?? '']);
      expect((await exchange(scene, scene.client, code)).json.error).toBe('invalid_grant');
    }
  });

  it('an exchange against a replay without the verifier: the client succeeds', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const code = await scene.code();
      const stolen = { code: code.code, verifier: makePkce().verifier };
      const [answer, ...refused] = await Promise.all([
        exchange(scene.nodes[0], scene.client, code),
        exchange(scene.nodes[1], scene.client, stolen),
        exchange(scene.nodes[1], scene.other, code),
        exchange(scene.nodes[0], scene.other, stolen),
      ]);
      expect(answer.status).toBe(200);
      expect(refused.map(({ json }) => json.error)).toEqual(['invalid_grant', 'invalid_grant', 'invalid_grant']);
      expect((await refresh(scene, scene.client, answer.json.refresh_token ?? '')).status).toBe(200);
    }
  });

  it('an exchange and the first rotation against a replay of the code: the chain ends', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const code = await scene.code();
      const first = await exchange(scene.nodes[0], scene.client, code);
      const [rotated, replayed] = await Promise.all([
        refresh(scene.nodes[0], scene.client, first.json.refresh_token ?? ''),
        exchange(scene.nodes[1], scene.client, code),
      ]);
      expect(replayed.json.error).toBe('invalid_grant');
      const grant = await storedGrant(scene.database.drizzle, grantIdOfCode(code.code));
      expect(grant.state).toBe('revoked');
      await staysDead([rotated.json.refresh_token ?? first.json.refresh_token ?? '']);
    }
  });
});
