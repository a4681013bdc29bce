/**
 * Passwords, codes and recovery codes in any order, right and wrong, while factors are added and removed and the policy changes. No
 * session becomes active without every factor that was required at its sign-in, and no code counts twice.
 */
import { fc } from '@fast-check/vitest';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { theServer } from '../../src/model/actor.ts';
import { removeSecondFactorByAdministrator } from '../../src/people/second-factor/removal.ts';
import { secondFactors, sessions } from '../../src/storage/schema.ts';
import { makeUser, PASSWORD, type TestUser } from '../support/actors.ts';
import { shippedConfiguration } from '../support/app.ts';
import { type Answer, Browser, formOf } from '../support/browser.ts';
import { anyDatabase } from '../support/database.ts';
import { type App, appWith, recoveryCodesOn, secretOn } from '../support/factors.ts';
import { openScene, type Scene } from '../support/scene.ts';

const BROWSERS = 2;
const STEP_SECONDS = 30;

type Ports = {
  readonly user: TestUser;
  readonly browsers: Browser[];
  app: App | null;
  codes: readonly string[];
  /** Codes that were accepted already. */
  readonly spent: Set<string>;
};

describe('factors in any order', () => {
  let scene: Scene;
  let isDemanded = false;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, {
      reloaded: () => ({
        signIn: { ...shippedConfiguration.signIn, secondFactor: isDemanded ? 'everyone' : 'nobody' },
      }),
    });
  });
  afterAll(() => scene.close());

  const db = () => scene.database.drizzle;
  const sessionsOf = (user: TestUser) => db().select().from(sessions).where(eq(sessions.userId, user.id));
  const factorPage = (browser: Browser) => browser.get('/sign-in/factor?then=devices');
  const isSignedIn = async (browser: Browser) => (await browser.get('/account')).body.includes('/account/devices');

  const password = async ({ user }: Ports, browser: Browser, sent = PASSWORD): Promise<void> => {
    const page = await browser.get('/sign-in?then=devices&another=yes');
    await browser.submit(page, { username: user.username, password: sent });
  };
  /** Sends a code where the page has a field for it. @returns whether the server accepted it there. */
  const prove = async (browser: Browser, code: string): Promise<boolean> => {
    const page = await factorPage(browser);
    const form = formOf(page.body);
    if (!('csrf' in form.fields) || !page.body.includes('autocomplete="one-time-code"')) return false;
    const cookie = browser.cookies.get('__Host-statehouse-session');
    const before = await isSignedIn(browser);
    await browser.submit(page, { code });
    return browser.cookies.get('__Host-statehouse-session') !== cookie || (!before && (await isSignedIn(browser)));
  };
  const accepted = async (ports: Ports, browser: Browser, code: string): Promise<void> => {
    if (!(await prove(browser, code))) return;
    expect(ports.spent.has(code), 'a code was accepted twice').toBe(false);
    ports.spent.add(code);
  };
  const csrfOf = (page: Answer) => formOf(page.body).fields['csrf'] ?? '';

  const steps: Readonly<Record<string, (ports: Ports, browser: Browser, pick: number) => Promise<void>>> = {
    'the password': (ports, browser) => password(ports, browser),
    'a wrong password': (ports, browser) => password(ports, browser, 'a wrong password indeed'),
    'the code of now': async (ports, browser) => {
      if (ports.app) await accepted(ports, browser, ports.app.codeAt(scene.clock.now()));
    },
    'a code that was used': async (ports, browser, pick) => {
      // The newest is the likeliest to be accepted again.
      const used = [...ports.spent].toReversed();
      const code = used[pick % Math.min(Math.max(used.length, 1), 2)];
      if (code !== undefined) expect(await prove(browser, code), 'a used code').toBe(false);
    },
    'a wrong code': async (_, browser) => {
      await prove(browser, 'ABCD-EFGH-JKMN');
    },
    'a recovery code': async (ports, browser, pick) => {
      const code = ports.codes[pick % Math.max(ports.codes.length, 1)];
      if (code !== undefined) await accepted(ports, browser, code);
    },
    'a set-up': async (ports, browser) => {
      const page = await factorPage(browser);
      const { csrf } = formOf(page.body).fields;
      if (csrf === undefined) return;
      const setUp = await browser.post('/sign-in/factor/set-up?then=devices', { csrf });
      const secret = secretOn(setUp);
      if (secret === '') return;
      const app = appWith(secret);
      const code = app.codeAt(scene.clock.now());
      const done = await browser.submit(setUp, { code });
      const [row] = await db().select().from(secondFactors).where(eq(secondFactors.userId, ports.user.id));
      if (row && done.status < 400) {
        ports.app = app;
        ports.spent.add(code);
        const codes = recoveryCodesOn(done);
        if (codes.length > 0) ports.codes = codes;
      }
    },
    'new recovery codes': async (ports, browser) => {
      const page = await browser.get('/account/sign-in-methods');
      const made = recoveryCodesOn(
        await browser.post('/account/sign-in-methods/recovery-codes', { csrf: csrfOf(page) }),
      );
      if (made.length === 0) return;
      // Those from before count as used.
      for (const code of ports.codes) ports.spent.add(code);
      ports.codes = made;
    },
    'the removal of the app': async (ports, browser) => {
      const page = await browser.get('/account/sign-in-methods');
      for (const { id } of await db().select().from(secondFactors).where(eq(secondFactors.userId, ports.user.id)))
        await browser.post('/account/sign-in-methods/apps/remove', { csrf: csrfOf(page), id });
    },
    'a removal by an administrator': async ({ user }) =>
      removeSecondFactorByAdministrator(scene.deps, user.id, theServer),
    'a sign-out': async (_, browser) => {
      browser.cookies.delete('__Host-statehouse-session');
    },
    'another policy': async () => {
      isDemanded = !isDemanded;
    },
    'a while': async () => scene.clock.advanceSeconds(STEP_SECONDS),
  };

  /** By the database, at this moment. */
  const demands = async ({ user }: Ports): Promise<boolean> => {
    const apps = await db().select().from(secondFactors).where(eq(secondFactors.userId, user.id));
    return isDemanded || apps.some(({ state }) => state === 'active');
  };

  const likely = ['the password', 'the code of now', 'a code that was used', 'a recovery code', 'a while'];
  /** Where there is a factor from the beginning, more is at stake. */
  const enrolled = [
    { step: 'the password', browser: 0, pick: 0 },
    { step: 'a set-up', browser: 0, pick: 0 },
    { step: 'the password', browser: 1, pick: 0 },
  ];
  const sequences = fc.array(
    fc.record({
      step: fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...likely) },
        { weight: 2, arbitrary: fc.constantFrom(...Object.keys(steps)) },
      ),
      browser: fc.nat({ max: BROWSERS - 1 }),
      pick: fc.nat(),
    }),
    { minLength: 4, maxLength: 16 },
  );

  it('activate no session without every required factor, and accept no code twice', async () => {
    let strong = 0;
    await fc.assert(
      fc.asyncProperty(fc.boolean(), sequences, async (isEnrolled, sequence) => {
        isDemanded = false;
        const user = await makeUser(scene);
        const ports: Ports = {
          user,
          browsers: Array.from({ length: BROWSERS }, () => new Browser(scene.app)),
          app: null,
          codes: [],
          spent: new Set(),
        };
        /** Whether a factor was demanded when the sign-in began, by the name of its session. */
        const needed = new Map<string, boolean>();
        for (const { step, browser, pick } of [...(isEnrolled ? enrolled : []), ...sequence]) {
          const before = await demands(ports);
          await steps[step]?.(ports, ports.browsers[browser] as Browser, pick);
          for (const { sid, state, amr } of await sessionsOf(user)) {
            if (!needed.has(sid)) needed.set(sid, before);
            if (state !== 'active') continue;
            const isStrong = amr.includes('mfa');
            if (isStrong) strong += 1;
            expect(isStrong || !needed.get(sid), `${step}: a session with ${amr.join()}`).toBe(true);
          }
          for (const one of ports.browsers) {
            if (!(await isSignedIn(one))) continue;
            const cookies = (await sessionsOf(user)).filter(({ state }) => state === 'active');
            expect(cookies.length, `${step}: a browser is signed in, and no session is active`).toBeGreaterThan(0);
          }
        }
      }),
      { numRuns: 25 },
    );
    // Otherwise the orders had no effect to observe.
    expect(strong).toBeGreaterThan(0);
  });
});
