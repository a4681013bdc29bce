/** The console depends on the session of its browser, and requires a recent sign-in before irreversible actions. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CONSOLE_CLIENT_ID } from '../../../src/config/own-clients.ts';
import { endSessionByAdministrator } from '../../../src/lifecycles/session/lifecycle.ts';
import { consoleSessions, grants, sessions } from '../../../src/storage/schema.ts';
import { makeUser, PASSWORD, type TestUser } from '../../support/actors.ts';
import { type Answer, type Browser, formOf } from '../../support/browser.ts';
import { type ConsoleApp, consoleBrowser, formTo, openConsoleApp, openPage } from '../../support/console.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { enrol } from '../../support/factors.ts';

const RECENT_SECONDS = 600;

let opened: TestDatabase;
let test: ConsoleApp;
let bob: TestUser;
beforeAll(async () => {
  opened = await openTestDatabase(anyDatabase);
  test = await openConsoleApp(opened.database);
});
afterAll(async () => {
  await test?.app.close();
  await opened?.close();
});
beforeEach(async () => {
  await test.database.drizzle.delete(consoleSessions);
  await test.database.drizzle.delete(sessions);
  bob = await makeUser(test);
});

const rows = () => test.database.drizzle.select().from(consoleSessions);
const stored = async (username: string) => test.deps.users.findForSignIn(username);
const endOthers = async (browser: Browser): Promise<Answer> => {
  const page = await browser.get('/account/devices');
  return browser.post('/account/devices/end-others', { csrf: formOf(page.body).fields['csrf'] ?? '' });
};
const signedIn = async (username: string): Promise<Browser> => {
  const browser = consoleBrowser(test);
  await browser.submit(await browser.get('/sign-in'), { username, password: PASSWORD });
  return browser;
};

describe('the end of a session', () => {
  const ends: Readonly<Record<string, () => Promise<unknown>>> = {
    'of all others, from another browser': async () => endOthers(await signedIn(test.operator.username)),
    'by an administrator': async () => {
      const [row] = await test.database.drizzle.select().from(sessions);
      const key = { sid: row?.sid ?? '', userId: test.operator.id };
      const lifetimes = () => test.deps.configuration().signIn;
      const ports = { sessions: test.deps.sessions, sleep: async () => {}, lifetimes };
      return endSessionByAdministrator(ports, key, { kind: 'operator', id: 'x', addressHash: null });
    },
  };
  it.each(Object.keys(ends))('%s ends the console of its browser: page, form, row and token', async (how) => {
    const browser = consoleBrowser(test);
    await openPage(browser, test.operator);
    const page = await browser.get(`/console/end-user/disable?id=${bob.id}`);
    const form = formTo(page, '/console/end-user/disable');
    await ends[how]?.();
    expect((await browser.post('/console/end-user/disable', form)).status).not.toBe(200);
    expect((await stored(bob.username))?.disabledAt).toBeNull();
    expect(await rows()).toEqual([]);
    expect((await browser.get('/console')).body).toContain('name="password"');
    const ofConsole = (await test.database.drizzle.select().from(grants)).filter(
      ({ clientId }) => clientId === CONSOLE_CLIENT_ID,
    );
    expect(ofConsole.map(({ state }) => state)).not.toContain('active');
  });

  it('of all others ends a sign-in that awaits its second factor', async () => {
    const owner = consoleBrowser(test);
    const { app } = await enrol(test, owner, bob);
    const thief = await signedIn(bob.username);
    const page = await thief.get('/sign-in/factor');
    expect(page.body).toContain('name="code"');
    await endOthers(owner);
    test.clock.advanceSeconds(30);
    const late = await thief.submit(page, { code: app.codeAt(test.clock.now()) });
    expect(late.url).toBe('/sign-in');
    expect((await thief.get('/account')).url).not.toBe('/account');
  });
});

describe('a sign-in that is too old', () => {
  it.each([
    ['/console/end-user/password', { password: 'another long passphrase' }],
    ['/console/end-user/delete', {}],
  ] as const)('is renewed before %s, and the browser returns to the form', async (path, fields) => {
    const browser = consoleBrowser(test);
    await openPage(browser, test.operator);
    const url = `${path}?id=${bob.id}`;
    const form = { ...formTo(await browser.get(url), path), ...fields };
    test.clock.advanceSeconds(RECENT_SECONDS + 1);
    const before = await stored(bob.username);

    const asked = await browser.post(path, form);
    expect(asked.body).toContain('name="password"');
    expect(await stored(bob.username)).toEqual(before);
    const back = await browser.submit(asked, { username: test.operator.username, password: PASSWORD });
    const { pathname, search } = new URL(back.url);
    expect(pathname).toBe('/console/callback');
    const formAgain = await browser.get(`${pathname}${search}`);
    expect(formAgain.url).toBe(url);
    expect(formTo(formAgain, path)['id']).toBe(bob.id);

    test.clock.advanceSeconds(RECENT_SECONDS + 1);
    expect((await browser.get(url)).body).toContain('autocomplete="current-password"');
  });

  it('is renewed before a key is revoked and a client deleted', async () => {
    const browser = consoleBrowser(test);
    await openPage(browser, test.operator);
    test.clock.advanceSeconds(RECENT_SECONDS + 1);
    for (const path of ['/console/key/revoke?id=x', '/console/client/delete?id=x'])
      expect((await browser.get(path)).body).toContain('autocomplete="current-password"');
  });
});
