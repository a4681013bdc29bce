/**
 * Under a policy with a retry, in every order of presentations: a reuse without the proof ends the chain. The proof never ends it.
 * A retry never yields a second active token.
 */
import { fc } from '@fast-check/vitest';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeClient, type TestClient, token } from '../support/actors.ts';
import { ISSUER, withEveryPolicy } from '../support/app.ts';
import { anyDatabase } from '../support/database.ts';
import { type ProofKey, proofKey, proofOf } from '../support/dpop.ts';
import { openScene, type Scene } from '../support/scene.ts';

const URL_ = `${ISSUER}/oauth/token`;
const RETRY_SECONDS = 60;
const BY = ['the key', 'no key', 'another key', 'a proof for another URL'] as const;

let scene: Scene;
let client: TestClient;
let key: ProofKey;
let otherKey: ProofKey;
beforeAll(async () => {
  scene = await openScene(anyDatabase, { configuration: withEveryPolicy({ provenRetrySeconds: RETRY_SECONDS }) });
  const grantTypes = ['authorization_code', 'refresh_token'];
  client = await makeClient(scene, { tokenEndpointAuthMethod: 'none', grantTypes });
  [key, otherKey] = [await proofKey(), await proofKey('EdDSA')];
});
afterAll(() => scene.close());

const PROOF: Readonly<Record<(typeof BY)[number], () => string | undefined>> = {
  'the key': () => proofOf(key, { url: URL_, now: scene.clock.now() }),
  'no key': () => undefined,
  'another key': () => proofOf(otherKey, { url: URL_, now: scene.clock.now() }),
  'a proof for another URL': () => proofOf(key, { url: `${ISSUER}/oauth/par`, now: scene.clock.now() }),
};
const send = (fields: Readonly<Record<string, string>>, by: (typeof BY)[number]) => {
  const dpop = PROOF[by]();
  return token(scene, client, fields, dpop === undefined ? {} : { dpop });
};

const step = fc.record({
  by: fc.oneof({ weight: 6, arbitrary: fc.constant('the key' as const) }, fc.constantFrom(...BY)),
  back: fc.nat({ max: 3 }),
  afterSeconds: fc.constantFrom(0, 1, RETRY_SECONDS - 1, RETRY_SECONDS),
});

it('a retry forks nothing, and a used token without its key ends the chain', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
      const { code, verifier } = await scene.code({ client });
      const first = await send({ grant_type: 'authorization_code', code, code_verifier: verifier }, 'the key');
      // The ledger of the test: the tokens in their order, when the last one was made, and whether the chain is active.
      const tokens = [first.json.refresh_token ?? ''];
      let madeAt = scene.clock.now().getTime();
      let isActive = true;
      for (const { by, back, afterSeconds } of steps) {
        scene.clock.advanceSeconds(afterSeconds);
        const at = Math.max(0, tokens.length - 1 - back);
        const isHead = at === tokens.length - 1;
        const isInTime = scene.clock.now().getTime() < madeAt + RETRY_SECONDS * 1000;
        const { status, json } = await send({ grant_type: 'refresh_token', refresh_token: tokens[at] ?? '' }, by);
        const isRetry = at === tokens.length - 2 && isInTime;
        const isServed = isActive && by === 'the key' && (isHead || isRetry);
        expect(status, `${by} presents token ${at} of ${tokens.length}`).toBe(isServed ? 200 : 400);
        if (isServed && isHead) {
          expect(tokens).not.toContain(json.refresh_token);
          tokens.push(json.refresh_token ?? '');
          madeAt = scene.clock.now().getTime();
        } else if (isServed) expect(json.refresh_token).toBe(tokens.at(-1));
        if (!isHead && by !== 'the key') isActive = false;
      }
      const last = await send({ grant_type: 'refresh_token', refresh_token: tokens.at(-1) ?? '' }, 'the key');
      expect(last.status).toBe(isActive ? 200 : 400);
    }),
    { numRuns: 60 },
  );
});
