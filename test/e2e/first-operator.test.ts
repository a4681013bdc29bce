/** From an empty production database to the console: the link, the account, a second factor, in a real browser. */
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NOBODY_ADMINISTERS } from '../../policies/operators-schema.ts';
import { registerConsole } from '../../src/boot/console.ts';
import { newSetUpLink, operatorsBySetUp } from '../../src/boot/first-operator.ts';
import type { Configuration } from '../../src/config/configuration.ts';
import { managementResource } from '../../src/config/management-resource.ts';
import { systemRandom } from '../../src/crypto/random.ts';
import { commandLine } from '../../src/model/actor.ts';
import { shippedConfiguration, type TestApp, testKeys } from '../support/app.ts';
import { addAuthenticator, chromiumPath, launchChromium, newContext } from '../support/chromium.ts';
import { type TestClock, testClock } from '../support/clock.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { appWith } from '../support/factors.ts';
import { freePort, openTestAppAt } from '../support/listening.ts';

const PASSWORD = 'a long and plain passphrase of ada';

describe.skipIf(chromiumPath === null)('the first operator in a real browser', () => {
  let opened: TestDatabase;
  let test: TestApp;
  let clock: TestClock;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let link: string;

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  /** As src/boot/main.ts joins the parts. */
  beforeEach(async () => {
    opened = await openTestDatabase('postgres');
    clock = testClock();
    const port = await freePort();
    const issuer = `http://localhost:${port}`;
    const parts = { issuer, db: opened.database.drizzle, keys: testKeys, random: systemRandom, clock };
    const files: Configuration = {
      ...shippedConfiguration,
      production: true,
      management: managementResource(issuer),
      operators: NOBODY_ADMINISTERS,
    };
    const operators = operatorsBySetUp(parts, () => files, { warn: () => {} } as never);
    test = await openTestAppAt(port, opened.database, {
      clock,
      configuration: files,
      reloaded: () => {
        const { operators: all, operatorBySetUp } = operators.configuration();
        return { operators: all, ...(operatorBySetUp !== undefined && { operatorBySetUp }) };
      },
      declaredOperators: () => [],
      operatorMade: async () => {
        await operators.follow();
        await registerConsole({ ...parts, configuration: operators.configuration() });
      },
    });
    const issued = await newSetUpLink(parts, files, null, commandLine);
    if (issued.kind === 'rejected') throw new Error(issued.reason);
    link = issued.url;
    context = await newContext(browser);
    page = await context.newPage();
  });
  afterEach(async () => {
    await context.close();
    await test.app.close();
    await opened.close();
  });

  const accessible = async () => {
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(async () => (globalThis as never as { axe: typeof axe }).axe.run());
    expect(violations.map(({ id }) => id)).toEqual([]);
  };

  const openConsole = async () => {
    await page.getByText('operators:').waitFor();
    expect(await page.locator('pre').innerText()).toContain('- "ada"');
    await accessible();
    await page.getByRole('link', { name: 'Open the console' }).click();
  };
  const allow = async () => {
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console');
  };

  it('signs in to the console with an authenticator app', async () => {
    await page.goto(link);
    await accessible();
    await page.getByLabel('Username').fill('ada');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create the operator', exact: true }).click();
    await openConsole();
    // The password alone opens nothing.
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    const secret = (await page.locator('#secret').innerText()).replaceAll(' ', '');
    await page.getByLabel('The code that the app shows now').fill(appWith(secret).codeAt(clock.now()));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('button', { name: 'I have saved them' }).click();
    await allow();
  });

  it('signs in to the console with a passkey, and the link works once', async () => {
    await addAuthenticator(page);
    await page.goto(link);
    await page.getByLabel('Username').fill('ada');
    await page.getByRole('button', { name: 'Create the operator with a passkey' }).click();
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
    await page.getByRole('link', { name: 'I have saved them' }).click();
    await openConsole();
    await allow();
    await page.goto(link);
    await page.getByText('works only once').waitFor();
  });
});
