/** Federated sign-in at another Statehouse in a real browser: linked in the account, used for a client, removed, and rejected from then on. */
import { decodeJwt } from 'jose';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
import { openTestApp, type TestApp } from '../support/app.ts';
import { chromiumPath, launchChromium, newContext } from '../support/chromium.ts';
import { testClock } from '../support/clock.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Callback, freePort, openCallback, openTestAppAt } from '../support/listening.ts';
import { takePicture } from '../support/picture.ts';
import { knowing, upstreamOf, withUpstream } from '../support/upstream.ts';

describe.skipIf(chromiumPath === null)('a federated sign-in in a real browser', () => {
  let opened: TestDatabase[];
  let upstream: TestApp;
  let test: TestApp;
  let browser: Browser;
  let callback: Callback;
  let client: TestClient;
  let here: TestUser;
  let there: TestUser;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    opened = [await openTestDatabase('postgres'), await openTestDatabase('postgres')];
    const [databaseThere, databaseHere] = opened.map(({ database }) => database);
    if (!databaseThere || !databaseHere) throw new Error('no databases');
    const clock = testClock(new Date());
    // A name of its own: a browser shares the cookies of one name among its ports.
    const [portThere, portHere] = [await freePort(), await freePort()];
    upstream = await openTestApp(databaseThere, { issuer: `http://127.0.0.1:${portThere}`, clock });
    await upstream.app.listen({ host: '127.0.0.1', port: portThere });
    const asClient = await makeClient(upstream, {
      clientName: 'Photo album',
      redirectUris: [`http://localhost:${portHere}/sign-in/upstream/company/callback`],
    });
    test = await openTestAppAt(portHere, databaseHere, {
      clock,
      configuration: withUpstream(
        upstreamOf({ issuer: upstream.issuer, client_id: asClient.clientId, createUsers: false }),
      ),
      secretNamed: knowing(asClient.secret ?? ''),
    });
    there = await makeUser(upstream, 'ada.lovelace');
    here = await makeUser(test, 'ada');
    callback = await openCallback();
    client = await makeClient(test, { redirectUris: [callback.redirectUri], tokenEndpointAuthMethod: 'none' });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await callback?.close();
    await test?.app.close();
    await upstream?.app.close();
    await Promise.all((opened ?? []).map((database) => database.close()));
  });

  const look = (name: string) => takePicture(page, name);
  const signIn = async (user: TestUser) => {
    await page.getByLabel('Username').fill(user.username);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };
  const inNewBrowser = async () => {
    await context?.close();
    context = await newContext(browser);
    page = await context.newPage();
  };
  const askAndPress = async () => {
    const pkce = makePkce();
    await page.goto(`${test.issuer}${authorizeUrl(client, pkce, { scope: 'openid read' })}`);
    await page.getByRole('button', { name: 'Continue with Company' }).waitFor();
    await look('upstream-button');
    await page.getByRole('button', { name: 'Continue with Company' }).click();
    await page.waitForURL(`${upstream.issuer}/**`);
    return pkce;
  };

  it('is linked, signs in to a client, is listed and removed, and is rejected from then on', async () => {
    await inNewBrowser();
    await page.goto(`${test.issuer}/account/linked-identities`);
    await signIn(here);
    await page.getByText('No account is linked.').waitFor();
    await look('upstream-none-linked');
    await page.getByRole('button', { name: 'Link Company' }).click();
    await page.waitForURL(`${upstream.issuer}/**`);
    await signIn(there);
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    await look('upstream-consent-there');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('The account is linked.').waitFor();
    await look('upstream-linked');

    await inNewBrowser();
    const pkce = await askAndPress();
    await look('upstream-sign-in-there');
    await signIn(there);
    await page.waitForURL(`${test.issuer}/**`);
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    await look('upstream-back-at-consent');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
    const code = callback.received.at(-1)?.get('code') ?? '';
    const { json } = await exchange(test, client, { code, verifier: pkce.verifier });
    expect(decodeJwt(json.id_token ?? '')).toMatchObject({ sub: here.id, amr: ['pwd'] });

    await page.goto(`${test.issuer}/account/linked-identities`);
    await page.getByText('Company', { exact: true }).waitFor();
    await look('upstream-shown');
    await page.getByRole('button', { name: 'Remove Company' }).click();
    await page.getByText('The account was removed.').waitFor();
    await page.getByText('No account is linked.').waitFor();
    await look('upstream-removed');

    await inNewBrowser();
    await askAndPress();
    await signIn(there);
    await page.getByRole('heading', { name: 'This account is not linked to any account here' }).waitFor();
    await look('upstream-not-linked');
  });
});
