/** RFC 7636 §4.6: without the verifier a code yields no token; and a wrong verifier changes no row of its client. */

import { createHash } from 'node:crypto';
import { fc } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange, makeClient, makePkce, type Pkce, type TestClient, token } from '../support/actors.ts';
import { codeVerifiers } from '../support/arbitraries.ts';
import { type DatabaseKind, databaseKinds } from '../support/database.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { everything } from '../support/stored.ts';

const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');
const pkces: fc.Arbitrary<Pkce> = codeVerifiers.map((verifier) => ({ verifier, challenge: challengeOf(verifier) }));

type Miss = (right: Pkce, seed: number) => string;
const at = (text: string, seed: number) => seed % text.length;
/** Wrong verifiers, most of them by very little. */
const misses: Readonly<Record<string, Miss>> = {
  'the challenge itself': ({ challenge }) => challenge,
  'the challenge of the challenge': ({ challenge }) => challengeOf(challenge),
  'one character changed': ({ verifier }, seed) => {
    const index = at(verifier, seed);
    return verifier.slice(0, index) + (verifier[index] === 'x' ? 'y' : 'x') + verifier.slice(index + 1);
  },
  'every letter in the other case': ({ verifier }) => {
    const swapped = verifier.replace(/[A-Za-z]/g, (one) => (one < 'a' ? one.toLowerCase() : one.toUpperCase()));
    return swapped === verifier ? `${verifier}A` : swapped;
  },
  'one character less': ({ verifier }) => verifier.slice(0, -1),
  'one character less in front': ({ verifier }) => verifier.slice(1),
  'one character more': ({ verifier }) => `${verifier}A`,
  'padded with =': ({ verifier }) => `${verifier}=`,
  'a space behind': ({ verifier }) => `${verifier} `,
  'a line end behind': ({ verifier }) => `${verifier}\n`,
  'two characters swapped': ({ verifier }, seed) => {
    const index = seed % (verifier.length - 1);
    const [a, b] = [verifier[index] ?? '', verifier[index + 1] ?? ''];
    return a === b ? `${verifier}A` : verifier.slice(0, index) + b + a + verifier.slice(index + 2);
  },
  reversed: ({ verifier }) =>
    [...verifier].reverse().join('') === verifier ? `${verifier}A` : [...verifier].reverse().join(''),
  'the hash in hexadecimal': ({ verifier }) => createHash('sha256').update(verifier).digest('hex'),
  'another verifier': () => makePkce().verifier,
  'one letter': () => 'a',
  'one space': () => ' ',
};
const wrongs = fc.tuple(fc.constantFrom(...Object.keys(misses)), fc.nat());
const wrongOf = ([name, seed]: readonly [string, number], right: Pkce) => (misses[name] as Miss)(right, seed);

describe.each(databaseKinds)('a mismatched verifier never yields tokens, on %s', (kind: DatabaseKind) => {
  let scene: Scene;
  let app: TestClient;
  beforeAll(async () => {
    scene = await openScene(kind);
    app = await makeClient(scene, { tokenEndpointAuthMethod: 'none' });
  });
  afterAll(() => scene.close());
  const clientOf = (isPublic: boolean) => (isPublic ? app : scene.client);

  it('and changes no row: afterwards the correct one works', async () => {
    await fc.assert(
      fc.asyncProperty(
        pkces,
        fc.array(wrongs, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        async (pkce, wrong, isPublic) => {
          const client = clientOf(isPublic);
          const code = await scene.code({ client, pkce });
          const before = await everything(scene.database.drizzle);
          for (const one of wrong) {
            const { status, json } = await exchange(scene, client, { ...code, verifier: wrongOf(one, pkce) });
            expect(status, one[0]).toBe(400);
            expect(json.error, one[0]).toBe('invalid_grant');
            expect(json).not.toHaveProperty('access_token');
            expect(json).not.toHaveProperty('refresh_token');
          }
          expect(await everything(scene.database.drizzle)).toEqual(before);
          expect((await exchange(scene, client, code)).status).toBe(200);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('nor after the code was used: a wrong presentation does not end the chain', async () => {
    await fc.assert(
      fc.asyncProperty(pkces, wrongs, async (pkce, wrong) => {
        const code = await scene.code({ pkce });
        expect((await exchange(scene, scene.client, code)).status).toBe(200);
        const before = await everything(scene.database.drizzle);
        const { json } = await exchange(scene, scene.client, { ...code, verifier: wrongOf(wrong, pkce) });
        expect(json.error).toBe('invalid_grant');
        expect(await everything(scene.database.drizzle)).toEqual(before);
      }),
      { numRuns: 30 },
    );
  });

  it('nor with the verifier of another code, of the same client or of another', async () => {
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.boolean(), async (isPublic, otherIsPublic) => {
        const mine = await scene.code({ client: clientOf(isPublic) });
        const theirs = await scene.code({ client: clientOf(otherIsPublic) });
        const before = await everything(scene.database.drizzle);
        const swapped = await exchange(scene, clientOf(isPublic), { code: mine.code, verifier: theirs.verifier });
        const injected = await exchange(scene, clientOf(isPublic), { code: theirs.code, verifier: mine.verifier });
        expect([swapped.json.error, injected.json.error]).toEqual(['invalid_grant', 'invalid_grant']);
        expect(await everything(scene.database.drizzle)).toEqual(before);
        expect((await exchange(scene, clientOf(isPublic), mine)).status).toBe(200);
        expect((await exchange(scene, clientOf(otherIsPublic), theirs)).status).toBe(200);
      }),
      { numRuns: 20 },
    );
  });

  it('and a missing verifier is distinguished from a wrong one', async () => {
    const { code, verifier } = await scene.code();
    for (const none of ['', undefined]) {
      const fields = { grant_type: 'authorization_code', code, ...(none !== undefined && { code_verifier: none }) };
      const { json } = await token(scene, scene.client, fields);
      expect(json.error).toBe('invalid_request');
    }
    expect((await exchange(scene, scene.client, { code, verifier })).status).toBe(200);
  });
});
