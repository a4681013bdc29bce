/** The console in a real browser: the daily work of operators, without the command line. */
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemRandom } from '../../src/crypto/random.ts';
import { armsTakenWithin } from '../../src/storage/arm-counts.ts';
import { countStates } from '../../src/storage/state-counts.ts';
import { HANGS_MILLISECONDS } from '../../vitest.config.ts';
import {
  makeClient,
  makeUser,
  obtainTokens,
  PASSWORD,
  refresh,
  type TestClient,
  type TestUser,
  token,
} from '../support/actors.ts';
import { shippedConfiguration } from '../support/app.ts';
import { chromiumPath, launchChromium, newContext } from '../support/chromium.ts';
import { AUDITOR, type ConsoleApp, OPERATOR, OPERATOR_ADDRESS, openConsoleAppAt } from '../support/console.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { freePort } from '../support/listening.ts';
import { keptMails } from '../support/mails.ts';
import { takePicture } from '../support/picture.ts';
import { openReceiver, type Receiver } from '../support/receiver.ts';
import { registeredPasskey } from '../support/registered-passkey.ts';
import { deliveryWorkerOf, type TestDeliveryWorker, webhooksFile } from '../support/webhooks.ts';

/** Vitest's own time limit is the only one. */
const NO_LIMIT = { timeout: HANGS_MILLISECONDS, interval: 100 } as const;
const HOSTILE = '<script>document.title="owned"</script><img src=x onerror=alert(1)> "quoted" & long '.padEnd(190, 'W');

/** Of a receiver that is not in the file any more. */
const DELIVERY = '5ca1ab1e-0000-4000-8000-000000000000';

