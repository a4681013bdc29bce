/** At every moment at most one refresh token of a chain can be used; all others end the chain or are dead with it. */
import { fc } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange, refresh, type TokenAnswer } from '../support/actors.ts';
import { type DatabaseKind, databaseKinds } from '../support/database.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { grantIdOfCode, placeOf, storedGrant } from '../support/stored.ts';

type Chain = { readonly code: { readonly code: string; readonly verifier: string }; readonly tokens: string[] };
type Step = (scene: Scene, chain: Chain, pick: number) => Promise<readonly TokenAnswer[]>;

const head = ({ tokens }: Chain) => tokens.at(-1) ?? '';
const any = ({ tokens }: Chain, pick: number) => tokens[pick % tokens.length] ?? '';

const gentle: Readonly<Record<string, Step>> = {
  rotate: async (scene, chain) => [await refresh(scene, scene.client, head(chain))],
  'rotate with less scope': async (scene, chain) => [
    await refresh(scene, scene.client, head(chain), { scope: 'read' }),
  ],
  'ask for more scope': async (scene, chain) => [
    await refresh(scene, scene.client, head(chain), { scope: 'read admin' }),
  ],
  'by another client': async (scene, chain, pick) => [await refresh(scene, scene.other, any(chain, pick))],
};
const fatal: Readonly<Record<string, Step>> = {
  'any token': async (scene, chain, pick) => [await refresh(scene, scene.client, any(chain, pick))],
  'the head, twice concurrently': (scene, chain) =>
    Promise.all([head(chain), head(chain)].map((token) => refresh(scene, scene.client, token))),
  'the head and any token, concurrently': (scene, chain, pick) =>
    Promise.all([head(chain), any(chain, pick)].map((token) => refresh(scene, scene.client, token))),
  'the code again': async (scene, chain) => [await exchange(scene, scene.client, chain.code)],
};
const steps: Readonly<Record<string, Step>> = { ...gentle, ...fatal };
const sequences = fc.array(
  fc.tuple(
    // Mostly valid requests: a chain that ends immediately tests little.
    fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...Object.keys(gentle)) }, fc.constantFrom(...Object.keys(fatal))),
    fc.nat(),
  ),
  { minLength: 1, maxLength: 8 },
);

describe.each(databaseKinds)('at most one active refresh token per chain, on %s', (kind: DatabaseKind) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(kind);
  });
  afterAll(() => scene.close());

  it('by the stored head, and by presenting every issued token, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(sequences, fc.infiniteStream(fc.nat()), async (sequence, picks) => {
        const code = await scene.code();
        const chain: Chain = { code, tokens: [(await exchange(scene, scene.client, code)).json.refresh_token ?? ''] };
        for (const [name, pick] of sequence) {
          for (const { json } of await (steps[name] as Step)(scene, chain, pick)) {
            if (json.refresh_token) chain.tokens.push(json.refresh_token);
          }
        }

        const grant = await storedGrant(scene.database.drizzle, grantIdOfCode(code.code));
        const places = chain.tokens.map((token) => placeOf(scene.keys, token));
        const heads = places.filter(({ nonce }) => grant.refreshNonce?.equals(nonce) && grant.state === 'active');
        expect(heads.length).toBeLessThanOrEqual(1);
        expect(new Set(places.map(({ generation }) => generation)).size).toBe(places.length);

        const order = chain.tokens.map((token) => ({ token, rank: picks.next().value ?? 0 }));
        order.sort((one, other) => one.rank - other.rank);
        let issued = 0;
        for (const { token } of order) issued += (await refresh(scene, scene.client, token)).status === 200 ? 1 : 0;
        expect(issued).toBeLessThanOrEqual(heads.length);
      }),
      { numRuns: 60 },
    );
  });

  it('at every step of a chain that only rotates: exactly one, the newest', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 8 }), async (rotations) => {
        const code = await scene.code();
        let token = (await exchange(scene, scene.client, code)).json.refresh_token ?? '';
        for (let n = 0; n < rotations; n++)
          token = (await refresh(scene, scene.client, token)).json.refresh_token ?? '';
        const grant = await storedGrant(scene.database.drizzle, grantIdOfCode(code.code));
        const { generation, nonce } = placeOf(scene.keys, token);
        expect(grant).toMatchObject({ state: 'active', refreshGeneration: generation });
        expect(generation).toBe(BigInt(rotations));
        expect(grant.refreshNonce?.equals(nonce)).toBe(true);
      }),
      { numRuns: 15 },
    );
  });
});
