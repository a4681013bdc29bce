/** Fifty presentations of one code, or of one refresh token, at the same time over two nodes, again and again. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange, refresh, type TokenAnswer } from '../support/actors.ts';
import { type Nodes, openNodes } from '../support/nodes.ts';
import { grantIdOfCode, ledgerOf, placeOf, storedGrant } from '../support/stored.ts';

const ROUNDS = 200;
const PRESENTATIONS = 50;

describe('parallel presentations over two nodes', () => {
  let scene: Nodes;
  beforeAll(async () => {
    scene = await openNodes();
  });
  afterAll(() => scene.close());

  const allTogether = (present: (node: Nodes['nodes'][number]) => Promise<TokenAnswer>) =>
    Promise.all(Array.from({ length: PRESENTATIONS }, (_, n) => present(scene.nodes[n % 2 === 0 ? 0 : 1])));

  /** One was issued, all others were refused; and since each of them was a valid presentation, the chain is dead. */
  async function expectOneAndADeadChain(answers: readonly TokenAnswer[], grantId: string, reason: string) {
    const issued = answers.filter(({ status }) => status === 200);
    expect(issued).toHaveLength(1);
    for (const { status, json } of answers) {
      if (status !== 200) expect({ status, error: json.error }).toEqual({ status: 400, error: 'invalid_grant' });
    }
    const grant = await storedGrant(scene.database.drizzle, grantId);
    expect(grant).toMatchObject({ state: 'revoked', revokedReason: reason });
    const successor = issued[0]?.json.refresh_token ?? '';
    expect(placeOf(scene.keys, successor).generation).toBe(grant.refreshGeneration);
    for (const node of scene.nodes) {
      expect((await refresh(node, scene.client, successor)).json.error).toBe('invalid_grant');
    }
  }

  it(`one code, ${PRESENTATIONS} times concurrently, ${ROUNDS} times`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const code = await scene.code();
      const grantId = grantIdOfCode(code.code);
      const answers = await allTogether((node) => exchange(node, scene.client, code));
      await expectOneAndADeadChain(answers, grantId, 'authorization_code_reused');
      expect((await ledgerOf(scene.database.drizzle, grantId)).sort()).toEqual([
        'authorizationCode: active → used',
        'authorizationCode: used → revoked (authorization_code_reused)',
        'grant: active → revoked (authorization_code_reused)',
        expect.stringMatching(/^interaction: \w+ → approved$/),
      ]);
    }
  });

  it(`one refresh token, ${PRESENTATIONS} times concurrently, ${ROUNDS} times`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const token = await scene.chain();
      const { grantId } = placeOf(scene.keys, token);
      const answers = await allTogether((node) => refresh(node, scene.client, token));
      await expectOneAndADeadChain(answers, grantId, 'refresh_token_reused');
      expect((await ledgerOf(scene.database.drizzle, grantId)).sort()).toEqual([
        'authorizationCode: active → used',
        'grant: active → revoked (refresh_token_reused)',
        expect.stringMatching(/^interaction: \w+ → approved$/),
        'refreshToken: active → used',
        'refreshToken: used → revoked (refresh_token_reused)',
      ]);
    }
  });

  it('different chains rotate concurrently without conflicts', async () => {
    const tokens: string[] = [];
    for (let n = 0; n < PRESENTATIONS; n++) tokens.push(await scene.chain());
    const answers = await Promise.all(
      tokens.map((token, n) => refresh(scene.nodes[n % 2 === 0 ? 0 : 1], scene.client, token)),
    );
    expect(answers.map(({ status }) => status)).toEqual(tokens.map(() => 200));
  });
});
