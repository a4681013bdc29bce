/** An expired code or refresh token yields no token, whatever the policy was or is; and just before its end, it works. */
import { fc } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Policy } from '../../policies/schema.ts';
import { exchange, refresh } from '../support/actors.ts';
import { shippedConfiguration } from '../support/app.ts';
import { anyDatabase } from '../support/database.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { everything } from '../support/stored.ts';

const MINUTE = 60;
const DAY = 86_400;
const seconds = (most: number) => fc.oneof(fc.integer({ min: 1, max: most }), fc.constantFrom(MINUTE, most));

/** Within the bounds of policies/schema.ts, now and then at them. */
const policies: fc.Arbitrary<Policy> = fc
  .tuple(
    fc.integer({ min: 10, max: 600 }),
    fc.integer({ min: 300, max: 400 * DAY }),
    fc.integer({ min: 300, max: 1200 * DAY }),
  )
  .map(([code, one, other]) => ({
    accessTokenLifetimeSeconds: 900,
    authorizationCodeLifetimeSeconds: code,
    refreshIdleLifetimeSeconds: Math.min(one, other, 400 * DAY),
    refreshAbsoluteLifetimeSeconds: Math.max(one, other),
  }));

/** Around an end: the last instant that is in time, the first that is not, and later. */
const offsets = fc.oneof(fc.constantFrom(-1, 0, 1), fc.integer({ min: 0, max: 500 * DAY * 1000 }));

describe('an expired credential yields no token', () => {
  let scene: Scene;
  let policy: Policy;
  beforeAll(async () => {
    const configuration = () => ({ ...shippedConfiguration, policies: new Map([['default', policy]]) });
    scene = await openScene(anyDatabase, { change: (deps) => ({ ...deps, configuration }) });
  });
  afterAll(() => scene.close());

  const now = () => scene.clock.now().getTime();
  const goTo = (instant: number) => scene.clock.set(new Date(Math.max(instant, now())));

  /** Presents at the offset from the end: refused without a trace from the end on, and good until then. */
  async function presentsAround(end: number, offset: number, present: () => ReturnType<typeof refresh>) {
    goTo(end + offset);
    const isInTime = now() < end;
    const before = await everything(scene.database.drizzle);
    const answer = await present();
    expect(answer.status).toBe(isInTime ? 200 : 400);
    if (isInTime) return answer;
    expect(answer.json.error).toBe('invalid_grant');
    expect(answer.json).not.toHaveProperty('access_token');
    expect(await everything(scene.database.drizzle)).toEqual(before);
    return null;
  }

  it('a code, under the policy of its approval and under a later one', async () => {
    await fc.assert(
      fc.asyncProperty(policies, fc.option(policies), offsets, async (then, since, offset) => {
        policy = then;
        const code = await scene.code();
        const approvedAt = now();
        policy = since ?? then;
        // A shorter lifetime takes effect immediately, a longer one revives no code.
        const lifetime = Math.min(then.authorizationCodeLifetimeSeconds, policy.authorizationCodeLifetimeSeconds);
        await presentsAround(approvedAt + lifetime * 1000, offset, () => exchange(scene, scene.client, code));
        // Not by going back to the longer policy either.
        policy = then;
        if (now() >= approvedAt + then.authorizationCodeLifetimeSeconds * 1000) {
          expect((await exchange(scene, scene.client, code)).status).toBe(400);
        }
      }),
      { numRuns: 80 },
    );
  });

  it('a chain past its idle or absolute lifetime, under policies that change between uses', async () => {
    const uses = fc.array(fc.tuple(fc.option(policies), seconds(100 * DAY)), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(policies, uses, fc.option(policies), offsets, async (first, sequence, last, offset) => {
        policy = first;
        const startedAt = now();
        let head: string | undefined = await scene.chain();
        let usedAt = startedAt;
        let storedEnd = Number.POSITIVE_INFINITY;
        const endNow = () =>
          Math.min(
            usedAt + policy.refreshIdleLifetimeSeconds * 1000,
            startedAt + policy.refreshAbsoluteLifetimeSeconds * 1000,
            storedEnd,
          );
        const used = () => {
          usedAt = now();
          storedEnd = Number.POSITIVE_INFINITY;
          storedEnd = endNow();
        };
        used();
        for (const [change, wait] of sequence) {
          policy = change ?? policy;
          // In time, whatever the wait was to be.
          if (endNow() - 1 <= now()) return;
          goTo(Math.min(now() + wait * 1000, endNow() - 1));
          const answer = await refresh(scene, scene.client, head ?? '');
          expect(answer.status).toBe(200);
          head = answer.json.refresh_token;
          used();
        }
        policy = last ?? policy;
        await presentsAround(endNow(), offset, () => refresh(scene, scene.client, head ?? ''));
      }),
      { numRuns: 80 },
    );
  });

  it('an expired chain stays expired under a longer policy', async () => {
    await fc.assert(
      fc.asyncProperty(policies, fc.integer({ min: 0, max: 300 * DAY * 1000 }), async (short, late) => {
        policy = short;
        const startedAt = now();
        const head = await scene.chain();
        goTo(
          startedAt + Math.min(short.refreshIdleLifetimeSeconds, short.refreshAbsoluteLifetimeSeconds) * 1000 + late,
        );
        policy = { ...short, refreshIdleLifetimeSeconds: 400 * DAY, refreshAbsoluteLifetimeSeconds: 1200 * DAY };
        expect((await refresh(scene, scene.client, head)).json.error).toBe('invalid_grant');
      }),
      { numRuns: 30 },
    );
  });
});