describe.skipIf(chromiumPath === null)('the console in a real browser', () => {
  let opened: TestDatabase;
  let test: ConsoleApp;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let client: TestClient;
  let person: TestUser;
  let owner: TestUser;
  let receiver: Receiver;
  let worker: TestDeliveryWorker;
  const mails = keptMails();

  beforeAll(async () => {
    opened = await openTestDatabase('postgres');
    receiver = await openReceiver();
    const crm = {
      name: 'crm',
      url: `${receiver.url}/of-a-customer-relationship-management-system?token=hidden`,
      events: ['user'],
    };
    const webhooks = webhooksFile([
      crm,
      { name: 'siem', url: 'https://siem.example.com/events', format: 'set', events: ['session', 'grant', 'factor'] },
    ]);
    const configuration = { ...shippedConfiguration, webhooks };
    test = await openConsoleAppAt(await freePort(), opened.database, { configuration, mail: mails });
    mails.of(test);
    // The other receiver is on the internet.
    worker = deliveryWorkerOf(test, webhooksFile([crm]));
    const event = { id: DELIVERY, eventId: systemRandom.uuid(), eventType: 'user.changed', userId: null };
    const data = { sub: systemRandom.uuid(), reason: HOSTILE, fields: ['given_name', HOSTILE] };
    await worker.store.add({ ...event, receiver: 'of-before', data, occurredAt: new Date() }, 3600);
    browser = await launchChromium();
    // By the clock of the database: before the entries of the app, whose clock is ahead. Counts of recent arms look for an order of instants.
    person = await makeUser(test, 'grace <b>hopper</b>');
    owner = await makeUser(test, 'lost-phone', { name: 'Lena Verloren' });
    client = await makeClient(test, {
      clientId: 'photo-book',
      clientName: HOSTILE,
      defaultResource: 'https://api.example.com',
    });
  });
  afterAll(async () => {
    await browser?.close();
    await receiver?.close();
    await test?.app.close();
    await opened?.close();
  });
  beforeEach(async () => {
    context = await newContext(browser);
    page = await context.newPage();
  });
  afterEach(() => context.close());

  const look = (name: string) => takePicture(page, `console-${name}`);
  const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
  const go = (path: string) => page.goto(`${test.issuer}${path}`);
  const press = (name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();
  const follow = (name: string | RegExp) => page.getByRole('link', { name, exact: true }).first().click();

  async function signIn(username = OPERATOR, path = '/console'): Promise<void> {
    await go(path);
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    const allow = page.getByRole('button', { name: 'Allow' });
    await allow.or(page.getByRole('navigation', { name: 'Console' })).waitFor();
    if (await allow.isVisible()) await allow.click();
    await page.getByRole('navigation', { name: 'Console' }).waitFor();
  }

  /** The page's own policy allows no other script, so axe runs through the browser's debugger. */
  async function violations(): Promise<readonly string[]> {
    await page.evaluate(axe.source);
    const found = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
      readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
    };
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }

  const PAGES = [
    '/console',
    '/console/machines',
    '/console/machine?name=grant',
    '/console/find?q=book',
    '/console/clients',
    '/console/client?id=photo-book',
    '/console/client/new',
    '/console/client/new?kind=web',
    '/console/client/new?kind=service',
    '/console/client/try?id=photo-book',
    '/console/invitations',
    '/console/client/edit?id=photo-book',
    '/console/client/delete?id=photo-book',
    '/console/end-users',
    '/console/grants',
    '/console/sessions',
    '/console/keys',
    '/console/keys/rotate?alg=ES256',
    '/console/webhooks',
    '/console/webhooks/deliveries',
    `/console/webhooks/delivery?id=${DELIVERY}`,
    '/console/ledger',
    '/console/configuration',
    '/console/configuration/resources',
    '/console/configuration/scopes',
    '/console/configuration/claims',
    '/console/configuration/branding',
    '/console/configuration/operators',
    '/console/configuration/signing-keys',
    '/console/secrets',
    '/console/secret/set?name=STATEHOUSE_SMTP_URL',
    '/console/mails?kind=mailed_code&language=ar',
    '/console/nothing',
  ] as const;
  /** Their forms change nothing, so auditors have them too. */
  const PAGES_THAT_ASK = ['/console/ledger/verify', '/console/configuration/draft?file=default.policy.yaml'] as const;

  it('registers a client and rotates its secret after a warning, and shows the secret once', async () => {
    await signIn();
    await follow('Clients');
    await follow('Register a client');
    await follow('Web application');
    await page.getByLabel('client_id').fill('shop');
    await page.getByLabel('client_name').fill('The shop');
    await page
      .getByLabel('Redirect URIs (redirect_uris)', { exact: true })
      .fill('https://shop.example/callback\nhttps://shop.example/other');
    await page.getByLabel('refresh_token').check();
    await press('Register');
    await heading('Registered');
    await look('registered');
    const first = await page.locator('#secret').innerText();
    await follow('I have copied it');
    await heading('The shop');
    expect(await page.locator('main').innerText()).not.toContain(first);

    await press('Add a second secret');
    const second = await page.locator('#secret').innerText();
    expect(second).not.toBe(first);
    const ask = (secret: string) =>
      token(test, { ...client, clientId: 'shop', secret }, { grant_type: 'refresh_token', refresh_token: 'x' });
    // Both are accepted: the error in these requests is the refresh token.
    expect((await ask(first)).json.error).toBe('invalid_grant');
    expect((await ask(second)).json.error).toBe('invalid_grant');
    await follow('I have copied it');
    await page.getByRole('button', { name: 'Remove first' }).click();
    await page.getByText('The secret is removed').waitFor();
    await look('secret-removed');
    expect((await ask(first)).json.error).toBe('invalid_client');
    expect((await ask(second)).json.error).toBe('invalid_grant');

    await follow('Change');
    await page.getByLabel('client_name').fill('The other shop');
    await page.getByLabel('Redirect URIs (redirect_uris)', { exact: true }).fill('not a URI');
    await press('Save');
    await page.getByRole('alert').waitFor();
    await look('refused-change');
    await page.getByLabel('Redirect URIs (redirect_uris)', { exact: true }).fill('https://shop.example/callback');
    await press('Save');
    await heading('The other shop');
    await page.getByText('Changed.').waitFor();
    await follow('Delete…');
    await page.getByText('0 chains of 0 end-users').waitFor();
    await press('Delete the client');
    await page.getByText('Deleted.').waitFor();
  });

  it('tries the sign-in of a client, which ends at its redirect URI with a code', async () => {
    await signIn();
    await go(`/console/client?id=${client.clientId}`);
    await follow('Try a sign-in…');
    await look('try');
    const arrived = page.waitForRequest(
      (request) => request.url().startsWith(client.redirectUris[0] ?? 'none'),
      NO_LIMIT,
    );
    await page.route(`${client.redirectUris[0]}*`, (route) => route.fulfill({ body: 'the app' }));
    await follow('Start the sign-in');
    const allow = page.getByRole('button', { name: 'Allow' });
    await allow.or(page.getByText('the app', { exact: true })).waitFor();
    if (await allow.isVisible()) await allow.click();
    const back = new URL((await arrived).url()).searchParams;
    expect([...back.keys()].toSorted()).toEqual(['code', 'iss', 'state']);
  });

  it('switches a webhook endpoint off, tests it, and switches it on', async () => {
    await signIn();
    await follow('Webhooks');
    await press('Switch crm off');
    await page.getByText('Switched off: its events wait').waitFor();
    await look('webhook-off');
    await press('Test crm');
    await worker.round();
    await page.reload();
    await page.getByText('HTTP status').first().waitFor();
    await look('webhook-attempts');
    await follow('Webhooks');
    await press('Switch crm on');
    await page.getByText('Switched on').waitFor();
  });

  it('shows why an end-user was signed out, starting at the first page, and ends a stolen chain, without JavaScript', async () => {
    const { refreshToken } = await obtainTokens(test, client, person);
    const stolen = await obtainTokens(test, client, person);
    await refresh(test, client, refreshToken);
    expect((await refresh(test, client, refreshToken)).json.error).toBe('invalid_grant');
    await context.close();
    context = await newContext(browser, { javaScriptEnabled: false });
    page = await context.newPage();

    await signIn();
    await look('alarm');
    await follow('refresh_token_reused');
    await heading('Ledger');
    await page
      .getByRole('link', { name: /^[0-9a-f]{8}$/ })
      .first()
      .click();
    await heading('The life of a grant');
    await page.getByText('It is over: refresh_token_reused').waitFor();
    await page.getByText('A used refresh token was presented again').waitFor();
    await page.getByText('How to prevent this:').waitFor();
    await look('life-over');

    await follow('Grants');
    await page.getByLabel('End-user (username or sub)').fill(person.username);
    await page.getByLabel('State').selectOption('active');
    await press('Find');
    await page
      .getByRole('link', { name: /^[0-9a-f-]{36}$/ })
      .first()
      .click();
    await page.getByText('It is active.').waitFor();
    await look('life-alive');
    await follow('End this grant…');
    await page.getByText('This ends one chain').waitFor();
    await press('End the grant');
    await page.getByText('From now on, the server rejects its refresh token').waitFor();
    await page.getByText('It is over: ended_by_administrator').waitFor();
    expect((await refresh(test, client, stolen.refreshToken)).json.error).toBe('invalid_grant');
  });

  it('finds a person by a part of the name, and why a pasted token fails, from the field on top', async () => {
    const { refreshToken } = await obtainTokens(test, client, person);
    await refresh(test, client, refreshToken);
    await refresh(test, client, refreshToken);
    await signIn();
    const field = page.getByRole('searchbox', { name: 'Find a person, a client or a token' });
    await field.fill('hopp');
    await field.press('Enter');
    await page.getByRole('link', { name: person.username }).click();
    await heading(person.username);
    await field.fill(refreshToken);
    await field.press('Enter');
    await page.getByText('You pasted a refresh token, used: 1 rotation ago').waitFor();
    await page.getByText('Used token presented again').waitFor();
    expect(page.url()).toMatch(/\/console\/find$/);
    expect(await page.content()).not.toContain(refreshToken);
    await look('life-of-a-pasted-token');
    expect(await violations()).toEqual([]);
    await page.setViewportSize({ width: 320, height: 700 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  });

  it('helps a person who has lost the phone: from the search to the passkey in three clicks, by keyboard', async () => {
    await obtainTokens(test, client, owner);
    await registeredPasskey(test, owner, test.issuer);
    await signIn();
    const field = page.getByRole('searchbox', { name: 'Find a person, a client or a token' });
    await field.fill('verlor');
    await field.press('Enter');
    await page.getByRole('link', { name: owner.username }).press('Enter');
    await page.getByRole('link', { name: 'Remove…' }).press('Enter');
    await heading(`Remove a passkey of ${owner.username}?`);
    await page.getByRole('button', { name: 'Remove' }).press('Enter');
    await page.getByText('Passkeys: none.').waitFor();
    await page.getByRole('link', { name: 'End…' }).first().press('Enter');
    await page.getByRole('button', { name: 'End the session' }).press('Enter');
    await page.getByText('that browser has to sign in again').waitFor();
    await go(`/console/end-user?id=${owner.id}`);
    await page.getByText('removalRequestedByAdministrator').waitFor();
    await look('lost-phone');
  });

  it('updates numbers while a page is open, also after a 503 for its stream', async () => {
    let refused = 0;
    await page.route('**/console/events*', (route) =>
      ++refused === 1 ? route.fulfill({ status: 503, body: '' }) : route.continue(),
    );
    await signIn(OPERATOR, '/console/machine?name=grant');
    await page.getByText('The numbers follow by themselves.').waitFor();
    const reuse = 'grant arm active refreshTokenReused revoked';
    const shown = async (...names: readonly string[]) =>
      Promise.all(names.map(async (name) => Number(await page.locator(`td [data-number="${name}"]`).innerText())));
    const counted = async () => {
      const [states, { arms }] = await Promise.all([
        countStates(test.database.drizzle),
        armsTakenWithin(test.database.drizzle, test.clock, 300),
      ]);
      const grants = states.find(({ machine }) => machine === 'grant')?.states['active'];
      return [
        grants,
        arms.find(({ machine, event }) => machine === 'grant' && event === 'refreshTokenReused')?.times ?? 0,
      ];
    };
    // The API keeps an answer for some seconds, so the first numbers can be older than this sign-in.
    const follows = (numbers: readonly unknown[]) =>
      expect.poll(() => shown('grant state active', reuse), NO_LIMIT).toEqual(numbers);
    const before = await counted();
    await follows(before);
    const { refreshToken } = await obtainTokens(test, client, person);
    const withGrant = await counted();
    expect(withGrant).toEqual([Number(before[0]) + 1, before[1]]);
    await follows(withGrant);
    await refresh(test, client, refreshToken);
    await refresh(test, client, refreshToken);
    expect(await counted()).toEqual([before[0], Number(before[1]) + 1]);
    await follows(await counted());
    expect(refused).toBeGreaterThan(1);
    await page
      .locator('.picture a')
      .filter({ has: page.locator(`[data-number*="${reuse}"]`) })
      .click();
    await heading('Ledger');
    await page.getByText('refreshTokenReused').first().waitFor();
  });

  it('redelivers an event, by keyboard and without JavaScript', async () => {
    await context.close();
    context = await newContext(browser, { javaScriptEnabled: false });
    page = await context.newPage();
    await signIn();
    await follow('Webhooks');
    await press('Test crm');
    await page.getByText('The server sends the test event within a second or two').waitFor();
    await worker.round();
    await page.reload();
    await page.getByText('delivered', { exact: true }).first().waitFor();
    const tests = () => receiver.received.filter(({ text }) => text.includes('webhook.test')).map(({ id }) => id);
    const [before = 'none'] = tests().slice(-1);
    await page.getByRole('button', { name: 'Send it again' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('The server sends it again').waitFor();
    await look('sent-again');
    await worker.round();
    expect(tests().filter((id) => id === before)).toHaveLength(2);
    await follow('crm');
    await page.getByLabel('State').selectOption('delivered');
    await press('Find');
    await page
      .getByRole('link', { name: /^[0-9a-f]{8}$/ })
      .first()
      .waitFor();
  });

  it('shows a mail in a frame, and sends a test of it, without JavaScript', async () => {
    await context.close();
    context = await newContext(browser, { javaScriptEnabled: false });
    page = await context.newPage();
    await signIn();
    await follow('Configuration');
    await follow('Mails');
    await page.getByLabel('Mail', { exact: true }).selectOption('reset_password');
    await page.getByLabel('Language').selectOption('ar');
    await press('Show');
    await page.waitForURL(/kind=reset_password&language=ar/);
    const mail = page.frameLocator('iframe');
    const button = mail.getByRole('link').first();
    await button.waitFor();
    // The inline styles hold.
    const displayed = "getComputedStyle(document.querySelector('a')).display";
    expect(await page.frame({ url: /mails\/content/ })?.evaluate(displayed)).toBe('inline-block');
    // The link leads nowhere, not even within the frame.
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));
    await button.click();
    await look('mail');
    await press('Send a test');
    await page.getByText('The server sends the test within a second or two').waitFor();
    const sent = (await mails.to(OPERATOR_ADDRESS)).filter(({ language }) => language === 'ar');
    expect(sent).toHaveLength(1);
    expect(asked.filter((url) => url.includes('/email/link'))).toEqual([]);
  });

  it('offers an auditor no action', async () => {
    await signIn(AUDITOR);
    await page.getByText('auditor: changes nothing').waitFor();
    // A sign-in that an auditor tries is their own.
    for (const path of PAGES.slice(0, -1).filter((one) => !one.startsWith('/console/client/try'))) {
      await go(path);
      const offered = await page.locator('main form[method=post], main a.button').count();
      expect(offered, path).toBe(0);
    }
    await go('/console/client/delete?id=photo-book');
    await heading('Your role does not allow this');
    await page.getByText('clients:write').waitFor();
    await look('auditor');
  });

  it('keeps the typed text of a form whose sign-in ended, for the way back', async () => {
    await signIn();
    await go('/console/client/edit?id=photo-book');
    const name = page.locator('input[name=client_name]');
    await name.fill('Typed for a long time');
    await page.context().clearCookies();
    await page
      .locator('main form[method=post]')
      .evaluate((form: unknown) => (form as { requestSubmit(): void }).requestSubmit());
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor();
    await signIn();
    // On the way, the browser shows no page for the submitted form.
    for (let back = 0; back < 6 && (await name.count()) === 0; back++) {
      await page.goBack().catch(() => null);
      await page.waitForTimeout(300);
    }
    expect(await name.inputValue()).toBe('Typed for a long time');
  });

  it('works by keyboard: the first key skips the navigation', async () => {
    await signIn();
    await go('/console/clients');
    await page.keyboard.press('Tab');
    await page.locator('a.skip:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.locator('#field-q:focus').waitFor();
    await page.keyboard.type('photo');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=photo/);
    await page.getByRole('link', { name: 'photo-book' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: 'Secrets' }).waitFor();
  });

  it('rejects a form posted by another site, even with the administrator’s cookies', async () => {
    await signIn();
    await page.route('http://evil.test/**', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<form method="post" action="${test.issuer}/console/client/delete"><input name="id" value="photo-book"><button>Win</button></form>`,
      }),
    );
    await page.goto('http://evil.test/');
    await press('Win');
    await page.getByText('Nothing was changed').waitFor();
    await go('/console/client?id=photo-book');
    await page.getByRole('heading', { level: 2, name: 'Secrets' }).waitFor();
  });

  describe.each([
    ['light', 1280],
    ['dark', 320],
  ] as const)('%s, %i pixels wide', (colorScheme, width) => {
    it('is accessible on every page, and never wider than the screen', async () => {
      await context.close();
      context = await newContext(browser, { colorScheme, viewport: { width, height: 900 } });
      page = await context.newPage();
      await signIn();
      await obtainTokens(test, client, person);
      const ofPerson = ['', '/edit', '/remove'].map(
        (rest) => `/console/end-user${rest}?id=${person.id}&what=passkeys&item=${DELIVERY}`,
      );
      for (const path of [...PAGES, ...PAGES_THAT_ASK, ...ofPerson]) {
        await go(path);
        await look(`${path.slice(9).replaceAll(/\W+/g, '-') || 'overview'}-${colorScheme}-${width}`);
        expect(await violations(), path).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(width);
        const bar = page.getByRole('banner');
        if (path !== '/console/nothing') expect((await bar.boundingBox())?.y, path).toBe(0);
        expect(await page.title(), path).not.toBe('owned');
      }
    });
  });
});
