/** The sign-in with a code by mail in a real browser. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorizeUrl, makeClient, makePkce, makeUser, type TestClient } from '../support/actors.ts';
import { shippedConfiguration, type TestApp } from '../support/app.ts';
import { chromiumPath, launchChromium, newContext } from '../support/chromium.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Callback, listen, openCallback } from '../support/listening.ts';
import { keptMails, type Mails } from '../support/mails.ts';

const ADA = 'ada@example.org';

describe.skipIf(chromiumPath === null)('a code by mail in a real browser', () => {
  let opened: TestDatabase;
  let test: TestApp;
  let mails: Mails;
  let browser: Browser;
  let callback: Callback;
  let client: TestClient;

  beforeAll(async () => {
    opened = await openTestDatabase('postgres');
    mails = keptMails();
    const signIn = { ...shippedConfiguration.signIn, identifiers: 'both', codeByMail: true } as const;
    test = await listen(opened.database, { mail: mails, configuration: { ...shippedConfiguration, signIn } });
    mails.of(test);
    callback = await openCallback();
    browser = await launchChromium();
    client = await makeClient(test, { redirectUris: [callback.redirectUri], tokenEndpointAuthMethod: 'none' });
    await makeUser(test, 'Ada', { email: ADA, email_verified: true });
  });
  afterAll(async () => {
    await browser?.close();
    await callback?.close();
    await test?.app.close();
    await opened?.close();
  });

  const newestCode = async (): Promise<string> =>
    /^\d{4} \d{4}$/m.exec(
      (await mails.to(ADA)).filter(({ subject }) => subject === 'Your code for signing in').at(-1)?.text ?? '',
    )?.[0] ?? '';

  it('signs in to an app, after a wrong code', async () => {
    const context = await newContext(browser);
    const page = await context.newPage();
    await page.goto(`${test.issuer}${authorizeUrl(client, makePkce())}`);
    await page.getByRole('link', { name: 'Sign in with a code by e-mail' }).click();
    await page.getByLabel('E-mail address or username').fill(ADA);
    await page.getByRole('button', { name: 'Send me a code' }).click();
    await page.getByText('a code is on its way').waitFor();
    const code = await newestCode();
    await page.getByLabel('Code from the e-mail').fill(code === '0000 0000' ? '00000001' : '00000000');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The code is wrong. Check it and try again.').waitFor();
    await page.getByLabel('Code from the e-mail').fill(code);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/interactions\//);
    await context.close();
  });
});
