/** RFC 9449 §11.1: a proof that arrives at two nodes at the same time passes once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { token } from '../support/actors.ts';
import { ISSUER } from '../support/app.ts';
import { proofKey, proofOf } from '../support/dpop.ts';
import { type Nodes, openNodes } from '../support/nodes.ts';

const ROUNDS = 20;

describe('a DPoP proof at two nodes', () => {
  let scene: Nodes;
  beforeAll(async () => {
    scene = await openNodes();
  });
  afterAll(() => scene.close());

  it('passes once, twenty times concurrently and once more at each node', async () => {
    const key = await proofKey();
    for (let round = 0; round < ROUNDS; round++) {
      const dpop = proofOf(key, { url: `${ISSUER}/oauth/token`, now: scene.clock.now() });
      const send = (node: Nodes['nodes'][number]) =>
        token(node, scene.client, { grant_type: 'client_credentials' }, { dpop });
      const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => send(scene.nodes[n % 2 === 0 ? 0 : 1])));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      for (const node of scene.nodes) expect((await send(node)).json.error).toBe('invalid_dpop_proof');
    }
  });
});
