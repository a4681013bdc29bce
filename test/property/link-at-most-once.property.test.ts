/**
 * NIST SP 800-63B-4 §4.2: a link from a mail works at most once, in any order of requests and presses, however late. It never works after
 * another link of the same purpose was used, after its end, or after a password change. A newer link of the same purpose leaves an
 * older one valid.
 */
import { randomUUID } from 'node:crypto';
import { fc } from '@fast-check/vitest';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emailChallenges } from '../../src/storage/schema.ts';
import { setAddressesIdentify } from '../../src/storage/sign-in-addresses.ts';
import { makeUser } from '../support/actors.ts';
import { anyDatabase } from '../support/database.ts';
import { LIFETIME_SECONDS, type LinkPurpose, linkPorts, type SentLink } from '../support/links.ts';
import { openScene, type Scene } from '../support/scene.ts';

const PURPOSES = ['reset_password', 'verify_address', 'sign_up'] as const satisfies readonly LinkPurpose[];

const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('ask' as const), purpose: fc.constantFrom(...PURPOSES) }) },
    // Of the links that were sent so far, the newest first; `times` at the same moment.
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('press' as const),
        which: fc.nat({ max: 3 }),
        times: fc.integer({ min: 1, max: 3 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('wait' as const),
        seconds: fc.constantFrom(1, LIFETIME_SECONDS / 2, LIFETIME_SECONDS - 1, LIFETIME_SECONDS),
      }),
    },
  ),
  { minLength: 3, maxLength: 12 },
);

/** The mailbox's record of a link. */
type Known = SentLink & { readonly sentAt: number; isUsed: boolean; isWorthless: boolean };

describe('a link from a mail works at most once', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
    // Links for new accounts go to the address of an end-user, too.
    await setAddressesIdentify(scene.database.drizzle, false);
  });
  afterAll(() => scene.close());

  it('in any order of requests, presses and waits', async () => {
    let used = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const ports = linkPorts(scene);
        const address = `${randomUUID()}@example.com`;
        const user = await makeUser(scene, randomUUID(), { email: address, email_verified: true });
        const known: Known[] = [];
        for (const step of all) {
          if (step.kind === 'wait') {
            scene.clock.advanceSeconds(step.seconds);
            continue;
          }
          if (step.kind === 'ask') {
            const link = await ports.ask(step.purpose, step.purpose === 'sign_up' ? null : user.id, address);
            known.unshift({ ...link, sentAt: scene.clock.now().getTime(), isUsed: false, isWorthless: false });
            continue;
          }
          const link = known[step.which];
          if (link === undefined) continue;
          const isInTime = scene.clock.now().getTime() < link.sentAt + LIFETIME_SECONDS * 1000;
          const works = isInTime && !link.isUsed && !link.isWorthless;
          const answers = await Promise.all(Array.from({ length: step.times }, () => ports.press(link)));
          expect(answers.filter(({ kind }) => kind === 'used')).toHaveLength(works ? 1 : 0);
          if (!works) continue;
          used++;
          link.isUsed = true;
          for (const other of known) other.isWorthless ||= other.purpose === link.purpose;
          // A password change ends the links that were sent to the account before.
          if (link.purpose === 'reset_password')
            for (const other of known) other.isWorthless ||= other.purpose !== 'sign_up';
        }
        const rows = await scene.database.drizzle
          .select()
          .from(emailChallenges)
          .where(eq(emailChallenges.address, address));
        expect(
          rows
            .filter(({ state }) => state === 'used')
            .map(({ id }) => id)
            .toSorted(),
        ).toEqual(
          known
            .filter(({ isUsed }) => isUsed)
            .map(({ id }) => id)
            .toSorted(),
        );
      }),
      { numRuns: 60 },
    );
    // About thirty; otherwise the runs tested too little.
    expect(used).toBeGreaterThan(5);
  });
});
