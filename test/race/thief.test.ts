/** RFC 9700 §4.14.2: a thief who rotates as fast as they can does not outrun the reuse that gives them away. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refresh } from '../support/actors.ts';
import { type Nodes, openNodes } from '../support/nodes.ts';
import { placeOf, storedGrant } from '../support/stored.ts';

const ROUNDS = 40;

describe('an attacker who rotates without a pause', () => {
  let scene: Nodes;
  beforeAll(async () => {
    scene = await openNodes();
  });
  afterAll(() => scene.close());

  it('is stopped by the first reuse: no rotation succeeds after its answer', async () => {
    const [thiefs, owners] = scene.nodes;
    for (let round = 0; round < ROUNDS; round++) {
      const stolen = await scene.chain();
      let head = stolen;
      let rotations = 0;
      let reuseIsAnswered = false;
      let lateSuccesses = 0;
      const started = Promise.withResolvers<void>();
      const thief = (async () => {
        for (;;) {
          const beganAfterTheAnswer = reuseIsAnswered;
          const { status, json } = await refresh(thiefs, scene.client, head);
          if (status !== 200) {
            expect(json.error).toBe('invalid_grant');
            return;
          }
          if (beganAfterTheAnswer) lateSuccesses++;
          head = json.refresh_token ?? '';
          // Another number of rotations before the owner comes, round by round.
          if (++rotations > round % 7) started.resolve();
        }
      })();
      await started.promise;
      const reuse = await refresh(owners, scene.client, stolen);
      reuseIsAnswered = true;
      await thief;

      expect(reuse.json.error).toBe('invalid_grant');
      expect(lateSuccesses).toBe(0);
      expect(await storedGrant(scene.database.drizzle, placeOf(scene.keys, stolen).grantId)).toMatchObject({
        state: 'revoked',
        revokedReason: 'refresh_token_reused',
      });
    }
  });

  it('is stopped as one of ten, with ten stolen generations', async () => {
    for (let round = 0; round < ROUNDS / 4; round++) {
      const tokens = [await scene.chain()];
      for (let n = 0; n < 9; n++) {
        tokens.push((await refresh(scene, scene.client, tokens.at(-1) ?? '')).json.refresh_token ?? '');
      }
      const answers = await Promise.all(
        tokens.map((token, n) => refresh(scene.nodes[n % 2 === 0 ? 0 : 1], scene.client, token)),
      );
      expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
      const successor = answers.find(({ status }) => status === 200)?.json.refresh_token;
      if (successor !== undefined) expect((await refresh(scene, scene.client, successor)).status).toBe(400);
      expect((await storedGrant(scene.database.drizzle, placeOf(scene.keys, tokens[0] ?? '').grantId)).state).toBe(
        'revoked',
      );
    }
  });
});
