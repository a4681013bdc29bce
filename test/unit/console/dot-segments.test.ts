/** Ids that are segments of a path: a URL resolves them, so that a page would show, and a form would change, another resource. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { managementApi } from '../../../src/console/management-api.ts';
import type { SentByConsole } from '../../../src/console/send.ts';
import type { Browser } from '../../support/browser.ts';
import { type ConsoleApp, consoleBrowser, openConsoleApp, openPage } from '../../support/console.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';

describe('an id that is a segment of a path', () => {
  let opened: TestDatabase;
  let test: ConsoleApp;
  let browser: Browser;
  beforeAll(async () => {
    opened = await openTestDatabase(anyDatabase);
    test = await openConsoleApp(opened.database);
    browser = consoleBrowser(test);
    await openPage(browser, test.operator, '/console');
  });
  afterAll(async () => {
    await test?.app.close();
    await opened?.close();
  });

  it.each([
    'grant',
    'client',
    'client/edit',
    'client/delete',
    'end-user',
    'end-user/disable',
    'grant/end',
    'webhooks/delivery',
  ])('is no %s', async (page) => {
    for (const id of ['.', '..']) expect((await browser.get(`/console/${page}?id=${id}`)).status).toBe(404);
  });

  it('is never sent', async () => {
    const sent: SentByConsole[] = [];
    const send = async (request: SentByConsole) => {
      sent.push(request);
      return { status: 204, text: '', header: () => null };
    };
    const api = managementApi({ send, issuer: test.issuer }, { token: 'T', address: '127.0.0.1' });
    expect(await api.remove('/clients/shop/secrets/..')).toMatchObject({ ok: false, problem: { status: 404 } });
    expect(await api.patch('/users/..', {}, '*')).toMatchObject({ ok: false, problem: { reason: 'not_found' } });
    expect(sent).toEqual([]);
    await api.remove('/clients/...');
    expect(sent).toHaveLength(1);
  });
});
