/** OAuth 2.1 §4.1.3: a code yields tokens at most once, in any order of attempts, sequential or concurrent. */
import { fc } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange, makePkce, REDIRECT_URI, refresh, type TokenAnswer } from '../support/actors.ts';
import { anyDatabase } from '../support/database.ts';
import { type Code, openScene, type Scene } from '../support/scene.ts';
import { grantIdOfCode, storedGrant } from '../support/stored.ts';

type Attempt = (scene: Scene, code: Code) => Promise<TokenAnswer>;
const right: Readonly<Record<string, Attempt>> = {
  right: (scene, code) => exchange(scene, scene.client, code),
  'right, with the redirect URI': (scene, code) => exchange(scene, scene.client, code, { redirect_uri: REDIRECT_URI }),
  'right, with a scope that means nothing here': (scene, code) =>
    exchange(scene, scene.client, code, { scope: 'admin' }),
};
const wrong: Readonly<Record<string, Attempt>> = {
  'with another verifier': (scene, code) => exchange(scene, scene.client, { ...code, verifier: makePkce().verifier }),
  'with another redirect URI': (scene, code) =>
    exchange(scene, scene.client, code, { redirect_uri: `${REDIRECT_URI}/` }),
  'by another client': (scene, code) => exchange(scene, scene.other, code),
  'with a wrong secret': (scene, code) => exchange(scene, { ...scene.client, secret: 'guessed' }, code),
  'cut short': (scene, code) => exchange(scene, scene.client, { ...code, code: code.code.slice(0, -1) }),
};
const attempts: Readonly<Record<string, Attempt>> = { ...right, ...wrong };

/** Rounds one after the other; the attempts of a round at the same time. */
const rounds = fc.array(fc.array(fc.constantFrom(...Object.keys(attempts)), { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 4,
});

describe('an authorization code yields tokens at most once', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
  });
  afterAll(() => scene.close());

  it('in any order, in sequence and in parallel; and a second correct use revokes the tokens of the first', async () => {
    await fc.assert(
      fc.asyncProperty(rounds, async (names) => {
        const code = await scene.code();
        const issued: TokenAnswer[] = [];
        for (const round of names) {
          const answers = await Promise.all(round.map((name) => (attempts[name] as Attempt)(scene, code)));
          issued.push(...answers.filter(({ status }) => status === 200));
          for (const { status, json } of answers) {
            if (status !== 200) expect(['invalid_grant', 'invalid_client']).toContain(json.error);
          }
        }
        const presentations = names.flat().filter((name) => name in right).length;

        expect(issued).toHaveLength(Math.min(1, presentations));
        const grant = await storedGrant(scene.database.drizzle, grantIdOfCode(code.code));
        expect(grant.state).toBe(presentations > 1 ? 'revoked' : 'active');
        expect(grant.refreshGeneration).toBe(presentations > 0 ? 0n : null);
        for (const { json } of issued) {
          const { status } = await refresh(scene, scene.client, json.refresh_token ?? '');
          expect(status).toBe(presentations > 1 ? 400 : 200);
        }
      }),
      { numRuns: 60 },
    );
  });
});
