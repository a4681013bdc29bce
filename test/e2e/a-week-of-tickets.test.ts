/**
 * The tickets of a week, in a real browser: from an empty production database, through the link of the first operator,
 * to each ticket in the console. The steps follow each other, as the operator takes them.
 */
import axe from 'axe-core';
import { sql } from 'drizzle-orm';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLIENT_KINDS, type ClientKind } from '../../src/console/client-kinds.ts';
import { DEFAULT_METADATA } from '../../src/registration/client-metadata.ts';
import { obtainTokens, PASSWORD, REDIRECT_URI, refresh, type TestClient } from '../support/actors.ts';
import { addAuthenticator, chromiumPath, launchChromium, newContext } from '../support/chromium.ts';
import { type EmptyProduction, openEmptyProduction } from '../support/empty-production.ts';
import { sealAll } from '../support/ledger.ts';
import { keptMails } from '../support/mails.ts';
import { takePicture } from '../support/picture.ts';
import { registeredPasskey } from '../support/registered-passkey.ts';
import { webhooksFile } from '../support/webhooks.ts';

const PHONE = { width: 320, height: 700 };
const MAX_CLICKS = 3;

describe.skipIf(chromiumPath === null)('the tickets of a week, from an empty production database', () => {
  let production: EmptyProduction;
  let browser: Browser;
  let page: Page;
  let shop: TestClient;
  /** From the search, or from the page where a ticket begins. */
  let clicks = 0;
  const grace = { id: '', username: 'grace' };
  const mails = keptMails();

  beforeAll(async () => {
    const webhooks = webhooksFile([{ name: 'crm', url: 'https://crm.example.com/events', events: ['user'] }]);
    production = await openEmptyProduction({ webhooks }, { mail: mails });
    mails.of(production.test);
    browser = await launchChromium();
    const context = await newContext(browser, { timezoneId: 'Asia/Tokyo', acceptDownloads: true });
    page = await context.newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await production?.close();
  });

  const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
  const says = (words: string | RegExp) => page.getByText(words).filter({ visible: true }).first().waitFor();
  const press = (name: string | RegExp) => {
    clicks++;
    return page.getByRole('button', { name, exact: true }).first().click();
  };
  const follow = (name: string | RegExp) => {
    clicks++;
    return page.getByRole('link', { name, exact: true }).first().click();
  };
  const place = async (name: string) => {
    clicks = 0;
    await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name, exact: true }).click();
    await heading(name);
  };
  const search = async (text: string) => {
    clicks = 0;
    const field = page.getByRole('searchbox', { name: 'Find a person, a client or a token' });
    await field.fill(text);
    await field.press('Enter');
  };
  const withinThreeClicks = () => expect(clicks).toBeLessThanOrEqual(MAX_CLICKS);

  /** For a screen reader, and for a phone. */
  const worksForEverybody = async (name: string) => {
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(async () => (globalThis as never as { axe: typeof axe }).axe.run());
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    const before = page.viewportSize();
    await page.setViewportSize(PHONE);
    expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBeLessThanOrEqual(PHONE.width);
    await takePicture(page, `tickets-${name}-320`);
    if (before) await page.setViewportSize(before);
    await takePicture(page, `tickets-${name}`);
  };

  it('the first operator comes by the link, with a passkey, and sees an empty server', async () => {
    await addAuthenticator(page);
    await page.goto(production.link);
    await page.getByLabel('Username').fill('ada');
    await press('Create the operator with a passkey');
    await heading('Your recovery codes');
    await follow('I have saved them');
    await follow('Open the console');
    await press('Allow');
    await heading('Overview');
    await worksForEverybody('overview-of-an-empty-server');
  });

  it('registers an end-user, and completes name and address', async () => {
    await place('End-users');
    await follow('Register an end-user');
    await page.getByLabel('Username').fill(grace.username);
    await page.getByLabel('Password').fill(PASSWORD);
    await press('Register');
    await says('Registered.');
    grace.id = new URL(page.url()).searchParams.get('id') ?? '';
    withinThreeClicks();
    await follow('Change…');
    await page.getByLabel('Name', { exact: true }).fill('Grace Hopper');
    await page.getByLabel('E-mail address').fill('grace@example.com');
    await page.getByLabel('The address is').selectOption('verified');
    await press('Save');
    await says('Changed.');
  });

  it.each(Object.keys(CLIENT_KINDS) as ClientKind[])('makes a client of the kind %s', async (kind) => {
    const { title, redirects } = CLIENT_KINDS[kind];
    await place('Clients');
    await follow('Register a client');
    await follow(title);
    await page.getByLabel('client_id').fill(`the-${kind}`);
    await page.getByLabel('client_name').fill(`The ${title}`);
    const uri = kind === 'native' || kind === 'mcp' ? 'http://127.0.0.1/callback' : REDIRECT_URI;
    if (redirects !== null) await page.getByLabel('Redirect URIs (redirect_uris)', { exact: true }).fill(uri);
    await worksForEverybody(`new-client-${kind}`);
    await press('Register');
    withinThreeClicks();
    if (kind === 'web' || kind === 'service') await heading('Registered');
    else await heading(`The ${title}`);
    if (kind !== 'web') return;
    const secret = await page.locator('#secret').innerText();
    const clientId = `the-${kind}`;
    shop = { ...DEFAULT_METADATA, clientId, clientName: '', secretMacs: [], redirectUris: [REDIRECT_URI], secret };
  });

  it('rotates a secret: the old one works until it is removed', async () => {
    await search('the-web');
    await follow('the-web');
    await press('Add a second secret');
    withinThreeClicks();
    const second = await page.locator('#secret').innerText();
    await follow('I have copied it');
    await page.getByRole('button', { name: 'Remove first' }).click();
    await says('The secret is removed');
    shop = { ...shop, secret: second };
    expect((await obtainTokens(production.test, shop, grace)).refreshToken).toMatch(/^sh_rt_/);
  });

  it('finds a person by a part of the name', async () => {
    await search('oppe');
    await worksForEverybody('found');
    await follow(grace.username);
    await heading(grace.username);
    withinThreeClicks();
    await says('Grace Hopper');
    await worksForEverybody('end-user');
  });

  it('helps after a lost phone: removes the passkey, sends a link, ends the session, changes the address', async () => {
    await registeredPasskey(production.test, grace, production.test.issuer);
    await search('grace@exam');
    await follow(grace.username);
    await follow('Remove…');
    await press('Remove');
    withinThreeClicks();
    await says('Passkeys: none.');
    clicks = 0;
    await follow('Send a link…');
    await press('Send the link');
    withinThreeClicks();
    await says('The server sends the link');
    clicks = 0;
    await page.getByRole('link', { name: 'End…' }).first().click();
    await press('End the session');
    withinThreeClicks();
    await says('that browser has to sign in again');
    await search('grace');
    await follow(grace.username);
    await follow('Change…');
    await page.getByLabel('E-mail address').fill('grace@navy.example');
    await press('Save');
    withinThreeClicks();
    await says('Changed.');
    await says('removalRequestedByAdministrator');
  });

  it('answers why she was logged out, from a pasted token', async () => {
    const { refreshToken } = await obtainTokens(production.test, shop, grace);
    await refresh(production.test, shop, refreshToken);
    await refresh(production.test, shop, refreshToken);
    await search(refreshToken);
    await says('You pasted a refresh token, used: 1 rotation ago');
    await says('Used token presented again');
    expect(clicks).toBe(0);
    expect(page.url()).not.toContain(refreshToken);
    await worksForEverybody('why-logged-out');
  });

  it.each([
    ['Keys', 'ES256'],
    ['Webhooks', 'crm'],
    ['Machines', 'grant'],
    ['Sessions', 'grace'],
    ['Grants', 'grace'],
  ])('shows the place %s', async (name, words) => {
    await place(name);
    await says(words);
    await worksForEverybody(name.toLowerCase());
  });

  it.each([
    ['Resources', 'default'],
    ['Scopes', 'openid'],
    ['Claims', 'email'],
    ['Branding', 'branding.yaml'],
    ['Operators', 'ada'],
    ['Rotation of keys', 'ES256'],
  ])('shows the setting %s', async (name, words) => {
    await place('Configuration');
    await follow(name);
    withinThreeClicks();
    await says(words);
    await worksForEverybody(name.toLowerCase().replace(' ', '-'));
  });

  it('shows the policies in force', async () => {
    await place('Configuration');
    await page.locator('summary', { hasText: /^default$/ }).click();
    await says('accessTokenLifetimeSeconds');
    await worksForEverybody('configuration');
  });

  it('drafts a change, sees its consequences in numbers, and takes the patch away', async () => {
    const open = await obtainTokens(production.test, shop, grace);
    expect(open.refreshToken).not.toBe('');
    production.clock.advanceSeconds(3 * 3600);
    await place('Configuration');
    await follow('Draft a change');
    await heading('Draft a change');
    await worksForEverybody('draft');
    const text = page.getByLabel('The text of default.policy.yaml');
    const yaml = await text.inputValue();
    await text.fill(yaml.replace(/refreshIdleLifetimeSeconds: \d+/, 'refreshIdleLifetimeSeconds: soon'));
    await press('Show the consequences');
    await says('The server would refuse this draft.');
    await text.fill(yaml.replace(/(refreshIdleLifetimeSeconds): \d+/, '$1: 7200'));
    await press('Show the consequences');
    withinThreeClicks();
    await says(/\d+ of \d+ chains? ends? now/);
    await worksForEverybody('consequences');
    const download = page.waitForEvent('download');
    await press('Download the patch');
    expect((await download).suggestedFilename()).toBe('default.policy.yaml.patch');
  });

  it('sees on the overview that a token was reused', async () => {
    await place('Overview');
    await says(/[Rr]eused/);
    await worksForEverybody('overview');
  });

  it('filters the ledger by person, client and event, in the time of the operator, and exports what is shown', async () => {
    await place('Ledger');
    await page.getByLabel('Event').selectOption('refreshTokenReused');
    await page.getByLabel('End-user (username or sub)').fill('grace');
    await page.getByLabel('Client (id or name)').fill('the-web');
    await press('Find');
    withinThreeClicks();
    const rows = page.locator('main tbody tr');
    await rows.first().waitFor();
    expect(await rows.count()).toBe(1);
    expect(await rows.first().innerText()).toContain('The Web application');
    const at = rows.first().locator('time');
    expect(await at.innerText()).toMatch(/GMT\+9$/);
    expect(await at.getAttribute('title')).toMatch(/UTC$/);
    await worksForEverybody('ledger');
    const download = page.waitForEvent('download');
    await follow('Export as JSON lines');
    const file = await (await download).createReadStream();
    const lines = (await Array.fromAsync(file)).join('').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ event: 'refreshTokenReused', client_name: 'The Web application' }),
    ]);
  });

  it('verifies the ledger, with progress, up to the result', async () => {
    const { drizzle } = production.test.database;
    // More than one page verifies.
    await drizzle.execute(sql`insert into transitions (shard_key, at, machine, event, from_state, to_state)
      select gen_random_uuid(), now(), 'refreshToken', 'presented', 'active', 'used' from generate_series(1, 85000)`);
    await sealAll(drizzle);
    const parts: string[] = [];
    page.on('response', (answer) => {
      if (answer.url().endsWith('/console/ledger/verify')) parts.push(answer.request().resourceType());
    });
    await place('Ledger');
    await follow('Verify the ledger');
    parts.length = 0;
    await press('Verify');
    withinThreeClicks();
    await says('No entry was changed, added or removed.');
    expect(parts).toEqual(['document', 'fetch']);
    expect(await page.locator('main time').first().innerText()).toMatch(/GMT\+9$/);
    await worksForEverybody('verified');
  });

  it('verifies it without JavaScript, part by part', async () => {
    const state = await page.context().storageState();
    const plain = await newContext(browser, { javaScriptEnabled: false, storageState: state });
    page = await plain.newPage();
    await page.goto(`${production.test.issuer}/console/ledger/verify`);
    await press('Verify');
    await says(/segments with .* entries verified; about \d+ left/);
    await press('Continue');
    await says('No entry was changed, added or removed.');
    expect(await page.locator('main time').first().innerText()).toMatch(/UTC$/);
  });

  it('leaves each change in the ledger, with its operator', async () => {
    await page.goto(`${production.test.issuer}/console/ledger?machine=user&sub=${grace.id}`);
    const events = await page.locator('main tbody tr').allInnerTexts();
    expect(events.filter((row) => row.includes('operator')).length).toBeGreaterThanOrEqual(3);
  });
});
