/** A new account with a passkey and no password, in a real browser with its virtual authenticator. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { authorizeUrl, exchange, makeClient, makePkce, makeUser, type TestClient } from '../support/actors.ts';
import { shippedConfiguration, type TestApp } from '../support/app.ts';
import { type Authenticator, addAuthenticator, chromiumPath, launchChromium, newContext } from '../support/chromium.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Callback, listen, openCallback } from '../support/listening.ts';
import { keptMails, type Mails } from '../support/mails.ts';

describe.skipIf(chromiumPath === null)('a sign-up with a passkey in a real browser', () => {
  let opened: TestDatabase;
  let test: TestApp;
  let mails: Mails;
  let browser: Browser;
  let callback: Callback;
  let client: TestClient;
  let context: BrowserContext;
  let page: Page;
  let authenticator: Authenticator;

  beforeAll(async () => {
    opened = await openTestDatabase('postgres');
    mails = keptMails();
    const signIn = {
      ...shippedConfiguration.signIn,
      identifiers: 'username',
      signUp: 'open',
      signUpWith: 'passkeyOrPassword',
    } as const;
    test = await listen(opened.database, { mail: mails, configuration: { ...shippedConfiguration, signIn } });
    mails.of(test);
    callback = await openCallback();
    browser = await launchChromium();
    client = await makeClient(test, { redirectUris: [callback.redirectUri], tokenEndpointAuthMethod: 'none' });
    await makeUser(test, 'taken');
  });
  afterAll(async () => {
    await browser?.close();
    await callback?.close();
    await test?.app.close();
    await opened?.close();
  });
  beforeEach(async () => {
    context = await newContext(browser);
    page = await context.newPage();
    authenticator = await addAuthenticator(page);
  });
  afterEach(() => context.close());

  const openLink = async (email: string) => {
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('E-mail address').fill(email);
    await page.getByRole('button', { name: 'Send the mail' }).click();
    await page.getByRole('heading', { name: 'Check your mailbox' }).waitFor();
    await page.goto(`${test.issuer}${await mails.link(email)}`);
  };
  const withPasskey = () => page.getByRole('button', { name: 'Create the account with a passkey' });

  it('begins at an app, ends there, and leaves one discoverable passkey, also after a username that was taken', async () => {
    const pkce = makePkce();
    await page.goto(`${test.issuer}${authorizeUrl(client, pkce, { scope: 'openid read' })}`);
    await openLink('ada@example.org');
    // Without a username, nothing is asked of the authenticator.
    await withPasskey().click();
    expect(await page.getByLabel('Username').evaluate((field) => field.matches(':invalid:focus'))).toBe(true);
    await page.getByLabel('Username').fill('taken');
    await withPasskey().click();
    await page.getByText('This username is taken. Choose another.').waitFor();
    await page.getByLabel('Username').fill('ada');
    await withPasskey().click();
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
    await page.getByText('Your account has no password.').waitFor();

    const { device, authenticatorId } = authenticator;
    const { credentials } = await device.send('WebAuthn.getCredentials', { authenticatorId });
    // That of the first attempt was replaced.
    expect(credentials).toMatchObject([{ isResidentCredential: true, rpId: 'localhost', userName: 'ada' }]);

    await page.getByRole('button', { name: 'I have saved them' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
    const code = callback.received.at(-1)?.get('code') ?? '';
    const { json } = await exchange(test, client, { code, verifier: pkce.verifier });
    const claims = JSON.parse(Buffer.from(json.id_token?.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({
      sub: Buffer.from(credentials[0]?.userHandle ?? '', 'base64').toString(),
      acr: 'urn:statehouse:acr:phishing-resistant',
      amr: ['hwk', 'user', 'mfa'],
    });

    // The next sign-in needs no username and no password.
    const cookies = await context.cookies();
    await context.clearCookies();
    await context.addCookies(cookies.filter(({ name }) => !name.endsWith('session')));
    await page.goto(`${test.issuer}/sign-in?then=devices`);
    await page.getByRole('heading', { name: 'Where you are signed in' }).waitFor();
  });

  it('leaves no account when the user does not confirm', async () => {
    await page.goto(`${test.issuer}/sign-in`);
    await openLink('ben@example.org');
    await page.getByLabel('Username').fill('ben');
    const { device, authenticatorId } = authenticator;
    await device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await withPasskey().click();
    await page.getByText('The passkey was not accepted. Try again, or choose a password.').waitFor();
    expect(await test.deps.users.findForSignIn('ben')).toBeNull();
    await device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
    await withPasskey().click();
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
    await page.getByRole('link', { name: 'I have saved them' }).click();
    expect(new URL(page.url()).pathname).toBe('/account');
  });

  it('offers the password alone without scripts', async () => {
    await context.close();
    context = await newContext(browser, { javaScriptEnabled: false });
    page = await context.newPage();
    await page.goto(`${test.issuer}/sign-in`);
    await openLink('cleo@example.org');
    expect(await withPasskey().isVisible()).toBe(false);
    await page.getByLabel('Username').fill('cleo');
    await page.getByLabel('New password').fill('another long passphrase');
    await page.getByRole('button', { name: 'Create the account', exact: true }).click();
    await page.getByRole('heading', { name: 'Your account', exact: true }).waitFor();
  });
});
