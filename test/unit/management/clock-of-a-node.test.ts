/** The database's clock decides whether a token of the management API has expired, also at a node whose clock differs. */
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { testClock } from '../../support/clock.ts';
import { callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { openScene, type Scene } from '../../support/scene.ts';

let scene: Scene;
beforeAll(async () => {
  // The embedded database has the clock of its process.
  scene = await openScene('postgres', {
    clock: { ...testClock(new Date()), fixedNow: () => null },
    configuration: withBot(),
  });
  await makeBot(scene);
});
afterAll(() => scene.close());
afterEach(() => void vi.useRealTimers());

it.each([
  ['is right', 0],
  ['is two minutes behind', -120],
  ['is two minutes ahead', 120],
])('a node whose clock %s accepts a token until its end, and not afterwards', async (_, seconds) => {
  const now = Math.floor(Date.now() / 1000);
  vi.useFakeTimers({ toFake: ['Date'], now: (now + seconds) * 1000 });
  const ask = (life: object) => callerWith(scene, () => tokenOf(scene, ['clients:read'], life))('GET', '/clients');
  expect((await ask({ iat: now, exp: now + 60 })).statusCode).toBe(200);
  expect((await ask({ iat: now - 61, exp: now - 1 })).statusCode).toBe(401);
});
