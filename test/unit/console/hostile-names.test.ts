/** Names that others chose stay names, on every page that shows them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { name, shownText } from '../../../src/console/shown-text.ts';
import { makeClient, makeUser, obtainTokens, type TestUser } from '../../support/actors.ts';
import type { Browser } from '../../support/browser.ts';
import { type ConsoleApp, consoleBrowser, openConsoleApp, openPage } from '../../support/console.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';

const HOSTILE = '"><script>alert(1)</script><svg/onload=alert(1)>\u202egnp.exe\u200b\'`{{7*7}}';
const CLIENT_ID = '"/><script>alert(2)</script> ../?&#%20';

let opened: TestDatabase;
let test: ConsoleApp;
let browser: Browser;
let person: TestUser;
beforeAll(async () => {
  opened = await openTestDatabase(anyDatabase);
  test = await openConsoleApp(opened.database);
  person = await makeUser(test, HOSTILE, { name: HOSTILE, ['<img src=x>']: HOSTILE });
  const client = await makeClient(test, { clientId: CLIENT_ID, clientName: HOSTILE });
  await obtainTokens(test, client, person);
  browser = consoleBrowser(test);
  await openPage(browser, test.operator);
});
afterAll(async () => {
  await test?.app.close();
  await opened?.close();
});

const id = encodeURIComponent(CLIENT_ID);

describe('hostile names', () => {
  it.each([
    ['/console/clients', 'alert'],
    [`/console/client?id=${id}`, 'alert'],
    [`/console/client/edit?id=${id}`, 'alert'],
    [`/console/client/delete?id=${id}`, 'alert'],
    [`/console/clients?q=${encodeURIComponent('<script>')}`, 'script'],
    ['/console/end-users', 'alert'],
    ['/console/grants', 'alert'],
    [`/console/grants?client_id=${id}`, 'alert'],
    ['/console/sessions', 'alert'],
    ['/console/ledger', 'alert'],
    [`/console/ledger?reason=${encodeURIComponent('"><script>alert(3)</script>')}`, ''],
    [`/console/machine?name=${encodeURIComponent('"><script>alert(3)</script>')}`, ''],
    [`/console/keys/rotate?alg=${encodeURIComponent('"><script>alert(3)</script>')}`, 'alert'],
    [`/console?done=${encodeURIComponent('<script>')}`, ''],
  ])('are text at %s', async (path, shown) => {
    const { body, status, headers } = await browser.get(path);
    expect(status).toBeLessThan(500);
    expect(body).toContain(shown);
    // The page's own script is the only one, and has no source.
    const scripts = body.match(/<script[^>]*>/g) ?? [];
    expect(scripts.filter((tag) => tag !== '<script type="module">')).toEqual([]);
    expect(body).not.toMatch(/<svg\/onload|<img src=x/i);
    // Characters that reverse text, or hide in it, are made visible.
    expect(body.replaceAll(/ value="[^"]*"|<textarea.*?<\/textarea>/gs, '')).not.toMatch(/[\u202e\u200b]/);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(policy).toContain("form-action 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['referrer-policy']).toBe('same-origin');
  });

  it('of an end-user are text on every page that shows the end-user', async () => {
    for (const rest of ['', '/disable', '/password', '/delete']) {
      const { body } = await browser.get(`/console/end-user${rest}?id=${person.id}`);
      expect(body).toContain('alert(1)');
      // Without the script of the page itself.
      expect(body.replaceAll('<script type="module">', '').match(/<script|<img|<svg/g)).toBeNull();
    }
  });
});

describe('the text of a name', () => {
  it.each([
    ['a\u202eb', 'a[U+202E]b'],
    ['\u2066x\u2069', '[U+2066]x[U+2069]'],
    ['a\u0007\u0000b', 'a[U+0007][U+0000]b'],
    ['zero\u200bwidth\ufeff', 'zero[U+200B]width[U+FEFF]'],
    // A family, and Persian: joiners belong to them.
    ['👩‍👩‍👧', '👩‍👩‍👧'],
    ['می‌خواهم', 'می‌خواهم'],
    ['x'.repeat(300), `${'x'.repeat(200)}…`],
  ])('%j is %j', (text, shown) => {
    expect(shownText(text)).toBe(shown);
  });

  it('is isolated, and escaped', () => {
    expect(name('<b>')).toBe('<bdi>&#60;b&#62;</bdi>');
  });
});
