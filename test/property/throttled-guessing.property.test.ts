/**
 * The owner signs in without a wait in a browser of an earlier sign-in, whatever attackers do. The server checks no more guesses per
 * source in a window than docs/decisions/0036 says.
 */
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorizeUrl, makeClient, makePkce, makeUser, PASSWORD, type TestClient } from '../support/actors.ts';
import { shippedConfiguration } from '../support/app.ts';
import { Browser } from '../support/browser.ts';
import { anyDatabase } from '../support/database.ts';
import { openScene, type Scene } from '../support/scene.ts';

const WINDOW_SECONDS = 60;
const OF_PLACE = 3;
const OF_ACCOUNT = 10;
const configuration = {
  ...shippedConfiguration,
  signIn: {
    ...shippedConfiguration.signIn,
    failureWindowSeconds: WINDOW_SECONDS,
    failuresPerAccountAndAddress: OF_PLACE,
    failuresPerAccount: OF_ACCOUNT,
    failuresPerAddress: 10,
  },
};
const ADDRESSES = 4;

type Step =
  | { readonly kind: 'guess'; readonly from: number; readonly at: 'owner' | 'made up' }
  | { readonly kind: 'wait'; readonly seconds: number }
  | { readonly kind: 'owner' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('guess' as const),
      from: fc.nat({ max: ADDRESSES - 1 }),
      at: fc.constantFrom('owner' as const, 'owner' as const, 'made up' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: WINDOW_SECONDS }) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'owner' as const }) },
);

describe('the throttle on guessing', () => {
  let scene: Scene;
  let client: TestClient;
  let serial = 0;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { configuration });
    client = await makeClient(scene, { tokenEndpointAuthMethod: 'none', redirectUris: ['http://client.test/cb'] });
  });
  afterAll(() => scene.close());

  const tryIn = async (browser: Browser, username: string, password: string) =>
    browser.submit(await browser.get(authorizeUrl(client, makePkce())), { username, password });
  const succeeded = ({ body }: { readonly body: string }) => body.includes('name="decision"');

  it('never delays the owner in a trusted browser, and checks a bounded number of guesses per source in a window', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const run = ++serial;
        const { username } = await makeUser(scene);
        // The owner shares the address with the first attacker.
        const addressOf = (index: number) => `2001:db8:${run.toString(16)}:${index + 1}::1`;
        let owner = new Browser(scene.app, addressOf(0));
        expect(succeeded(await tryIn(owner, username, PASSWORD))).toBe(true);
        let now = 0;
        let guesses = 0;
        /** By place: when a guess was looked at. */
        const looked = new Map<number, number[]>();
        for (const step of [...steps, { kind: 'owner' } as const]) {
          if (step.kind === 'wait') {
            scene.clock.advanceSeconds(step.seconds);
            now += step.seconds;
          } else if (step.kind === 'guess') {
            const name = step.at === 'owner' ? username : `unknown-${run}-${guesses++}`;
            const answer = await tryIn(new Browser(scene.app, addressOf(step.from)), name, 'wrong guess');
            expect([400, 429]).toContain(answer.status);
            if (step.at !== 'owner' || answer.status !== 400) continue;
            looked.set(step.from, [...(looked.get(step.from) ?? []), now]);
          } else {
            const again = new Browser(scene.app, addressOf(0));
            for (const [cookie, value] of owner.cookies)
              if (cookie.endsWith('statehouse-device')) again.cookies.set(cookie, value);
            expect(succeeded(await tryIn(again, username, PASSWORD))).toBe(true);
            owner = again;
          }
        }
        for (const times of looked.values())
          for (const began of times)
            expect(times.filter((at) => at >= began && at < began + WINDOW_SECONDS).length).toBeLessThanOrEqual(
              OF_PLACE,
            );
        // All places together: the limit of the account, and from each place its first guess after that.
        const all = [...looked.values()].flat();
        for (const began of all) {
          const inWindow = all.filter((at) => at >= began && at < began + WINDOW_SECONDS).length;
          expect(inWindow).toBeLessThanOrEqual(2 * (OF_ACCOUNT + Math.ceil(Math.log2(WINDOW_SECONDS))) + ADDRESSES);
        }
      }),
      { numRuns: 15 },
    );
  });
});
