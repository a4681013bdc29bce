/** The search field on top of the console: people, clients, and credentials that must not get into an address. */
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessions } from '../../../src/storage/schema.ts';
import { makeClient, makeUser, obtainTokens, refresh, type TestClient, type TestUser } from '../../support/actors.ts';
import type { Answer, Browser } from '../../support/browser.ts';
import { AUDITOR, type ConsoleApp, consoleBrowser, formTo, openConsoleApp, openPage } from '../../support/console.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { placeOf } from '../../support/stored.ts';

let opened: TestDatabase;
let test: ConsoleApp;
let client: TestClient;
let person: TestUser;
let browser: Browser;
beforeAll(async () => {
  opened = await openTestDatabase('embedded');
  test = await openConsoleApp(opened.database);
  client = await makeClient(test, { clientId: 'photo-book', clientName: 'Photo book' });
  person = await makeUser(test, 'grace', { name: 'Grace Hopper', email: 'g.hopper@navy.example' });
  browser = consoleBrowser(test);
  await openPage(browser, test.operator);
});
afterAll(async () => {
  await test.app.close();
  await opened.close();
});

const db = () => opened.database.drizzle;
const linkTo = (page: string, id: string) => `/console/${page}?id&#61;${id}"`;

async function find(q: string): Promise<Answer> {
  const page = await browser.get('/console');
  return browser.post('/console/find', { ...formTo(page, '/console/find'), q });
}

describe('the search field', () => {
  it.each([
    ['a part of the name', 'opper'],
    ['a part of the e-mail address', 'navy.ex'],
    ['a part of the username', 'rac'],
  ])('finds an end-user by %s', async (_, q) => {
    const page = await find(q);
    expect(page.url).toBe(`/console/find?q=${q}`);
    expect(page.body).toContain(linkTo('end-user', person.id));
    expect(page.body).toContain('g.hopper@navy.example');
  });

  it('finds a client by a part of its name', async () => {
    expect((await find('book')).body).toContain(linkTo('client', 'photo-book'));
  });

  it('says that nothing matches', async () => {
    const { body } = await find('nothing-like-it');
    expect(body).toContain('End-users by username: none.');
    expect(body).toContain('Clients by id: none.');
  });

  it('leads from the id of a grant, an end-user or a session to its page', async () => {
    const { grant } = await aChain();
    expect((await find(grant.toUpperCase())).url).toBe(`/console/grant?id=${grant}`);
    expect((await find(person.id)).url).toBe(`/console/end-user?id=${person.id}`);
    const [session] = await db().select({ sid: sessions.sid }).from(sessions).where(eq(sessions.userId, person.id));
    expect((await find(session?.sid ?? '')).url).toBe(`/console/end-user?id=${person.id}`);
    const unknown = randomUUID();
    expect((await find(unknown)).url).toBe(`/console/find?q=${unknown}`);
  });

  it('explains a pasted refresh token, a code and an access token, and shows none of them', async () => {
    const { tokens } = await aChain();
    await refresh(test, client, tokens.refreshToken);
    await refresh(test, client, tokens.refreshToken);
    for (const [credential, words] of [
      [tokens.refreshToken, 'You pasted a refresh token, used: 1 rotation ago'],
      [tokens.accessToken, 'You pasted an access token, good until'],
      [`sh_ac_${'x'.repeat(40)}`, 'A token without a grant'],
      [`sh_rt_${'x'.repeat(5000)}`, 'A token without a grant'],
    ] as const) {
      const page = await find(` ${credential}\n`);
      expect(page.url).toBe('/console/find');
      expect(page.body).toContain(words);
      expect(page.body).not.toContain(credential);
    }
    const { body } = await find(tokens.refreshToken);
    expect(body).toContain('Used token presented again');
    expect(body).toContain('from 127.0.0.1');
    expect(body).toContain('How to prevent this:');
  });

  it.each(['Bearer ', '"', 'refresh_token=', 'token: '])('explains a credential after %j, too', async (before) => {
    const { tokens } = await aChain();
    for (const credential of [tokens.refreshToken, tokens.accessToken]) {
      const page = await find(`${before}${credential}"`);
      expect(page.url).toBe('/console/find');
      expect(page.body).toContain('You pasted a');
      expect(page.body).not.toContain(credential);
    }
  });

  it('does not pass on a long text, which may be a secret', async () => {
    const page = await find('s'.repeat(201));
    expect(page.status).toBe(400);
    expect(page.body).not.toContain('sss');
  });

  it('refuses a query without the token of the form', async () => {
    const page = await browser.post('/console/find', { q: 'grace' });
    expect(page.status).toBe(403);
    expect(page.body).not.toContain(person.id);
  });

  it('shows an auditor what the role may see', async () => {
    test.setOperators({ auditors: [], operators: [], clients: [] });
    expect((await browser.get('/console/find?q=grace')).body).not.toContain(person.id);
    test.setOperators({});
    const auditor = consoleBrowser(test);
    await openPage(auditor, test.auditor);
    expect(test.auditor.username).toBe(AUDITOR);
    expect((await auditor.get('/console/find?q=grace')).body).toContain(person.id);
  });

  async function aChain() {
    const tokens = await obtainTokens(test, client, person);
    const grant = placeOf(test.keys, tokens.refreshToken).grantId;
    return { tokens, grant };
  }
});
