/** A person looks after their account, in a real browser: password, devices, data, erasure. */
import { readFile } from 'node:fs/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeClient, makeUser, obtainTokens, PASSWORD, type TestUser } from '../support/actors.ts';
import type { TestApp } from '../support/app.ts';
import { chromiumPath, launchChromium, newContext } from '../support/chromium.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { listen } from '../support/listening.ts';
import { takePicture } from '../support/picture.ts';

const SMALL_DARK = { colorScheme: 'dark', viewport: { width: 320, height: 640 } } as const;
const NEW = 'quite another battery staple';

describe.skipIf(chromiumPath === null)('an account in a real browser', () => {
  let opened: TestDatabase;
  let test: TestApp;
  let browser: Browser;
  let user: TestUser;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    opened = await openTestDatabase('postgres');
    test = await listen(opened.database);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await test?.app.close();
    await opened?.close();
  });
  beforeEach(async () => {
    user = await makeUser(test);
    context = await newContext(browser);
    page = await context.newPage();
  });
  afterEach(() => context.close());

  const look = (name: string) => takePicture(page, name);
  const heading = (name: string) => page.getByRole('heading', { name, exact: true, level: 1 }).waitFor();
  const signIn = async (password = PASSWORD) => {
    await page.getByLabel('Username').fill(user.username);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  const open = async (path: string) => page.goto(`${test.issuer}${path}`);
  const section = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true }).click();

  it('signs out the other device, and not this one, when the password changes', async () => {
    const elsewhere = await newContext(browser);
    const other = page;
    page = await elsewhere.newPage();
    await open('/account');
    await signIn();
    await heading('Your account');
    const device = page;
    page = other;
    await open('/account');
    await signIn();
    await heading('Your account');
    await look('account');
    await section('Where you are signed in');
    expect(await page.getByText('with a password, last used').count()).toBe(2);
    await look('account-devices');
    await section('Password');
    await page.getByLabel('Your current password').fill('not it');
    await page.getByLabel('New password', { exact: true }).fill(NEW);
    await page.getByLabel('Repeat the new password').fill(NEW);
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByRole('alert').waitFor();
    await look('account-password-refused');
    await page.getByLabel('Your current password').fill(PASSWORD);
    await page.getByLabel('New password', { exact: true }).fill(NEW);
    await page.getByLabel('Repeat the new password').fill(NEW);
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByRole('status').waitFor();
    await look('account-password-changed');
    await device.reload();
    await device.getByLabel('Username').waitFor();
    await section('Where you are signed in');
    expect(await page.getByText('with a password, last used').count()).toBe(1);
    await elsewhere.close();
  });

  it('edits the name: a refused one says why beside its field, and UserInfo has the saved one', async () => {
    const client = await makeClient(test);
    const { accessToken } = await obtainTokens(test, client, user, { scope: 'openid profile' });
    const userInfo = async (): Promise<unknown> => {
      const answer = await fetch(`${test.issuer}/oauth/userinfo`, {
        headers: { authorization: `Bearer ${accessToken}` },
      });
      return answer.json();
    };
    await open('/account');
    await signIn();
    await heading('Your account');
    await section('Your profile');
    await heading('Your profile');
    await page.getByLabel('Full name').fill('<script>alert(1)</script>');
    await page.getByLabel('Nickname').fill('Ada');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Full name').getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByText('without < and >').isVisible()).toBe(true);
    expect(await page.getByLabel('Nickname').inputValue()).toBe('Ada');
    expect(await userInfo()).not.toHaveProperty('name');
    await look('account-profile-refused');
    await page.getByLabel('Full name').fill('Ada Lovelace');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').waitFor();
    await look('account-profile-saved');
    expect(await userInfo()).toMatchObject({ sub: user.id, name: 'Ada Lovelace', nickname: 'Ada' });
  });

  it('asks for a recent sign-in, returns to the page, and downloads the stored data', async () => {
    await open('/account');
    await signIn();
    await heading('Your account');
    test.clock.advanceSeconds(601);
    await section('Your data');
    await page.getByText('Sign in again to continue').waitFor();
    expect(await page.getByLabel('Username').inputValue()).toBe(user.username);
    await look('account-sign-in-again');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await heading('Your data');
    await look('account-data');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download my data' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('account.json');
    expect(JSON.parse(await readFile(await download.path(), 'utf8'))).toMatchObject({
      account: { username: user.username },
    });
  });

  it('deletes the account without JavaScript on a small dark screen, and offers no way back into it', async () => {
    await context.close();
    context = await newContext(browser, { javaScriptEnabled: false, ...SMALL_DARK });
    page = await context.newPage();
    await open('/account/delete');
    await signIn();
    await heading('Delete your account');
    await look('account-delete-small-dark');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    await page.getByRole('textbox').fill('another user');
    await page.getByRole('button', { name: 'Delete my account' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByRole('textbox').fill(user.username);
    await page.getByRole('button', { name: 'Delete my account' }).click();
    await heading('Your account is deleted');
    await look('account-deleted-small-dark');
    await page.goto(`${test.issuer}/account`);
    await page.getByLabel('Username').waitFor();
    await signIn();
    await page.getByRole('alert').waitFor();
  });

  it('shows no account data after a sign-out and the back button, and its forms change nothing', async () => {
    await open('/account/devices');
    await signIn();
    await heading('Where you are signed in');
    await page.getByRole('link', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await page.goBack();
    await page.goBack();
    await page.getByLabel('Username').waitFor();
  });

  it('fits a phone in every section, and in German for German readers', async () => {
    await context.close();
    context = await newContext(browser, { ...SMALL_DARK, locale: 'de-DE' });
    page = await context.newPage();
    await open('/account/delete');
    await page.getByLabel('Benutzername').fill(user.username);
    await page.getByLabel('Passwort').fill(PASSWORD);
    await page.getByRole('button', { name: 'Anmelden' }).click();
    for (const path of ['', '/profile', '/password', '/devices', '/apps', '/data', '/delete']) {
      await open(`/account${path}`);
      expect(await page.evaluate('document.documentElement.lang')).toBe('de');
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
      await look(`account${path.replace('/', '-')}-small-dark-german`);
    }
  });
});
