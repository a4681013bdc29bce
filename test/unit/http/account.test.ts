/** /account: its access, its sections, and the redirect to sign-in and back. */
import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SECTIONS } from '../../../src/http/account/sections.ts';
import { passkeys, transitions } from '../../../src/storage/schema.ts';
import {
  authorizeUrl,
  exchange,
  goThrough,
  makePkce,
  makeUser,
  obtainTokens,
  PASSWORD,
  refresh,
  type TestUser,
} from '../../support/actors.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { Browser, formOf } from '../../support/browser.ts';
import { anyDatabase } from '../../support/database.ts';
import { enrol } from '../../support/factors.ts';
import { keptMails } from '../../support/mails.ts';
import { policyWithoutScripts } from '../../support/page-policy.ts';
import { registeredPasskey } from '../../support/registered-passkey.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { revoke } from '../../support/sent-token.ts';

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

  describe('at a glance', () => {
    const at = async (path: string) => {
      const { body } = await browser.get('/account');
      const item = new RegExp(`<h2><a href="${path}">[\\s\\S]*?</li>`).exec(body)?.[0] ?? '';
      return item.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
    };

    it('shows the state of a new account, and the next step', async () => {
      await signIn();
      expect(await at('/account/profile')).toContain('Apps see no name of you yet.');
      expect(await at('/account/password')).toContain('You have a password.');
      expect(await at('/account/sign-in-methods')).toContain('You have none. Add a passkey');
      expect((await browser.get('/account')).body).toContain('href="/account/sign-in-methods/passkey"');
      expect(await at('/account/devices')).toContain('Signed in in one browser.');
      expect(await at('/account/devices')).toMatch(/Last sign-in: A browser, .* with a password\./);
      expect(await at('/account/apps')).toContain('No app has access.');
      expect(await at('/account/email')).toContain('no e-mail address');
    });

    it('counts the rows of this end-user alone', async () => {
      const bob = await makeUser(scene);
      await registeredPasskey(scene, bob);
      await enrol(scene, new Browser(scene.app), bob);
      await enrol(scene, browser, user);
      await registeredPasskey(scene, user);
      await registeredPasskey(scene, user);
      const removed = await registeredPasskey(scene, user);
      await scene.database.drizzle
        .update(passkeys)
        .set({ state: 'removed', removedAt: scene.clock.now(), publicKey: null })
        .where(eq(passkeys.id, removed.id));
      const { clientId } = scene.client;
      for (const client of [scene.client, scene.other, scene.other]) {
        await goThrough(browser, authorizeUrl(client, makePkce()), user);
      }
      const methods = await at('/account/sign-in-methods');
      expect(methods).toContain('2 passkeys.');
      expect(methods).toMatch(/Authenticator app since .* 20\d\d\s?\./);
      expect(methods).toContain('10 recovery codes are left.');
      expect(await at('/account/apps')).toContain('2 apps have access.');
      const csrf = formOf((await browser.get('/account/apps')).body).fields['csrf'] ?? '';
      await browser.post('/account/apps/end', { csrf, client_id: clientId });
      expect(await at('/account/apps')).toContain('One app has access.');
      expect(await at('/account/devices')).toMatch(
        /with a password and a one-time code\.|one-time code and a password/,
      );
    });

    it('a remembered consent is no access', async () => {
      const { refreshToken } = await obtainTokens(scene, scene.client, user);
      await signIn();
      expect(await at('/account/apps')).toContain('One app has access.');
      await revoke(scene, scene.client, refreshToken);
      expect(await at('/account/apps')).toContain('No app has access.');
      expect((await browser.get('/account/apps')).body).toContain(scene.client.clientName);
    });

    it('has the initials of the name, which is escaped, and the image of no other server', async () => {
      user = await makeUser(scene, undefined, {
        name: '<b>ada</b> king lovelace',
        picture: 'https://pictures.example/ada.png',
      });
      const { body } = await signIn();
      expect(body).toContain('data-initials="BL"');
      expect(body).toContain('&#60;b&#62;ada');
      expect(body).not.toContain('pictures.example');
      expect(body).not.toContain('<img');
    });
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
    it('shows the devices of an app apart, and ends the chain of one', async () => {
      const chainOn = async (system: string) => {
        const by = new Browser(scene.app, '198.51.100.7', { 'user-agent': `Mozilla/5.0 (${system}) Firefox/140.0` });
        const pkce = makePkce();
        const { url } = await goThrough(by, authorizeUrl(scene.client, pkce), user);
        const code = { code: new URL(url).searchParams.get('code') ?? '', verifier: pkce.verifier };
        return (await exchange(scene, scene.client, code)).json.refresh_token ?? '';
      };
      const laptop = await chainOn('X11; Linux x86_64; rv:140.0');
      const one = await signIn(browser, '/account/apps');
      expect(one.body).not.toContain('/account/apps/end-one');
      scene.clock.advanceSeconds(120);
      const phone = await chainOn('Android 15; Mobile; rv:140.0');
      const page = await browser.get('/account/apps');
      const devices = [...page.body.matchAll(/<li>\n<p><strong>(.*?)<\/strong>[\s\S]*?name="grant" value="(.*?)"/g)];
      expect(devices.map(([, name]) => name)).toEqual(['Firefox on Android', 'Firefox on Linux']);
      const [csrf, client_id] = [formOf(page.body).fields['csrf'] ?? '', scene.client.clientId];
      const ended = await browser.post('/account/apps/end-one', { csrf, client_id, grant: devices[0]?.[2] ?? '' });
      expect(ended.url).toBe('/account/apps?ended-one');
      expect(ended.body).toContain('Ended on that device.');
      expect((await refresh(scene, scene.client, phone)).json.error).toBe('invalid_grant');
      expect((await refresh(scene, scene.client, laptop)).status).toBe(200);
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
