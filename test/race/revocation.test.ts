/** A client that gives a token back while another of its requests rotates the chain: the chain is dead afterwards. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange, refresh, token } from '../support/actors.ts';
import { type Nodes, openNodes } from '../support/nodes.ts';
import { introspect, revoke } from '../support/sent-token.ts';
import { grantIdOfCode, ledgerOf, placeOf, storedGrant } from '../support/stored.ts';

const ROUNDS = 60;

describe('revocation against rotation, over two nodes', () => {
  let scene: Nodes;
  beforeAll(async () => {
    scene = await openNodes();
  });
  afterAll(() => scene.close());

  const REVOKED = 'grant: active → revoked (revocation_requested)';

  async function isDead(tokens: readonly (string | undefined)[]) {
    for (const node of scene.nodes) {
      for (const one of tokens) {
        if (one === undefined) continue;
        expect((await introspect(node, scene.client, one)).json).toEqual({ active: false });
        if (!one.includes('.')) expect((await refresh(node, scene.client, one)).json.error).toBe('invalid_grant');
      }
    }
  }

  it.each(['refresh_token', 'access_token'] as const)(
    'by its %s: in either order, no token of the grant stays valid',
    async (by) => {
      for (let round = 0; round < ROUNDS; round++) {
        const first = (await exchange(scene, scene.client, await scene.code())).json;
        const head = first.refresh_token ?? '';
        const giveBack = () => revoke(scene.nodes[1], scene.client, first[by] ?? '');
        const rotate = () => refresh(scene.nodes[0], scene.client, head);
        // One is sent before the other, in turns.
        const [rotated, revoked] =
          round % 2 === 0
            ? await Promise.all([rotate(), giveBack()])
            : await Promise.all([giveBack(), rotate()]).then(([one, other]) => [other, one] as const);
        expect(revoked.status).toBe(200);
        if (rotated.status !== 200) expect(rotated.json.error).toBe('invalid_grant');
        const { grantId } = placeOf(scene.keys, head);
        expect((await storedGrant(scene.database.drizzle, grantId)).revokedReason).toBe('revocation_requested');
        await isDead([head, first.access_token, rotated.json.refresh_token, rotated.json.access_token]);
      }
    },
  );

  it('many concurrent ones, of every token of the chain: one ends it, with one ledger entry', async () => {
    for (let round = 0; round < ROUNDS / 4; round++) {
      const code = await scene.code();
      const first = (await exchange(scene, scene.client, code)).json;
      const second = (await refresh(scene, scene.client, first.refresh_token ?? '')).json;
      const tokens = [first.refresh_token, first.access_token, second.refresh_token, second.access_token];
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, n) => {
          return revoke(scene.nodes[n % 2 === 0 ? 0 : 1], scene.client, tokens[n % tokens.length] ?? '');
        }),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      const ledger = await ledgerOf(scene.database.drizzle, grantIdOfCode(code.code));
      expect(ledger.filter((line) => line.includes('→ revoked'))).toEqual([REVOKED]);
      await isDead(tokens);
    }
  });

  it('one access token of client credentials, revoked by both nodes concurrently', async () => {
    const service = (await token(scene, scene.client, { grant_type: 'client_credentials' })).json.access_token ?? '';
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => revoke(scene.nodes[n % 2 === 0 ? 0 : 1], scene.client, service)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    await isDead([service]);
  });
});
