/** One account in a real browser, from the import of another system's hash to its deletion, with everything lost in between. */
import { hash } from '@node-rs/bcrypt';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PasswordHash, storedPasswordHash } from '../../src/crypto/secret-types.ts';
import { findRegisteredUser } from '../../src/storage/users.ts';
import { insertUser } from '../support/administration.ts';
import { shippedConfiguration, type TestApp } from '../support/app.ts';
import { addAuthenticator, chromiumPath, launchChromium, newContext } from '../support/chromium.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { appWith } from '../support/factors.ts';
import { listen } from '../support/listening.ts';
import { testMacs } from '../support/macs.ts';
import { keptMails, type Mails } from '../support/mails.ts';
import { takePicture } from '../support/picture.ts';

const USER = { id: '7c0d2a51-6a0f-4a55-9a4e-0d8f3c1b2e77', username: 'mira', email: 'mira@example.com' };
const PASSWORD = 'correct horse battery staple';
const NEW = 'quite another battery staple';
const SCREENS = [
  ['light', 1280, 800],
  ['dark', 1280, 800],
  ['light', 390, 844],
  ['dark', 390, 844],
] as const;

describe.skipIf(chromiumPath === null)('an account from sign-up to deletion, in a real browser', () => {
  let opened: TestDatabase;
  let test: TestApp;
  let mails: Mails;
  let browser: Browser;
  beforeAll(async () => {
    opened = await openTestDatabase('postgres');
    mails = keptMails();
    // The policies are those that are shipped.
    test = await listen(opened.database, { configuration: shippedConfiguration, mail: mails });
    mails.of(test);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await test?.app.close();
    await opened?.close();
  });

  const open = (page: Page, path: string) => page.goto(`${test.issuer}${path}`);
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true, level: 1 }).waitFor();
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const follow = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click();
  const section = (page: Page, name: string) =>
    page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  async function signIn(page: Page, password = PASSWORD): Promise<void> {
    await page.getByLabel('Username').fill(USER.username);
    await page.getByLabel('Password').fill(password);
    await press(page, 'Sign in');
  }
  /** Nothing is wider than a phone. */
  async function look(page: Page, name: string): Promise<void> {
    for (const [colorScheme, width, height] of SCREENS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height });
      expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBeLessThanOrEqual(width);
      await takePicture(page, `life-${name}-${colorScheme}-${width}`);
    }
  }
  const devices = async (page: Page) => {
    await section(page, 'Where you are signed in');
    await heading(page, 'Where you are signed in');
    return page.getByText(/, last used/).count();
  };

  it('signs in with an imported hash, recovers by e-mail from the loss of every credential, and is deleted', async () => {
    const imported = storedPasswordHash(await hash(PASSWORD, 4));
    const claims = { email: USER.email, email_verified: true };
    await insertUser(test.database.drizzle, { id: USER.id, username: USER.username, passwordHash: imported, claims });
    const storedHash = async (): Promise<PasswordHash | undefined> =>
      (await findRegisteredUser(test.database.drizzle, testMacs, USER.id))?.passwordHash;

    const contexts: BrowserContext[] = [];
    const newDevice = async (): Promise<Page> => {
      const context = await newContext(browser);
      contexts.push(context);
      return context.newPage();
    };
    const laptop = await newDevice();
    await open(laptop, '/account');
    await look(laptop, '01-sign-in');
    await signIn(laptop);
    await heading(laptop, 'Your account');
    expect(await storedHash()).toMatch(/^\$argon2id\$/);

    // A second factor, and a passkey.
    const { device, authenticatorId } = await addAuthenticator(laptop);
    await section(laptop, 'How you sign in');
    await look(laptop, '02-methods-none');
    await press(laptop, 'Set up an authenticator app');
    await heading(laptop, 'Set up an authenticator app');
    await look(laptop, '03-app');
    const app = appWith(((await laptop.locator('#secret').textContent()) ?? '').replaceAll(' ', ''));
    await laptop.getByLabel('The code that the app shows now').fill(app.codeAt(test.clock.now()));
    await press(laptop, 'Confirm');
    await heading(laptop, 'Your recovery codes');
    await look(laptop, '04-recovery-codes');
    await follow(laptop, 'I have saved them');
    await follow(laptop, 'Add a passkey');
    await laptop.getByLabel('Name').fill('Laptop');
    await press(laptop, 'Create the passkey');
    await laptop.getByText('Laptop', { exact: true }).waitFor();
    await look(laptop, '05-methods');
    expect((await mails.to(USER.email)).map(({ subject }) => subject)).toEqual([
      'A second factor was added',
      'A passkey was added',
    ]);

    // The laptop is gone, and with it the passkey, the app and the codes. It is still signed in.
    await device.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });

    const phone = await newDevice();
    await open(phone, '/account');
    await signIn(phone);
    await heading(phone, 'Confirm that it is you');
    await look(phone, '06-second-factor');
    await follow(phone, 'Lost all of these?');
    await heading(phone, 'Lost your second factor?');
    await look(phone, '07-lost');
    await press(phone, 'Send the mail');
    await heading(phone, 'Check your mailbox');
    await look(phone, '08-lost-asked');
    const link = await mails.link(USER.email);

    // Access to the mailbox without the password does not open the account.
    const thief = await newDevice();
    await open(thief, link);
    await press(thief, 'Remove them');
    await heading(thief, 'This link has no effect');
    await look(thief, '09-link-without-password');

    await open(phone, link);
    await heading(phone, 'Remove your lost factors');
    await look(phone, '10-link');
    await press(phone, 'Remove them');
    await phone.getByRole('status').waitFor();
    await look(phone, '11-removed');
    expect((await mails.to(USER.email)).at(-1)?.subject).toBe('Your second factor was removed');
    await follow(phone, 'To the sign-in');
    await signIn(phone);
    await heading(phone, 'Your account');
    expect(await devices(phone)).toBe(1);
    await section(phone, 'How you sign in');
    await phone.getByText('You have no passkey.').waitFor();
    await phone.getByText('You have no authenticator app.').waitFor();

    // Every earlier session and token has ended.
    await laptop.reload();
    await laptop.getByLabel('Username').waitFor();
    await open(phone, link);
    await heading(phone, 'This link has no effect');
    await look(phone, '12-link-used');

    // The other device is signed in again, and the change of the password signs it out.
    await signIn(laptop);
    await laptop.getByRole('navigation').waitFor();
    await open(phone, '/account/devices');
    expect(await devices(phone)).toBe(2);
    await look(phone, '13-two-devices');
    await section(phone, 'Password');
    await phone.getByLabel('Your current password').fill(PASSWORD);
    await phone.getByLabel('New password', { exact: true }).fill(NEW);
    await phone.getByLabel('Repeat the new password').fill(NEW);
    await press(phone, 'Change the password');
    await phone.getByRole('status').waitFor();
    await look(phone, '14-password-changed');
    expect(await devices(phone)).toBe(1);
    await look(phone, '15-one-device');
    await laptop.reload();
    await laptop.getByLabel('Username').waitFor();
    await signIn(laptop);
    await laptop.getByRole('alert').waitFor();

    await section(phone, 'Delete your account');
    await heading(phone, 'Delete your account');
    await look(phone, '16-delete');
    await phone.getByRole('textbox').fill(USER.username);
    await press(phone, 'Delete my account');
    await heading(phone, 'Your account is deleted');
    await look(phone, '17-deleted');
    await open(phone, '/account');
    await signIn(phone, NEW);
    await phone.getByRole('alert').waitFor();
    for (const context of contexts) await context.close();
  });
});
