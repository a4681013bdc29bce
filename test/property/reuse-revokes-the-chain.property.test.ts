/** OAuth 2.1 §4.3.1, RFC 9700 §4.14.2: a used refresh token that is presented again ends its whole chain, whenever. */
import { fc } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange, refresh } from '../support/actors.ts';
import { type DatabaseKind, databaseKinds } from '../support/database.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { grantIdOfCode, ledgerOf, storedGrant } from '../support/stored.ts';

const DAY_SECONDS = 86_400;

/** How long the chain is, which of its used tokens comes back, and how much later: up to long after the chain's end. */
const reuses = fc
  .record({
    rotations: fc.integer({ min: 1, max: 6 }),
    which: fc.nat(),
    laterSeconds: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 400 * DAY_SECONDS })),
  })
  .map(({ rotations, which, laterSeconds }) => ({ rotations, reused: which % rotations, laterSeconds }));

/** With the person's identity and access while they are away, or without. */
const scopes = fc.constantFrom(undefined, 'read', 'openid email read', 'openid offline_access');

describe.each(databaseKinds)('reuse revokes the chain, on %s', (kind: DatabaseKind) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(kind);
  });
  afterAll(() => scene.close());

  async function chainOf(rotations: number, scope?: string): Promise<{ grantId: string; tokens: string[] }> {
    const code = await scene.code({ change: { scope } });
    const first = await exchange(scene, scene.client, code);
    const tokens = [first.json.refresh_token ?? ''];
    for (let n = 0; n < rotations; n++) {
      const next = await refresh(scene, scene.client, tokens.at(-1) ?? '');
      expect(next.status).toBe(200);
      tokens.push(next.json.refresh_token ?? '');
    }
    return { grantId: grantIdOfCode(code.code), tokens };
  }

  it('for any used token, at any time, with any parameters', async () => {
    const parameters = fc.constantFrom(
      {},
      { scope: 'read' },
      { scope: 'more' },
      { resource: 'https://elsewhere.example' },
    );
    await fc.assert(
      fc.asyncProperty(reuses, parameters, scopes, async ({ rotations, reused, laterSeconds }, more, scope) => {
        const bystander = await scene.chain();
        const { grantId, tokens } = await chainOf(rotations, scope);
        scene.clock.advanceSeconds(laterSeconds);

        const answer = await refresh(scene, scene.client, tokens[reused] ?? '', more);

        expect(answer.status).toBe(400);
        expect(answer.json.error).toBe('invalid_grant');
        expect(await storedGrant(scene.database.drizzle, grantId)).toMatchObject({
          state: 'revoked',
          revokedReason: 'refresh_token_reused',
          refreshGeneration: BigInt(rotations),
        });
        for (const token of tokens) {
          expect((await refresh(scene, scene.client, token)).json.error).toBe('invalid_grant');
        }
        const ledger = await ledgerOf(scene.database.drizzle, grantId);
        expect(ledger.filter((line) => line.endsWith('→ revoked (refresh_token_reused)')).sort()).toEqual([
          'grant: active → revoked (refresh_token_reused)',
          'refreshToken: used → revoked (refresh_token_reused)',
        ]);
        // Its own alone: another chain of the same user at the same client continues, unless it has expired.
        if (laterSeconds < 30 * DAY_SECONDS) expect((await refresh(scene, scene.client, bystander)).status).toBe(200);
      }),
      { numRuns: 50 },
    );
  });

  it('for the code, presented again with its verifier at any time: every token of its grant ends', async () => {
    const later = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 400 * DAY_SECONDS }));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 4 }), later, async (rotations, laterSeconds) => {
        const code = await scene.code();
        let head = (await exchange(scene, scene.client, code)).json.refresh_token ?? '';
        for (let n = 0; n < rotations; n++) head = (await refresh(scene, scene.client, head)).json.refresh_token ?? '';
        scene.clock.advanceSeconds(laterSeconds);

        const answer = await exchange(scene, scene.client, code);

        expect(answer.json.error).toBe('invalid_grant');
        expect(await storedGrant(scene.database.drizzle, grantIdOfCode(code.code))).toMatchObject({
          state: 'revoked',
          revokedReason: 'authorization_code_reused',
        });
        expect((await refresh(scene, scene.client, head)).json.error).toBe('invalid_grant');
      }),
      { numRuns: 30 },
    );
  });

  it('but not for a used token that another client presents', async () => {
    await fc.assert(
      fc.asyncProperty(reuses, async ({ rotations, reused }) => {
        const { grantId, tokens } = await chainOf(rotations);
        const answer = await refresh(scene, scene.other, tokens[reused] ?? '');
        expect(answer.json.error).toBe('invalid_grant');
        expect((await storedGrant(scene.database.drizzle, grantId)).state).toBe('active');
        expect((await refresh(scene, scene.client, tokens.at(-1) ?? '')).status).toBe(200);
      }),
      { numRuns: 20 },
    );
  });
});
