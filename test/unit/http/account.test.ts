/** /account: its access, its sections, and the redirect to sign-in and back. */
import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SECTIONS } from '../../../src/http/account/sections.ts';
import { transitions } from '../../../src/storage/schema.ts';
import { makeUser, obtainTokens, PASSWORD, type TestUser } from '../../support/actors.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { Browser, formOf } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { keptMails } from '../../support/mails.ts';
import { policyWithoutScripts } from '../../support/page-policy.ts';
import { openScene, type Scene } from '../../support/scene.ts';

/** As the shipped configuration has them. */
const THERE = SECTIONS.filter(({ isAvailable }) =>
  isAvailable({ configuration: shippedConfiguration, sendsMail: true }),
);

describe('/account', () => {
  let scene: Scene;
  let user: TestUser;
  let browser: Browser;
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { mail: keptMails() });
  });
  afterAll(() => scene.close());
  beforeEach(async () => {
    user = await makeUser(scene);
    browser = new Browser(scene.app);
  });
  const signIn = async (by: Browser = browser, path = '/account') =>
    by.submit(await by.get(path), { username: user.username, password: PASSWORD });

  it('links to every section, with a description of each', async () => {
    const overview = await signIn();
    expect(overview).toMatchObject({ status: 200, url: '/account' });
    expect(overview.body).toContain('<h1>Your account</h1>');
    for (const { path } of THERE) {
      expect(overview.body).toContain(`href="${path}"`);
      const section = await browser.get(path);
      expect(section).toMatchObject({ status: 200, url: path });
      expect(section.body).toContain(`href="${path}" aria-current="page"`);
      expect(section.body).toContain(`<strong>${user.username}</strong>`);
      // The fields of passwords have a button that shows them.
      expect(section.body.includes('<script'), path).toBe(path === '/account/password');
      policyWithoutScripts(section);
      expect(section.headers['cache-control']).toBe('no-store');
      expect(section.headers['x-frame-options']).toBe('DENY');
    }
  });
  it.each(THERE.map(({ path }) => path))('%s is shown after the sign-in', async (path) => {
    expect(await signIn(browser, path)).toMatchObject({ status: 200, url: path });
  });
  it('has no other pages, no HEAD, and no forms by GET', async () => {
    await signIn();
    for (const path of ['/account/nothing', '/account/devices/end', '/account/device%73', '/account/']) {
      expect((await browser.get(path)).status).toBe(404);
    }
    expect((await scene.app.inject({ method: 'HEAD', url: '/account' })).statusCode).toBe(404);
  });

  describe('devices', () => {
    const devicesOf = async (by: Browser) => {
      const { body } = await by.get('/account/devices');
      return body.split('<li>\n<p><strong>').length - 1;
    };
    it('shows each session, and how it began', async () => {
      await signIn();
      await signIn(new Browser(scene.app));
      const { body } = await browser.get('/account/devices');
      expect(await devicesOf(browser)).toBe(2);
      expect(body.split('with a password, last used on').length - 1).toBe(2);
      expect(body.split('(this browser)').length - 1).toBe(1);
    });
    it('ends all others together, and none of another user', async () => {
      const others = Array.from({ length: 3 }, () => new Browser(scene.app));
      for (const other of others) await signIn(other);
      const stranger = new Browser(scene.app);
      const bob = await makeUser(scene);
      await stranger.submit(await stranger.get('/account'), { username: bob.username, password: PASSWORD });
      await signIn();
      const page = await browser.get('/account/devices');
      const csrf = formOf(page.body).fields['csrf'] ?? '';
      const done = await browser.post('/account/devices/end-others', { csrf });
      expect(done.url).toBe('/account/devices?ended-others');
      expect(done.body).toContain('Signed out everywhere else');
      expect(await devicesOf(browser)).toBe(1);
      for (const other of others) expect((await other.get('/account')).body).toContain('name="password"');
      const lines = await scene.database.drizzle
        .select()
        .from(transitions)
        .where(and(eq(transitions.actor, `end_user ${user.id}`), eq(transitions.reason, 'ended_by_user')));
      expect(lines).toHaveLength(3);
      expect(await stranger.get('/account')).toMatchObject({ url: '/account' });
    });
    it('ends none by a form of another section, of another session, or without a token', async () => {
      const other = new Browser(scene.app);
      await signIn(other);
      await signIn();
      await obtainTokens(scene, scene.client, user);
      const ofApps = formOf((await browser.get('/account/apps')).body).fields['csrf'] ?? '';
      const ofOther = formOf((await other.get('/account/devices')).body).fields['csrf'] ?? '';
      for (const csrf of [ofApps, ofOther, '']) {
        expect((await browser.post('/account/devices/end-others', { csrf })).status).toBe(403);
      }
      expect((await other.get('/account')).url).toBe('/account');
    });
  });

  describe('apps', () => {
    it('shows the allowed clients, and revokes one', async () => {
      await obtainTokens(scene, scene.client, user);
      await signIn();
      const page = await browser.get('/account/apps');
      expect(page.body).toContain(scene.client.clientName);
      const ended = await browser.submit(page, {});
      expect(ended.url).toBe('/account/apps?ended');
      expect(ended.body).toContain('role="status"');
      expect(ended.body).toContain('You have not allowed any app');
    });
  });
});

it('the account stays below the path of the issuer', async () => {
  const scene = await openScene(anyDatabase, { issuer: 'https://as.test/tenant', configuration: shippedConfiguration });
  const browser = new Browser(scene.app);
  const question = await browser.get('/tenant/account/devices');
  expect(formOf(question.body).action).toBe('/tenant/sign-in?then=devices');
  const page = await browser.submit(question, { username: scene.user.username, password: PASSWORD });
  expect(page.url).toBe('/tenant/account/devices');
  expect([...page.body.matchAll(/(?:href|action)="([^"]*)"/g)].every(([, to]) => to?.startsWith('/tenant/'))).toBe(
    true,
  );
  await scene.close();
});
