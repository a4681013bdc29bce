/** Secrets in the console: an operator sets, replaces and removes one, and no page shows it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { secretNamed } from '../../../src/registration/configured-secrets.ts';
import type { Answer, Browser } from '../../support/browser.ts';
import {
  type ConsoleApp,
  consoleBrowser,
  formTo,
  openConsoleApp,
  openPage,
  withPeople,
} from '../../support/console.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { testKeys } from '../../support/macs.ts';
import { webhooksFile } from '../../support/webhooks.ts';

const LIST = '/console/secrets';
const SET = '/console/secret/set';
const REMOVE = '/console/secret/remove';
const VALUE = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;

describe('secrets in the console', () => {
  let opened: TestDatabase;
  let test: ConsoleApp;
  let browser: Browser;
  let pages = '';
  beforeAll(async () => {
    opened = await openTestDatabase(anyDatabase);
    const webhooks = webhooksFile([{ name: 'crm', url: 'https://crm.example.com/', secretEnvironment: 'CRM_SECRET' }]);
    test = await openConsoleApp(opened.database, { configuration: { ...withPeople(), webhooks } });
    browser = consoleBrowser(test);
    await openPage(browser, test.operator);
  });
  afterAll(async () => {
    await test?.app.close();
    await opened?.close();
  });
  const seen = (answer: Answer): Answer => {
    pages += answer.body;
    return answer;
  };
  const shown = async (path: string) => seen(await browser.get(path)).body;
  const send = async (form: string, values: Readonly<Record<string, string>>) =>
    seen(await browser.post(SET, { ...formTo(await browser.get(form), SET), ...values }));
  const stored = (name: string) => secretNamed({ db: test.database.drizzle, keys: testKeys }, {}, name);

  it('has a page one click from the configuration, which says from where each comes', async () => {
    expect(await shown('/console/configuration')).toContain(`href="${LIST}"`);
    const body = await shown(LIST);
    expect(body).toContain('CRM_SECRET');
    expect(body).toContain('webhooks.yaml');
    expect(body).toContain('missing');
    expect(body).toContain('STATEHOUSE_SMTP_URL');
    expect(body).toContain('mails of this server');
  });

  it('sets the secret of an endpoint, without a field that shows it', async () => {
    const form = await shown(`${SET}?name=CRM_SECRET`);
    expect(form).toMatch(/<input type="password" id="field-value" name="value"[^>]* value="" autocomplete="off"/);
    const done = await send(`${SET}?name=CRM_SECRET`, { value: VALUE });
    expect([done.url, done.body.includes('The secret is set')]).toEqual([`${LIST}?done=secret-set`, true]);
    expect(await stored('CRM_SECRET')).toBe(VALUE);
    expect(await shown(LIST)).toContain('Replace CRM_SECRET');
  });

  it('shows the form again for a value of another format, without the value', async () => {
    const refused = await send(`${SET}?name=CRM_SECRET`, { value: 'hunter-two' });
    expect([refused.status, refused.body.includes('whsec_')]).toEqual([400, true]);
    expect(refused.body).not.toContain('hunter-two');
    expect(await stored('CRM_SECRET')).toBe(VALUE);
  });

  it('sets a secret that a file names later, and removes it', async () => {
    await send(SET, { name: 'NEXT_SECRET', value: 'hunter-two' });
    expect(await stored('NEXT_SECRET')).toBe('hunter-two');
    const list = await browser.get(LIST);
    const fields = { ...formTo(list, REMOVE), name: 'NEXT_SECRET' };
    expect((await browser.post(REMOVE, fields)).url).toBe(`${LIST}?done=removed`);
    expect(await stored('NEXT_SECRET')).toBeNull();
    const kept = seen(await browser.post(REMOVE, { ...fields, name: 'CRM_SECRET' }));
    expect([kept.status, kept.body.includes('A file in force needs the secret')]).toEqual([409, true]);
    expect(await stored('CRM_SECRET')).toBe(VALUE);
  });

  it('shows an auditor the list alone', async () => {
    const auditing = consoleBrowser(test);
    const { body } = await openPage(auditing, test.auditor, LIST);
    expect(body).toContain('CRM_SECRET');
    expect(body).not.toContain(SET);
  });

  it('has no value on any page or in the log', () => {
    for (const text of [pages, test.logs()]) {
      expect(text).not.toContain(VALUE);
      expect(text).not.toContain('hunter-two');
    }
  });
});
