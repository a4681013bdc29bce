/** RFC 9126 §7.3: a pushed request yields at most one answer, so at most one code, whatever browsers open it and in any order. */
import { fc } from '@fast-check/vitest';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grants, pushedRequests, transitions } from '../../src/storage/schema.ts';
import {
  authorizeUrl,
  goThrough,
  makeClient,
  makePkce,
  makeUser,
  PASSWORD,
  REDIRECT_URI,
  type TestUser,
} from '../support/actors.ts';
import { type Answer, Browser } from '../support/browser.ts';
import { anyDatabase } from '../support/database.ts';
import { push } from '../support/pushing.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { grantIdOfCode } from '../support/stored.ts';

const BROWSERS = 3;
const LIFETIME_SECONDS = 60;

/** By a browser: opens the link, or answers the page that it shows. The steps of a round run at the same time. */
const step = fc.record({
  browser: fc.nat({ max: BROWSERS - 1 }),
  does: fc.oneof(
    { weight: 3, arbitrary: fc.constant('open' as const) },
    { weight: 2, arbitrary: fc.constant('approve' as const) },
    { weight: 1, arbitrary: fc.constant('deny' as const) },
  ),
});
const rounds = fc.array(
  fc.record({
    wait: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(1, 59, 60) }),
    steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 5 },
);
const requests = fc.constantFrom({}, { prompt: 'consent' }, { prompt: 'login' }, { prompt: 'none' });

describe('a pushed request yields at most one answer', () => {
  let scene: Scene;
  let users: readonly TestUser[];
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
    users = [scene.user, await makeUser(scene), await makeUser(scene)];
  });
  afterAll(() => scene.close());

  it('to any browsers, in sequence and concurrently, in time and late', async () => {
    const seen = { codes: 0, errors: 0, second: 0 };
    await fc.assert(
      fc.asyncProperty(rounds, requests, fc.boolean(), async (all, change, isSecondSignedIn) => {
        const client = await makeClient(scene, { consent: 'skip' });
        const browsers = users.map(() => new Browser(scene.app));
        for (const n of isSecondSignedIn ? [0, 1] : [0])
          await goThrough(browsers[n] as Browser, authorizeUrl(client, makePkce()), users[n] as TestUser);
        const { link, status } = await push(scene, client, change);
        expect(status).toBe(201);
        const began = scene.clock.now().getTime();
        const pages = new Map<number, Answer>();
        const answers = new Set<string>();
        const isOpenSince: boolean[] = [];

        const open = async (n: number) => {
          const page = await (browsers[n] as Browser).get(link);
          if (page.url.startsWith(REDIRECT_URI)) answers.add(page.url);
          else if (page.status === 200) {
            isOpenSince.push(scene.clock.now().getTime() < began + LIFETIME_SECONDS * 1000);
            pages.set(n, page);
          }
        };
        const answer = async (n: number, decision: 'approve' | 'deny') => {
          const page = pages.get(n);
          if (page === undefined) return;
          const credentials = { username: users[n]?.username ?? '', password: PASSWORD };
          const fields = page.body.includes('name="password"') ? credentials : { decision };
          const next = await (browsers[n] as Browser).submit(page, fields);
          if (next.url.startsWith(REDIRECT_URI)) answers.add(next.url);
          else if (next.status === 200 && next.body.includes('name="decision"')) pages.set(n, next);
        };
        for (const { wait, steps } of all) {
          scene.clock.advanceSeconds(wait);
          const before = answers.size;
          await Promise.all(
            steps.map(({ browser, does }) => (does === 'open' ? open(browser) : answer(browser, does))),
          );
          if (before > 0) seen.second++;
          expect(answers.size).toBeLessThanOrEqual(1);
        }

        // No link opened after its end.
        expect(isOpenSince).not.toContain(false);
        const [row] = await db().select().from(pushedRequests).where(eq(pushedRequests.clientId, client.clientId));
        const id = row?.id ?? '';
        const [answered] = answers;
        expect(row?.state).toBe(answered === undefined ? 'pushed' : 'used');
        const entries = await db().select().from(transitions).where(eq(transitions.interactionId, id));
        const uses = entries.filter(({ machine, event }) => machine === 'pushedRequest' && event === 'answered');
        expect(uses).toHaveLength(answers.size);
        const code = answered === undefined ? null : new URL(answered).searchParams.get('code');
        const made = await db().select().from(grants).where(eq(grants.id, id));
        expect(made.map((grant) => grant.id)).toEqual(code === null ? [] : [grantIdOfCode(code)]);
        if (code !== null) seen.codes++;
        else if (answered !== undefined) seen.errors++;
      }),
      { numRuns: 60 },
    );
    // Otherwise the runs tested too little.
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(3);
  });

  const db = () => scene.database.drizzle;
});
