/** RFC 9449 §5: in every order of presentations, a bound token works with its key alone, and a reuse ends the chain. */
import { fc } from '@fast-check/vitest';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeClient, type TestClient, token } from '../support/actors.ts';
import { ISSUER } from '../support/app.ts';
import { anyDatabase } from '../support/database.ts';
import { type ProofKey, proofKey, proofOf } from '../support/dpop.ts';
import { openScene, type Scene } from '../support/scene.ts';

const URL_ = `${ISSUER}/oauth/token`;
const BY = ['the client', 'a thief', 'a thief with another key', 'a proof for another URL', 'an old proof'] as const;

let scene: Scene;
let client: TestClient;
let key: ProofKey;
let otherKey: ProofKey;
beforeAll(async () => {
  scene = await openScene(anyDatabase);
  const grantTypes = ['authorization_code', 'refresh_token'];
  client = await makeClient(scene, { tokenEndpointAuthMethod: 'none', grantTypes });
  [key, otherKey] = [await proofKey(), await proofKey('EdDSA')];
});
afterAll(() => scene.close());

const PROOF: Readonly<Record<(typeof BY)[number], () => string | undefined>> = {
  'the client': () => proofOf(key, { url: URL_, now: scene.clock.now() }),
  'a thief': () => undefined,
  'a thief with another key': () => proofOf(otherKey, { url: URL_, now: scene.clock.now() }),
  'a proof for another URL': () => proofOf(key, { url: `${ISSUER}/oauth/par`, now: scene.clock.now() }),
  'an old proof': () => proofOf(key, { url: URL_, now: new Date(scene.clock.now().getTime() - 120_000) }),
};
const send = (fields: Readonly<Record<string, string>>, by: (typeof BY)[number]) => {
  const dpop = PROOF[by]();
  return token(scene, client, fields, dpop === undefined ? {} : { dpop });
};

const step = fc.record({ by: fc.constantFrom(...BY), back: fc.nat({ max: 2 }) });

it('a bound token works with its key alone, and a reuse ends the chain with any proof and without one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const { code, verifier } = await scene.code({ client });
      const first = await send({ grant_type: 'authorization_code', code, code_verifier: verifier }, 'the client');
      // The ledger of the test: the tokens in their order, and whether the chain lives.
      const tokens = [first.json.refresh_token ?? ''];
      let isAlive = true;
      for (const { by, back } of steps) {
        const at = Math.max(0, tokens.length - 1 - back);
        const isHead = at === tokens.length - 1;
        const { status, json } = await send({ grant_type: 'refresh_token', refresh_token: tokens[at] ?? '' }, by);
        const mayIssue = isAlive && isHead && by === 'the client';
        expect(status, `${by} presents ${isHead ? 'the head' : 'a used token'}`).toBe(mayIssue ? 200 : 400);
        if (mayIssue) tokens.push(json.refresh_token ?? '');
        if (!isHead) isAlive = false;
      }
      const last = await send({ grant_type: 'refresh_token', refresh_token: tokens.at(-1) ?? '' }, 'the client');
      expect(last.status).toBe(isAlive ? 200 : 400);
    }),
    { numRuns: 60 },
  );
});
