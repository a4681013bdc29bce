/** The ledger as a file: its content, formulas that a spreadsheet must not run, and its end. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { csvOf, jsonLinesOf, MAX_EXPORTED } from '../../../src/console/export.ts';
import { askedIn, type LedgerLine, type Lines } from '../../../src/console/ledger-lines.ts';
import type { ManagementApi } from '../../../src/console/management-api.ts';
import { makeClient, makeUser, obtainTokens } from '../../support/actors.ts';
import type { Browser } from '../../support/browser.ts';
import { type ConsoleApp, consoleBrowser, openConsoleApp, openPage } from '../../support/console.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';

const ASKED = askedIn({ get: () => '', all: () => [] });
const line = (change: Partial<LedgerLine>): LedgerLine => ({
  at: '2030-01-01T00:00:00.000Z',
  machine: 'grant',
  event: 'revocationRequested',
  from: 'active',
  to: 'revoked',
  reason: null,
  generation: null,
  grant_id: null,
  interaction_id: null,
  client_id: null,
  client_name: null,
  sub: null,
  username: null,
  session_id: null,
  signing_key_id: null,
  policy: null,
  scope_withheld: null,
  actor: null,
  actor_sub: null,
  actor_username: null,
  address_hash: null,
  address: null,
  place: null,
  account_hash: null,
  begun_session_id: null,
  user_agent: null,
  fields: null,
  ...change,
});
const lines = (all: readonly LedgerLine[], next: string | null = null): Lines => ({ kind: 'lines', lines: all, next });

async function textOf(parts: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const part of parts) text += part;
  return text;
}

/** Every page has as many lines as were asked for, and there is always one more. */
const endless = {
  list: async (_: string, { limit }: { limit: number }) => ({
    ok: true,
    etag: null,
    value: { items: Array.from({ length: limit }, () => line({})), next: 'more' },
  }),
} as unknown as ManagementApi;
const refusing = {
  list: async () => ({ ok: false, problem: { status: 403, reason: 'insufficient_scope' } }),
} as unknown as ManagementApi;

describe('CSV', () => {
  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '=HYPERLINK("https://evil.test","x")'])(
    'writes %j as text, which no spreadsheet runs',
    async (evil) => {
      const text = await textOf(csvOf(endless, ASKED, lines([line({ client_id: evil })])));
      expect(text).toContain(`"'${evil.replaceAll('"', '""')}"`);
      expect(text).not.toContain(`,"${evil[0]}`);
    },
  );

  it('has a header, and a quote in quotes doubled (RFC 4180)', async () => {
    const text = await textOf(
      csvOf(endless, ASKED, lines([line({ client_id: 'a"b,\nc', fields: ['scope', 'policy'] })])),
    );
    const [header] = text.split('\r\n');
    expect(header).toMatch(/^at,machine,event,from,to,reason,client_id,client_name,sub,username,grant_id/);
    expect(text).toContain('"a""b,\nc"');
    expect(text).toContain('"scope policy"');
  });
});

describe('both formats', () => {
  it('end at a bound, and report it in the last line', async () => {
    const csv = (await textOf(csvOf(endless, ASKED, lines([line({})], 'more')))).trimEnd().split('\r\n');
    expect(csv).toHaveLength(MAX_EXPORTED + 2);
    expect(csv.at(-1)).toContain('Choose a shorter time');
    const json = (await textOf(jsonLinesOf(endless, ASKED, lines([line({})], 'more')))).trimEnd().split('\n');
    expect(json).toHaveLength(MAX_EXPORTED + 1);
    expect(JSON.parse(json.at(-1) ?? '')).toHaveProperty('incomplete');
  });

  it('break off when the API rejects a page, so that a part is not taken for the whole', async () => {
    await expect(textOf(csvOf(refusing, ASKED, lines([line({})], 'more')))).rejects.toThrow('ended early');
  });
});

describe('at /console', () => {
  let opened: TestDatabase;
  let test: ConsoleApp;
  let browser: Browser;
  beforeAll(async () => {
    opened = await openTestDatabase(anyDatabase);
    test = await openConsoleApp(opened.database);
    await obtainTokens(test, await makeClient(test, { clientId: '=cmd|calc' }), await makeUser(test));
    browser = consoleBrowser(test);
    await openPage(browser, test.operator);
  });
  afterAll(async () => {
    await test?.app.close();
    await opened?.close();
  });

  it('the entries of a filter are downloaded, as CSV and as JSON lines', async () => {
    const filter = `client_id=${encodeURIComponent('=cmd|calc')}`;
    const csv = await browser.get(`/console/ledger.csv?${filter}`);
    expect(csv.headers['content-disposition']).toBe('attachment; filename="ledger.csv"');
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(csv.body.match(/"'=cmd\|calc"/g)?.length).toBe(4);
    expect(csv.body.match(/"'=cmd\|calc","Test client"/g)?.length).toBe(4);
    const json = (await browser.get(`/console/ledger.jsonl?${filter}&machine=interaction`)).body.trimEnd().split('\n');
    expect(json.map((text) => JSON.parse(text).event)).toEqual(['consented', 'signedIn']);
  });

  it('a filter that the API rejects gets a page with the error', async () => {
    const { status, body } = await browser.get('/console/ledger.csv?from=yesterday');
    expect(status).toBe(400);
    expect(body).toContain('<code>from</code>');
  });

  it('a request without the scope, or without a session, gets no entry', async () => {
    test.setOperators({ operators: [], auditors: [] });
    const closed = await browser.get('/console/ledger.csv');
    test.setOperators({});
    expect(closed.status).toBe(404);
    expect((await consoleBrowser(test).send('GET', '/console/ledger.csv', null)).status).toBe(303);
  });
});
