/** Passkeys in a real browser, with its virtual authenticator. */

import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  authorizeUrl,
  exchange,
  makeClient,
  makePkce,
  makeUser,
  PASSWORD,
  type TestClient,
  type TestUser,
} from '../support/actors.ts';
import type { TestApp } from '../support/app.ts';
import { addAuthenticator, chromiumPath, launchChromium, newContext } from '../support/chromium.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Callback, listen, openCallback } from '../support/listening.ts';
import { takePicture } from '../support/picture.ts';

describe.skipIf(chromiumPath === null)('passkeys in a real browser', () => {
  let opened: TestDatabase;
  let test: TestApp;
  let browser: Browser;
  let callback: Callback;
  let user: TestUser;
  let client: TestClient;
  let context: BrowserContext;
  let page: Page;
  let device: CDPSession;
  let authenticatorId: string;

  beforeAll(async () => {
    opened = await openTestDatabase('postgres');
    test = await listen(opened.database);
    callback = await openCallback();
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await callback?.close();
    await test?.app.close();
    await opened?.close();
  });
  beforeEach(async () => {
    user = await makeUser(test);
    client = await makeClient(test, { redirectUris: [callback.redirectUri], tokenEndpointAuthMethod: 'none' });
    context = await newContext(browser);
    page = await context.newPage();
    ({ device, authenticatorId } = await addAuthenticator(page));
  });
  afterEach(() => context.close());

  const look = (name: string) => takePicture(page, name);
  const signIn = async () => {
    await page.getByLabel('Username').fill(user.username);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };
  /** Off while the person types: otherwise the browser answers by itself at the field of the username. */
  const touch = (enabled: boolean) =>
    device.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
  const addPasskey = async (name: string) => {
    await page.goto(`${test.issuer}/account/sign-in-methods`);
    await signIn();
    await page.getByRole('link', { name: 'Add a passkey' }).click();
    await page.getByLabel('Name').fill(name);
    await look('passkey-add');
    await page.getByRole('button', { name: 'Create the passkey' }).click();
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
    await page.getByRole('link', { name: 'I have saved them' }).click();
    await page.getByText(name, { exact: true }).waitFor();
  };
  const forgetSession = async () => {
    const cookies = await context.cookies();
    await context.clearCookies();
    await context.addCookies(cookies.filter(({ name }) => !name.endsWith('session')));
  };

  it('are added, named, used to sign in without a username, and removed for good', async () => {
    await touch(true);
    await addPasskey('Work laptop');
    await look('sign-in-methods');
    const { credentials } = await device.send('WebAuthn.getCredentials', { authenticatorId });
    expect(credentials).toMatchObject([{ isResidentCredential: true, rpId: 'localhost' }]);

    // Without a username and without a password: the field of the username offers it.
    await forgetSession();
    const pkce = makePkce();
    await page.goto(`${test.issuer}${authorizeUrl(client, pkce, { scope: 'openid read' })}`);
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
    const code = callback.received.at(-1)?.get('code') ?? '';
    const { json } = await exchange(test, client, { code, verifier: pkce.verifier });
    const claims = JSON.parse(Buffer.from(json.id_token?.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({
      sub: user.id,
      acr: 'urn:statehouse:acr:phishing-resistant',
      amr: ['hwk', 'user', 'mfa'],
    });

    await page.goto(`${test.issuer}/account/sign-in-methods`);
    await page.getByLabel('Name').fill('Old laptop');
    await page.getByRole('button', { name: 'Save the name' }).click();
    await page.getByRole('button', { name: 'Remove Old laptop' }).click();
    await page.getByText('You have no passkey.').waitFor();

    // The authenticator still has it, and it does not sign in.
    await forgetSession();
    await touch(false);
    await page.goto(`${test.issuer}/sign-in`);
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
    await touch(true);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.locator('#problem', { hasText: 'This passkey was not accepted.' }).waitFor();
    await look('passkey-refused');
  });

  it('reject a copied passkey whose counter did not advance', async () => {
    await touch(true);
    await addPasskey('Key');
    const { credentials } = await device.send('WebAuthn.getCredentials', { authenticatorId });
    const [copy] = credentials;
    if (!copy) throw new Error('the authenticator has no passkey');
    const signInByKey = async () => {
      await forgetSession();
      await page.goto(`${test.issuer}/sign-in?then=devices`);
    };
    await signInByKey();
    await page.getByRole('heading', { name: 'Where you are signed in' }).waitFor();
    // The original has signed since, so the counter of the copy is behind.
    await touch(false);
    await device.send('WebAuthn.removeCredential', { authenticatorId, credentialId: copy.credentialId });
    await device.send('WebAuthn.addCredential', { authenticatorId, credential: { ...copy, signCount: 0 } });
    await signInByKey();
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
    await touch(true);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.locator('#problem', { hasText: 'This passkey was not accepted.' }).waitFor();
  });

  it('report that the device already has a passkey of the account', async () => {
    await touch(true);
    await addPasskey('Key');
    await page.goto(`${test.issuer}/account/sign-in-methods/passkey`);
    await page.getByLabel('Name').fill('The same key');
    await page.getByRole('button', { name: 'Create the passkey' }).click();
    await page.getByText('This device already has a passkey for your account.').waitFor();
    expect(await page.getByText('The passkey was not accepted.').isVisible()).toBe(false);
    await look('passkey-known');
  });

  it('complete the sign-in after the password', async () => {
    await touch(true);
    await addPasskey('Key');
    await forgetSession();
    await touch(false);
    const pkce = makePkce();
    await page.goto(`${test.issuer}${authorizeUrl(client, pkce, { scope: 'openid read' })}`);
    await signIn();
    await page.getByText('Your account has a passkey').waitFor();
    await page.getByLabel('Or a recovery code').waitFor();
    await look('passkey-after-password');
    await touch(true);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
    const code = callback.received.at(-1)?.get('code') ?? '';
    const { json } = await exchange(test, client, { code, verifier: pkce.verifier });
    const claims = JSON.parse(Buffer.from(json.id_token?.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({
      sub: user.id,
      acr: 'urn:statehouse:acr:phishing-resistant',
      amr: ['pwd', 'hwk', 'user', 'mfa'],
    });
  });

  it('leave the page usable without scripts, with a password', async () => {
    const plain = await newContext(browser, { javaScriptEnabled: false });
    page = await plain.newPage();
    await page.goto(`${test.issuer}/sign-in?then=devices`);
    expect(await page.getByRole('button', { name: 'Use a passkey' }).isVisible()).toBe(false);
    await signIn();
    await page.getByRole('heading', { name: 'Where you are signed in' }).waitFor();
    await plain.close();
  });
});
