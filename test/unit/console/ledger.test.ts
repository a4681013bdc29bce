/** The ledger page: choices from the machines, names beside ids, and no token in an address. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KINDS } from '../../../src/management/resources/transition-kinds.ts';
import { transitions } from '../../../src/storage/schema.ts';
import { makeClient, makeUser, obtainTokens, refresh, type TestClient, type TestUser } from '../../support/actors.ts';
import type { Browser } from '../../support/browser.ts';
import { type ConsoleApp, consoleBrowser, formTo, openConsoleApp, openPage } from '../../support/console.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';

let opened: TestDatabase;
let test: ConsoleApp;
let client: TestClient;
let person: TestUser;
let browser: Browser;
let used: string;
beforeAll(async () => {
  opened = await openTestDatabase('embedded');
  test = await openConsoleApp(opened.database);
  client = await makeClient(test, { clientId: 'photo-book', clientName: 'Photo book' });
  person = await makeUser(test, 'grace');
  await makeClient(test, { clientId: 'other-one', clientName: 'Other client' });
  await makeClient(test, { clientId: 'other-two', clientName: 'Other client' });
  used = (await obtainTokens(test, client, person)).refreshToken;
  await refresh(test, client, used);
  await refresh(test, client, used);
  browser = consoleBrowser(test);
  await openPage(browser, test.operator);
  const page = await browser.get(`/console/end-user/disable?id=${person.id}`);
  await browser.post('/console/end-user/disable', formTo(page, '/console/end-user/disable'));
});
afterAll(async () => {
  await test.app.close();
  await opened.close();
});

const rowsOf = (body: string) => body.split('<tbody>')[1]?.split('</tbody>')[0]?.split('<tr>').slice(1) ?? [];
const rows = async (query: string) => rowsOf((await browser.get(`/console/ledger?${query}`)).body);

describe('the ledger page', () => {
  it('offers each kind of entry as a choice, in words, and those of one machine when it is chosen', async () => {
    const { body } = await browser.get('/console/ledger');
    expect(body).toContain('<option value="refresh_token_reused">refresh token reused</option>');
    expect(body).toContain('<option value="refreshToken">refresh token</option>');
    const ofKeys = (await browser.get('/console/ledger?machine=signingKey')).body;
    expect(ofKeys).toContain('<option value="signingKey" selected>signing key</option>');
    expect(ofKeys).not.toContain('value="refresh_token_reused"');
  });

  it('keeps a chosen value that no machine has', async () => {
    const { body } = await browser.get('/console/ledger?reason=of_an_earlier_version');
    expect(body).toContain('<option value="of_an_earlier_version" selected>of an earlier version</option>');
  });

  it('names the client and the end-user beside their ids', async () => {
    const [ofReuse = ''] = await rows('reason=refresh_token_reused');
    expect(ofReuse).toContain('<bdi>Photo book</bdi></a> <code class="quiet">photo-book</code>');
    const [ofUser = ''] = await rows(`machine=user&sub=${person.id}`);
    expect(ofUser).toContain(`<bdi>grace</bdi></a> <code class="quiet">${person.id.slice(0, 8)}</code>`);
  });

  it('shows words with the wire name beside', async () => {
    const [first = ''] = await rows('reason=refresh_token_reused&machine=grant');
    expect(first).toContain('refresh token reused<br><code class="quiet">refresh_token_reused</code>');
    expect(first).toContain('<code class="quiet">refreshTokenReused</code>');
  });

  it.each([
    ['the name of a client', 'client_id=photo&reason=refresh_token_reused', 2],
    ['the id of a client', 'client_id=photo-book&reason=refresh_token_reused', 2],
    ['the id of a client that is gone', 'client_id=nothing-has-it', 0],
    ['a username', 'sub=grace&machine=user&event=registrationRequested', 1],
    ['the username of an operator who acted', 'actor=OLGA', 1],
    ['the username of an end-user who did not act', 'actor=grace', 0],
    ['an actor, as entries name them', 'actor=server&machine=user&sub=grace&event=registrationRequested', 1],
    ['another actor', 'actor=command_line&machine=user&sub=grace', 0],
    ['the address of a presenter', 'reason=refresh_token_reused&address=127.0.0.1', 2],
    ['an address that no entry has', 'reason=refresh_token_reused&address=203.0.113.9', 0],
    ['a part of a User-Agent, in any case', 'user_agent=LIGHTMY', 2],
    ['a User-Agent that no entry has', 'user_agent=firefox', 0],
  ])('filters by %s', async (_, query, count) => expect(await rows(query)).toHaveLength(count));

  it('finds an operator by the sub and by the name in entries too, and says where a username is unknown', async () => {
    const { operator } = test;
    for (const actor of [operator.id, `operator ${operator.id}`])
      expect(await rows(`actor=${encodeURIComponent(actor)}&machine=user`)).toHaveLength(1);
    const unknown = await browser.get('/console/ledger?actor=not-registered');
    expect([unknown.status, unknown.body.includes('Username not found')]).toEqual([404, true]);
  });

  it('leads from a client that requested a change to the client', async () => {
    const id = 'c0ffee00-0000-4000-8000-000000000000';
    await opened.database.drizzle.insert(transitions).values({
      ...{ shardKey: person.id, at: new Date(), machine: 'user', event: 'enableRequested', userId: person.id },
      ...{ fromState: 'disabled', toState: 'enabled', actor: `client ${id}` },
    });
    const [line = ''] = await rows(`actor=${encodeURIComponent(`client ${id}`)}`);
    expect(line).toContain(`/console/client?id&#61;${id}`);
    expect(line).not.toContain(`/console/end-user?id&#61;${id}`);
  });

  it('asks for more where several clients match', async () => {
    const page = await browser.get('/console/ledger?client_id=other');
    expect([page.status, page.body.includes('Several clients match')]).toEqual([400, true]);
  });
});

describe('a token in the address of a page', () => {
  it.each(['/console/ledger?sub=', '/console/clients?q=', '/console/ledger?client_id=Bearer%20', '/console?period='])(
    '%s is led to an address without it, before a sign-in too',
    async (start) => {
      for (const anyone of [browser, consoleBrowser(test)]) {
        const answer = await anyone.get(`${start}${used}`);
        expect(answer.body).not.toContain(used);
        expect(answer.url).not.toContain(used);
      }
      const page = await browser.get(`${start}${used}`);
      expect(page.url).toBe('/console/find?refused=token');
      expect(page.body).toContain('A token or code was in the address of a page');
    },
  );
});

describe('the kinds of entries', () => {
  it('have the reasons, events and states of a machine', () => {
    const grant = KINDS.find(({ machine }) => machine === 'grant');
    expect(grant?.events).toContain('refreshTokenReused');
    expect(grant?.states).toEqual(['active', 'revoked']);
    expect(grant?.reasons).toContain('chain_behind_token');
  });
  it('have the ways and outcomes of sign-ins', () => {
    const signIn = KINDS.find(({ machine }) => machine === 'signIn');
    expect(signIn?.events).toEqual(expect.arrayContaining(['password', 'passkey', 'upstream', 'delegated', 'link']));
    expect(signIn?.reasons).toEqual(expect.arrayContaining(['credentials_mismatch', 'code_mismatch', 'not_admitted']));
  });
});
