/** Mails in the console: their preview in a frame that can do nothing, and a test to the operator's own address. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { makeUser } from '../../support/actors.ts';
import { shippedConfiguration } from '../../support/app.ts';
import type { Browser } from '../../support/browser.ts';
import {
  type ConsoleApp,
  consoleBrowser,
  formTo,
  OPERATOR_ADDRESS,
  openConsoleApp,
  openPage,
} from '../../support/console.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { keptMails } from '../../support/mails.ts';

const TEST = '/console/mails/test';
const LOGO = { hash: 'a-hash', type: 'image/png', bytes: Buffer.from('a logo') } as const;
const branding = { ...shippedConfiguration.branding, organization: '<b>Example</b>', mailLogo: LOGO };

let opened: TestDatabase;
let test: ConsoleApp;
let browser: Browser;
const mails = keptMails();
beforeAll(async () => {
  opened = await openTestDatabase(anyDatabase);
  test = await openConsoleApp(opened.database, { configuration: { ...shippedConfiguration, branding }, mail: mails });
  mails.of(test);
  browser = consoleBrowser(test);
  await openPage(browser, test.operator);
});
afterAll(async () => {
  await test?.app.close();
  await opened?.close();
});

describe('mails in the console', () => {
  it('are below the configuration', async () => {
    expect((await browser.get('/console/configuration')).body).toContain('href="/console/mails"');
    const { status, body } = await browser.get('/console/mails');
    expect(status).toBe(200);
    expect(body).toContain('aria-current="page">Configuration');
  });

  it('are chosen by kind and language, in a form that a browser sends by itself', async () => {
    const { body } = await browser.get('/console/mails?kind=reset_password&language=fr');
    expect(body).toContain('<form method="get" action="/console/mails"');
    expect(body).toContain('<option value="reset_password" selected>');
    expect(body).toContain('<option value="fr" selected>French (fr)</option>');
    expect(body).toContain('Un nouveau mot de passe');
    expect(body).toMatch(/<pre class="mail" lang="fr">Bonjour alice,/);
    expect(body).not.toContain('<b>Example</b>');
  });

  it('have their HTML in a sandbox that runs nothing, loads nothing and leads nowhere', async () => {
    const page = await browser.get('/console/mails?kind=sign_up&language=ar');
    const [, attributes = ''] = /<iframe ([^>]*)>/.exec(page.body) ?? [];
    expect(attributes).toContain(' sandbox ');
    expect(page.headers['content-security-policy']).toContain('frame-src https://as.test/console/mails/content;');
    const source = /src="([^"]*)"/.exec(attributes)?.[1]?.replaceAll('&#61;', '=').replaceAll('&#38;', '&') ?? '';
    const { status, headers, body } = await browser.get(source);
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; style-src-attr 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox",
    );
    expect(headers['x-frame-options']).toBe('SAMEORIGIN');
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toContain('dir="rtl"');
    expect(body).toContain('src="data:image/png;base64,');
    expect(body).toContain('&#60;b&#62;Example');
    expect(body).not.toMatch(/<script|<style|<link|cid:/);
  });

  it('frame nothing on any other page', async () => {
    const { headers } = await browser.get('/console/configuration');
    expect(headers['content-security-policy']).not.toContain('frame-src');
    expect(headers['x-frame-options']).toBe('DENY');
  });

  it('are sent as a test to the verified address of the operator, and to no address of the form', async () => {
    const page = await browser.get('/console/mails?kind=invitation&language=de');
    expect(page.body).toContain(`<bdi>${OPERATOR_ADDRESS}</bdi>`);
    const form = { ...formTo(page, TEST), to: 'stranger@example.com', email: 'stranger@example.com' };
    const done = await browser.post(TEST, form);
    expect(done.url).toBe('/console/mails?kind=invitation&language=de&done=test-mailed');
    expect(done.body).toContain('The server sends the test within a second or two');
    // The same form again, as after a double click, sends no second mail.
    await browser.post(TEST, form);
    expect(await mails.to(OPERATOR_ADDRESS)).toMatchObject([{ language: 'de', subject: expect.stringMatching(/\w/) }]);
    expect(await mails.to('stranger@example.com')).toEqual([]);
  });

  it('show an auditor everything, and offer no test', async () => {
    test.setOperators({ auditors: ['vera'] });
    const vera = await makeUser(test, 'vera', { email: 'vera@example.com', email_verified: true });
    const { body } = await openPage(consoleBrowser(test), vera, '/console/mails');
    test.setOperators({});
    expect(body).toContain('<iframe class="mail"');
    expect(body).not.toContain(`action="${TEST}"`);
  });

  it('offer no test without a verified address', async () => {
    test.setOperators({ operators: ['olga', 'uma'] });
    const uma = await makeUser(test, 'uma', { email: 'uma@example.com', email_verified: false });
    const { body } = await openPage(consoleBrowser(test), uma, '/console/mails');
    test.setOperators({});
    expect(body).toContain('A test goes to your own verified address, and you have none');
    expect(body).not.toContain(`action="${TEST}"`);
  });

  it('report an unknown mail or language', async () => {
    for (const rest of ['', '/content']) {
      expect((await browser.get(`/console/mails${rest}?kind=sing_up&language=en`)).status).toBe(404);
      expect((await browser.get(`/console/mails${rest}?kind=sign_up&language=tlh`)).status).toBe(400);
    }
  });
});

it('a server without mails says so, and offers no test', async () => {
  const other = await openTestDatabase(anyDatabase);
  const silent = await openConsoleApp(other.database);
  onTestFinished(async () => {
    await silent.app.close();
    await other.close();
  });
  const browsing = consoleBrowser(silent);
  const page = await openPage(browsing, silent.operator, '/console/mails?kind=sign_up');
  expect(page.body).toContain('This server sends no mails');
  expect(page.body).toContain('<iframe class="mail"');
  expect(page.body).not.toContain(`action="${TEST}"`);
  const form = { ...formTo(page, '/console/sign-out'), kind: 'sign_up', language: 'en' };
  expect((await browsing.post(TEST, form)).status).toBe(409);
});
