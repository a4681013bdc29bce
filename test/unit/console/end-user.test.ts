/** The page of one end-user: the tickets of a support desk. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { rowMacs } from '../../../src/crypto/row-mac.ts';
import type { PasswordHash } from '../../../src/crypto/secret-types.ts';
import {
  authorizeUrl,
  goThrough,
  makeClient,
  makePkce,
  makeUser,
  obtainTokens,
  PASSWORD,
  type TestUser,
} from '../../support/actors.ts';
import { insertUser } from '../../support/administration.ts';
import { Browser } from '../../support/browser.ts';
import { type ConsoleApp, consoleBrowser, formTo, openConsoleApp, openPage } from '../../support/console.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { enrol } from '../../support/factors.ts';
import { mmdbOf } from '../../support/mmdb.ts';
import { registeredPasskey } from '../../support/registered-passkey.ts';

let opened: TestDatabase;
let test: ConsoleApp;
let operator: Browser;
let person: TestUser;
let serial = 0;
let folder: string;
beforeAll(async () => {
  opened = await openTestDatabase('embedded');
  folder = mkdtempSync(join(tmpdir(), 'places-'));
  const placesFile = join(folder, 'places.mmdb');
  writeFileSync(
    placesFile,
    mmdbOf({ '203.0.113.0/24': { city: { names: { en: 'Vienna' } }, country: { iso_code: 'AT' } } }),
  );
  test = await openConsoleApp(opened.database, { placesFile });
});
afterAll(async () => {
  await test.app.close();
  await opened.close();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  operator = consoleBrowser(test);
  await openPage(operator, test.operator);
  person = await makeUser(test, undefined, {
    name: 'Grace',
    email: `grace-${++serial}@example.com`,
    email_verified: true,
    locale: 'de',
  });
});

const shown = () => operator.get(`/console/end-user?id=${person.id}`);
const claims = async () => (await operator.get(`/console/end-user/edit?id=${person.id}`)).body.replaceAll('&#34;', '"');

describe('the page of an end-user', () => {
  it('shows factors, passkeys, browsers, apps and activity', async () => {
    await enrol(test, new Browser(test.app), person);
    await registeredPasskey(test, person);
    const { body } = await shown();
    for (const words of ['10 left', 'the passkey of the test', 'The newest sessions', 'Apps with access', 'Activity'])
      expect(body).toContain(words);
    expect(body).toContain('factorAdded');
  });

  it('shows whether there is a password, the last sign-in, and whether the address is verified', async () => {
    const rowsOf = async (id: string) =>
      (await operator.get(`/console/end-user?id=${id}`)).body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
    const before = await rowsOf(person.id);
    for (const words of ['Password set', 'Last sign-in none is known', 'Address verified (email_verified) true'])
      expect(before).toContain(words);
    await goThrough(new Browser(test.app), authorizeUrl(await makeClient(test), makePkce()), person);
    expect(await rowsOf(person.id)).not.toContain('none is known');
    const invited = { id: randomUUID(), username: `invited-${serial}`, passwordHash: '' as PasswordHash };
    const claims = { email: `invited-${serial}@example.com` };
    await insertUser(test.database.drizzle, { ...invited, claims }, rowMacs(test.keys));
    const of = await rowsOf(invited.id);
    for (const words of ['Password none', 'Address verified (email_verified) false']) expect(of).toContain(words);
  });

  it('shows the place and the browser of a sign-in, and the place of a failed one', async () => {
    const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
    const client = await makeClient(test);
    for (const password of ['wrong', PASSWORD]) {
      const browser = new Browser(test.app, '203.0.113.9', { 'user-agent': agent });
      const at = await browser.get(authorizeUrl(client, makePkce()));
      await browser.submit(at, { username: person.username, password });
    }
    const { body } = await shown();
    const rows = (body.split('Ledger entries')[1] ?? '').split('<tr>').filter((row) => row.includes('203.0.113.9'));
    const [signedIn = '', failed = ''] = rows;
    expect(rows).toHaveLength(2);
    expect(signedIn).toContain('<bdi>Vienna, Austria</bdi><br><bdi>Firefox');
    expect(failed).toContain('refused');
    expect(failed).toContain('<bdi>Vienna, Austria</bdi></td>');
  });

  it('shows the chains of one app on two devices apart, with their browsers', async () => {
    const agents = [
      'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
    ];
    const client = await makeClient(test);
    for (const agent of agents) {
      const browser = new Browser(test.app, '203.0.113.9', { 'user-agent': agent });
      await goThrough(browser, authorizeUrl(client, makePkce()), person);
    }
    const [, table = ''] = (await shown()).body.split('The newest grants');
    const rows = (table.split('</table>')[0] ?? '').split('<tr>').filter((row) => row.includes(client.clientId));
    expect(rows).toHaveLength(2);
    expect(rows.filter((row) => row.includes('Firefox'))).toHaveLength(1);
    expect(rows.filter((row) => row.includes('Safari'))).toHaveLength(1);
  });

  it('says how each grant ended, by a decision or by time', async () => {
    const client = await makeClient(test);
    await goThrough(new Browser(test.app), authorizeUrl(client, makePkce()), person);
    const states = async () => {
      const [, table = ''] = (await shown()).body.split('The newest grants');
      return [...(table.split('</table>')[0] ?? '').matchAll(/<span class="badge \w+">(.*?)<\/td>/g)].map(
        ([, words = '']) => words.replaceAll(/<[^>]*>/g, ''),
      );
    };
    expect(await states()).toEqual(['active']);
    // No exchange of the code.
    test.clock.advanceSeconds(61);
    expect(await states()).toEqual(['ended by time']);
    await obtainTokens(test, client, person);
    const page = await operator.get(`/console/end-user/disable?id=${person.id}`);
    await operator.post('/console/end-user/disable', formTo(page, '/console/end-user/disable'));
    expect((await shown()).body).toMatch(/operator <a [^>]*><bdi>olga<\/bdi><\/a>/);
    expect((await states())[0]).toBe('ended user ended user_ended');
  });

  it('removes the authenticator apps and recovery codes, after a page that says what follows', async () => {
    await enrol(test, new Browser(test.app), person);
    const path = `/console/end-user/remove?id=${person.id}&what=second-factor&item=`;
    const page = await operator.get(path);
    expect(page.body).toContain('Remove the authenticator apps and recovery codes of');
    const done = await operator.post('/console/end-user/remove', formTo(page, '/console/end-user/remove'));
    expect(done.body).toContain('Removed.');
    expect(done.body).not.toContain('10 left');
  });

  it('removes a passkey of a lost phone, and that one alone', async () => {
    const lost = await registeredPasskey(test, person);
    const kept = await registeredPasskey(test, person);
    const page = await operator.get(`/console/end-user/remove?id=${person.id}&what=passkeys&item=${lost.id}`);
    const { body } = await operator.post('/console/end-user/remove', formTo(page, '/console/end-user/remove'));
    expect(body).not.toContain(lost.id);
    expect(body).toContain(kept.id);
  });

  it('removes nothing for a kind that does not exist', async () => {
    const page = await operator.get(`/console/end-user/remove?id=${person.id}&what=__proto__&item=x`);
    expect(page.url).toBe(`/console/end-user?id=${person.id}`);
  });

  it('needs a recent sign-in to remove a way to sign in', async () => {
    await enrol(test, new Browser(test.app), person);
    const path = `/console/end-user/remove?id=${person.id}&what=second-factor&item=`;
    const page = await operator.get(path);
    test.clock.advanceSeconds(601);
    const answer = await operator.post('/console/end-user/remove', formTo(page, '/console/end-user/remove'));
    expect(answer.body).toContain('name="password"');
    await openPage(consoleBrowser(test), test.operator);
  });
});

describe('the form that changes an end-user', () => {
  const post = async (change: Readonly<Record<string, string>>) => {
    const page = await operator.get(`/console/end-user/edit?id=${person.id}`);
    return operator.post('/console/end-user/edit', {
      ...fields(page.body),
      ...formTo(page, '/console/end-user/edit'),
      ...change,
    });
  };

  it('changes username, names and address, and leaves the other claims', async () => {
    const page = await post({
      username: `${person.username}-new`,
      name: 'Grace Hopper',
      email: 'hopper@example.com',
      email_verified: '',
    });
    expect(page.url).toBe(`/console/end-user?id=${person.id}&done=changed`);
    expect(page.body).toContain(`${person.username}-new`);
    expect(page.body).toContain('hopper@example.com');
    expect(await claims()).toContain('"locale": "de"');
  });

  it('removes a claim whose field is empty, and one that is gone from the others', async () => {
    await post({ name: '', others: '{"zoneinfo":"Europe/Vienna"}' });
    const form = await claims();
    expect(form).not.toContain('Grace');
    expect(form).not.toContain('locale');
    expect(form).toContain('"zoneinfo": "Europe/Vienna"');
  });

  it.each([
    ['claims that are no JSON', { others: '{"locale":' }, 'not a JSON object'],
    ['claims that are a list', { others: '["de"]' }, 'not a JSON object'],
    ['a value of a wrong type', { others: '{"locale":7}' }, 'locale'],
    ['an address that is none', { email: 'no-address' }, 'email'],
  ])('refuses %s, changes nothing, and keeps what was typed', async (_, change, words) => {
    const page = await post({ ...change, name: 'Typed' });
    expect(page.status).toBe(400);
    expect(page.body).toContain(words);
    expect(page.body).toContain('Typed');
    expect(await claims()).toContain(`grace-${serial}@example.com`);
    expect(await claims()).not.toContain('Typed');
  });

  it('refuses a username that another end-user has', async () => {
    const other = await makeUser(test);
    const page = await post({ username: other.username });
    expect(page.status).toBe(400);
    expect((await shown()).body).toContain(person.username);
  });

  it('changes nothing after another administrator has', async () => {
    const page = await operator.get(`/console/end-user/edit?id=${person.id}`);
    await post({ name: 'Of another' });
    const stale = { ...fields(page.body), ...formTo(page, '/console/end-user/edit'), name: 'Too late' };
    const answer = await operator.post('/console/end-user/edit', stale);
    expect(answer.status).toBe(412);
    expect(await claims()).toContain('Of another');
  });

  it('is not offered to an auditor', async () => {
    const auditor = consoleBrowser(test);
    await openPage(auditor, test.auditor);
    await obtainTokens(test, await makeClient(test), person);
    const { body } = await auditor.get(`/console/end-user?id=${person.id}`);
    expect(body).not.toContain('Change…');
    expect(body).not.toContain('Remove');
    expect((await auditor.get(`/console/end-user/edit?id=${person.id}`)).status).toBe(403);
  });
});

/** The visible fields, as a browser would send them. */
function fields(body: string): Readonly<Record<string, string>> {
  const text = (value = '') => value.replaceAll('&#34;', '"').replaceAll('&#61;', '=');
  const inputs = [...body.matchAll(/<input type="text" id="[^"]*" name="([^"]*)"[^>]* value="([^"]*)"/g)];
  const areas = [...body.matchAll(/<textarea id="[^"]*" name="([^"]*)"[^>]*>\n?([^<]*)</g)];
  const selected = /<option value="([^"]*)" selected>/.exec(body)?.[1];
  return {
    ...Object.fromEntries([...inputs, ...areas].map(([, name = '', value]) => [name, text(value)])),
    email_verified: selected ?? '',
  };
}
