/** /account/sign-in-methods: setting up an app, recovery codes, removing factors, and who may. */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { userFacts } from '../../../src/lifecycles/user/table.ts';
import { linkedIdentities, passkeys, recoveryCodes, secondFactors, users } from '../../../src/storage/schema.ts';
import { makeUser, PASSWORD, type TestUser } from '../../support/actors.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { type Answer, Browser, formOf } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { type App, appWith, recoveryCodesOn, secretOn } from '../../support/factors.ts';
import { testMacs } from '../../support/macs.ts';
import { registeredPasskey } from '../../support/registered-passkey.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const SECTION = '/account/sign-in-methods';

describe(SECTION, () => {
  let scene: Scene;
  let user: TestUser;
  let browser: Browser;
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
  });
  afterAll(() => scene.close());
  beforeEach(async () => {
    user = await makeUser(scene);
    browser = new Browser(scene.app);
  });

  const db = () => scene.database.drizzle;
  const csrfOf = ({ body }: Answer) => formOf(body).fields['csrf'] ?? '';
  const signIn = async (by = browser) =>
    by.submit(await by.get(SECTION), { username: user.username, password: PASSWORD });
  const post = async (path: string, fields: Record<string, string> = {}) =>
    browser.post(`${SECTION}${path}`, { csrf: csrfOf(await browser.get(SECTION)), ...fields });
  const isSignIn = ({ body }: Answer) => body.includes('name="password"');
  const apps = () => db().select().from(secondFactors).where(eq(secondFactors.userId, user.id));
  const now = (app: App) => app.codeAt(scene.clock.now());
  /** With an app, in a browser that proved it. */
  const enrolled = async (): Promise<{ readonly app: App; readonly codes: readonly string[] }> => {
    await signIn();
    const page = await post('/apps/set-up');
    const app = appWith(secretOn(page));
    const codes = recoveryCodesOn(await browser.submit(page, { code: now(app) }));
    scene.clock.advanceSeconds(30);
    return { app, codes };
  };

  it('sets up an app: a wrong code changes nothing, the correct one shows ten codes, once', async () => {
    await signIn();
    const page = await post('/apps/set-up');
    expect(page.body).toMatch(/<svg [^>]*viewBox/);
    const app = appWith(secretOn(page));
    const cookie = browser.cookies.get('__Host-statehouse-session');
    const wrong = await browser.submit(page, { code: '000000' });
    expect(wrong.status).toBe(400);
    expect(wrong.body).toContain('This code is wrong');
    expect(secretOn(wrong)).toBe(secretOn(page));
    expect((await apps()).map(({ state }) => state)).toEqual(['unconfirmed']);
    expect(browser.cookies.get('__Host-statehouse-session')).toBe(cookie);
    const done = await browser.submit(wrong, { code: now(app) });
    const codes = recoveryCodesOn(done);
    expect(codes).toHaveLength(10);
    expect(done.headers['cache-control']).toContain('no-store');
    expect(browser.cookies.get('__Host-statehouse-session')).not.toBe(cookie);
    const after = await browser.get(SECTION);
    for (const code of codes) expect(after.body).not.toContain(code);
    expect(after.body).not.toContain(secretOn(page));
    // The earlier form has expired, and shows no codes again.
    const again = await browser.submit(wrong, { code: now(app) });
    expect(recoveryCodesOn(again)).toEqual([]);
    expect(scene.logs()).not.toContain(codes[0]);
  });

  it('ends a set-up when another begins', async () => {
    await signIn();
    const first = await post('/apps/set-up');
    await post('/apps/set-up');
    const late = await browser.submit(first, { code: now(appWith(secretOn(first))) });
    expect(late.status).toBe(400);
    expect((await apps()).filter(({ state }) => state === 'active')).toEqual([]);
  });

  it('adds and removes nothing by a password alone where a factor exists', async () => {
    await enrolled();
    const [app] = await apps();
    browser = new Browser(scene.app);
    const page = await signIn();
    expect(page.body).toContain('autocomplete="one-time-code"');
    // The password alone is no session yet: every form leads to the sign-in.
    for (const path of ['/apps/set-up', '/apps/remove', '/recovery-codes']) {
      const answer = await browser.post(`${SECTION}${path}`, { csrf: '', id: app?.id ?? '' });
      expect(answer.body).toContain('autocomplete="one-time-code"');
    }
    expect((await apps()).map(({ state }) => state)).toEqual(['active']);
  });

  it('generates new recovery codes, and shows them once; the earlier ones are invalid', async () => {
    const { codes } = await enrolled();
    const made = recoveryCodesOn(await post('/recovery-codes'));
    expect(made).toHaveLength(10);
    expect(made.filter((code) => codes.includes(code))).toEqual([]);
    const page = await browser.get(SECTION);
    for (const code of made) expect(page.body).not.toContain(code);
    const other = new Browser(scene.app);
    expect((await other.submit(await signIn(other), { code: codes[0] ?? '' })).status).toBe(400);
    const another = new Browser(scene.app);
    const answer = await another.submit(await signIn(another), { code: made[0] ?? '' });
    expect(answer.body).toContain('/account/devices');
  });

  it('removes the app, and with it the recovery codes; the password alone signs in again', async () => {
    const { codes } = await enrolled();
    const [app] = await apps();
    const done = await post('/apps/remove', { id: app?.id ?? '' });
    expect(done).toMatchObject({ status: 200, url: `${SECTION}?removed` });
    expect(await apps()).toMatchObject([{ state: 'removed', sealedSecret: null }]);
    const left = await db().select().from(recoveryCodes).where(eq(recoveryCodes.userId, user.id));
    expect(left.map(({ state }) => state)).toEqual(codes.map(() => 'replaced'));
    const other = new Browser(scene.app);
    expect((await signIn(other)).body).toContain('/account/devices');
  });

  it('removes no factor that is missing or belongs to another user', async () => {
    await enrolled();
    const [mine] = await apps();
    const [owner, another] = [user, await makeUser(scene)];
    user = another;
    browser = new Browser(scene.app);
    await enrolled();
    for (const id of [mine?.id ?? '', '00000000-0000-4000-8000-000000000000', 'no id', '']) {
      for (const kind of ['apps', 'passkeys']) {
        const answer = await post(`/${kind}/remove`, { id });
        expect(answer.status).toBe(400);
        expect(answer.body).toContain('It no longer exists');
      }
    }
    user = owner;
    expect((await apps()).map(({ state }) => state)).toEqual(['active']);
  });

  const FORMS = [
    '/passkeys',
    '/passkeys/rename',
    '/passkeys/remove',
    '/apps/set-up',
    '/apps/confirm',
    '/apps/remove',
    '/recovery-codes',
  ];

  it.each(FORMS)('rejects %s without the token of this section and this session', async (path) => {
    await enrolled();
    const other = new Browser(scene.app);
    const [app] = await apps();
    const ofDevices = csrfOf(await browser.get('/account/devices'));
    for (const csrf of ['', 'made up', ofDevices, csrfOf(await other.get('/sign-in'))]) {
      const answer = await browser.post(`${SECTION}${path}`, { csrf, id: app?.id ?? '', code: '000000' });
      expect(answer.status).toBe(403);
    }
    expect((await apps()).map(({ state }) => state)).toEqual(['active']);
  });

  it.each(FORMS)('requires a recent sign-in before %s', async (path) => {
    await enrolled();
    const [app] = await apps();
    const csrf = csrfOf(await browser.get(SECTION));
    scene.clock.advanceSeconds(shippedConfiguration.signIn.recentSignInSeconds + 1);
    expect(isSignIn(await browser.get(SECTION))).toBe(true);
    const answer = await browser.post(`${SECTION}${path}`, { csrf, id: app?.id ?? '' });
    expect(isSignIn(answer)).toBe(true);
    expect((await apps()).map(({ state }) => state)).toEqual(['active']);
  });

  describe('the last passkey of a user without a password', () => {
    const withoutPassword = async () => {
      const [before] = await db().select().from(users).where(eq(users.id, user.id));
      if (!before) throw new Error('no such end-user');
      const after = { ...before, passwordHash: '', macVersion: before.macVersion + 1n };
      const { passwordHash, macVersion } = after;
      const mac = testMacs.macOf(...userFacts(after));
      await db().update(users).set({ passwordHash, macVersion, mac }).where(eq(users.id, user.id));
    };
    const states = async () =>
      (await db().select().from(passkeys).where(eq(passkeys.userId, user.id))).map(({ state }) => state).toSorted();
    const signInWith = async (authenticator: Awaited<ReturnType<typeof registeredPasskey>>) => {
      const page = await browser.get(SECTION);
      await browser.post('/sign-in/passkey?then=sign-in-methods', {
        csrf: csrfOf(page),
        credential: authenticator.sign(page),
      });
    };

    it('stays, and the page explains what to do', async () => {
      const authenticator = await registeredPasskey(scene, user);
      await withoutPassword();
      await signInWith(authenticator);
      const answer = await post('/passkeys/remove', { id: authenticator.id });
      expect(answer.status).toBe(400);
      expect(answer.body).toContain('your only way to sign in');
      expect(await states()).toEqual(['active']);
    });

    it('stays beside an authenticator app, which needs a password before it', async () => {
      await enrolled();
      const authenticator = await registeredPasskey(scene, user);
      await withoutPassword();
      expect((await post('/passkeys/remove', { id: authenticator.id })).body).toContain('your only way to sign in');
      expect(await states()).toEqual(['active']);
    });

    it.each([
      ['a password', async () => {}],
      [
        'a linked identity',
        async () => {
          await withoutPassword();
          await db().insert(linkedIdentities).values({
            id: crypto.randomUUID(),
            userId: user.id,
            issuer: 'https://login.example',
            subject: user.id,
            provider: 'company',
            linkedAt: scene.clock.now(),
            state: 'active',
          });
        },
      ],
      [
        'another passkey',
        async () => {
          await withoutPassword();
          await registeredPasskey(scene, user);
        },
      ],
    ] as const)('is removed where the user has %s', async (_, other) => {
      const authenticator = await registeredPasskey(scene, user);
      await other();
      await signInWith(authenticator);
      expect(await post('/passkeys/remove', { id: authenticator.id })).toMatchObject({ url: `${SECTION}?removed` });
      expect(await states()).toContain('removed');
    });
  });
});
