/** The console, and people who use it. */
import { registerConsole } from '../../src/boot/console.ts';
import type { Configuration } from '../../src/config/configuration.ts';
import type { Database } from '../../src/storage/database.ts';
import { makeUser, PASSWORD, type TestUser } from './actors.ts';
import { ISSUER, openTestApp, shippedConfiguration, type TestApp, type TestAppOptions } from './app.ts';
import { type Answer, Browser, formOf } from './browser.ts';
import { openTestAppAt } from './listening.ts';

export const OPERATOR = 'olga';
export const OPERATOR_ADDRESS = 'olga@example.com';
export const AUDITOR = 'ada';

export const withPeople = (change: Partial<Configuration['operators']> = {}): Configuration => ({
  ...shippedConfiguration,
  operators: { operators: [OPERATOR], auditors: [AUDITOR], clients: [], ...change },
});

export type ConsoleApp = TestApp & {
  readonly operator: TestUser;
  readonly auditor: TestUser;
  /** From now on these people have these roles. */
  readonly setOperators: (operators: Partial<Configuration['operators']>) => void;
};

/** Roles can change while it runs. */
export const openConsoleApp = (database: Database, options: TestAppOptions = {}): Promise<ConsoleApp> =>
  openWith(options, (all) => openTestApp(database, all));

/** Behind a real port. */
export const openConsoleAppAt = (port: number, database: Database, options: TestAppOptions = {}): Promise<ConsoleApp> =>
  openWith(options, (all) => openTestAppAt(port, database, all));

async function openWith(
  options: TestAppOptions,
  open: (options: TestAppOptions) => Promise<TestApp>,
): Promise<ConsoleApp> {
  const operators = { ...withPeople().operators };
  const test = await open({
    ...options,
    configuration: { ...(options.configuration ?? shippedConfiguration), operators },
  });
  const { deps, keys, issuer, clock, database } = test;
  await registerConsole({ issuer, keys, db: database.drizzle, clock, configuration: deps.configuration() });
  return {
    ...test,
    operator: await makeUser(test, OPERATOR, { email: OPERATOR_ADDRESS, email_verified: true }),
    auditor: await makeUser(test, AUDITOR),
    setOperators: (change) => void Object.assign(operators, withPeople(change).operators),
  };
}

/** The headers that every browser sends with a form from a page of this server. */
export const SAME_ORIGIN = { origin: ISSUER, 'sec-fetch-site': 'same-origin' } as const;

export const consoleBrowser = ({ app }: TestApp, headers: Readonly<Record<string, string>> = SAME_ORIGIN): Browser =>
  new Browser(app, '198.51.100.7', headers);

/** Opens a page of the console, and signs in and allows where a page asks. */
export async function openPage(browser: Browser, user: TestUser, url = '/console'): Promise<Answer> {
  let at = await browser.get(url);
  if (at.body.includes('name="password"'))
    at = await browser.submit(at, { username: user.username, password: PASSWORD });
  if (at.body.includes('name="decision"')) at = await browser.submit(at, { decision: 'approve' });
  // The console's own address comes back as a URL.
  if (at.url.startsWith(ISSUER)) at = await browser.get(at.url.slice(ISSUER.length));
  return at;
}

/** The page's form for this path: its hidden fields. */
export function formTo(page: Answer, action: string): Readonly<Record<string, string>> {
  const forms = page.body.split('<form ').slice(1);
  const form = forms.find((text) => text.includes(`action="${action}"`));
  if (form === undefined) throw new Error(`no form to ${action}: ${page.status}`);
  return formOf(`<form ${form.split('</form>')[0]}`).fields;
}
