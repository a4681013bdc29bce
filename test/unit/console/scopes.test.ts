/** The scopes of the console: its token has those that its pages use, and no other. */
import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MANAGEMENT_SCOPES } from '../../../src/config/management-resource.ts';
import { CONSOLE_CLIENT_ID } from '../../../src/config/own-clients.ts';
import { consoleScope } from '../../../src/console/client.ts';
import type { ManagementApi } from '../../../src/console/management-api.ts';
import { ACTIONS, SCREENS } from '../../../src/console/screens.ts';
import type { Viewer } from '../../../src/console/shown.ts';
import { ADDRESSES, type Method, methodsAt, scopesOf } from '../../../src/management/operations.ts';
import { grants } from '../../../src/storage/schema.ts';
import { makeClient, obtainTokens } from '../../support/actors.ts';
import { ISSUER } from '../../support/app.ts';
import { type ConsoleApp, consoleBrowser, formTo, openConsoleApp, openPage } from '../../support/console.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';

type Call = { readonly method: Method; readonly path: string };

const REFUSED = {
  ok: false,
  problem: { status: 404, reason: 'not_found', title: 'Not found', detail: '', errors: [], missingScope: null },
} as const;

/** The calls of one page or form, up to the first answer that the page cannot do without. */
async function callsOf(use: (viewer: Viewer) => Promise<unknown>): Promise<readonly Call[]> {
  const calls: Call[] = [];
  const asking = (method: Method) => async (path: string) => {
    calls.push({ method, path: path.replace(/\?.*/, '') || '/' });
    return REFUSED;
  };
  const api: ManagementApi = {
    get: asking('GET'),
    list: asking('GET'),
    text: asking('GET'),
    post: asking('POST'),
    put: asking('PUT'),
    patch: asking('PATCH'),
    remove: asking('DELETE'),
  };
  const viewer = {
    me: { kind: 'operator', sub: 'x', username: 'olga', scopes: [] },
    api,
    issuer: ISSUER,
    random: { bytes: (length: number) => Buffer.alloc(length) },
    may: () => true,
    path: (path: string) => path,
    hidden: '',
  } as unknown as Viewer;
  // A page that lacks an answer may fail. Its calls before that count.
  await use(viewer).catch(() => {});
  return calls;
}

const FIELDS = { get: () => 'x', all: () => ['x'] };

const scopeOfCall = ({ method, path }: Call): readonly string[] => {
  const address = ADDRESSES.find(
    (one) => new RegExp(`^${one.replace(/\{\w+\}/g, '[^/]+')}$`).test(path) && methodsAt(one).includes(method),
  );
  if (address === undefined) throw new Error(`The API has no ${method} ${path}.`);
  return scopesOf(address, method);
};

describe('the scopes of the console', () => {
  const used = consoleScope(MANAGEMENT_SCOPES).toSorted();

  it('are those of the calls of its pages and forms', async () => {
    const calls = await Promise.all([
      ...SCREENS.map(({ show }) => callsOf((viewer) => show(viewer, FIELDS))),
      ...ACTIONS.map(({ act }) => callsOf((viewer) => act(viewer, FIELDS))),
    ]);
    expect([...new Set(calls.flat().flatMap(scopeOfCall))].toSorted()).toEqual(used);
  });

  it('are those that its pages and forms name', () => {
    const named = [...SCREENS, ...ACTIONS].flatMap(({ scope }) => scope ?? []);
    expect(named.filter((scope) => !used.includes(scope))).toEqual([]);
  });
});

describe('the token of the console', () => {
  let opened: TestDatabase;
  let test: ConsoleApp;
  beforeAll(async () => {
    opened = await openTestDatabase('embedded');
    test = await openConsoleApp(opened.database);
  });
  afterAll(async () => {
    await test.app.close();
    await opened.close();
  });

  const used = consoleScope(MANAGEMENT_SCOPES);
  async function scopeGrantedBy(userId: string): Promise<readonly string[]> {
    const ofConsole = and(eq(grants.userId, userId), eq(grants.clientId, CONSOLE_CLIENT_ID));
    const [grant] = await opened.database.drizzle.select().from(grants).where(ofConsole);
    return grant?.scope ?? [];
  }

  it('has these scopes for an operator, and the client of the console may have no other', async () => {
    const browser = consoleBrowser(test);
    await openPage(browser, test.operator);
    const { client } = await test.deps.store.loadClient(CONSOLE_CLIENT_ID);
    expect(client?.scope).toEqual(used);
    expect((await scopeGrantedBy(test.operator.id)).toSorted()).toEqual(used.toSorted());
  });

  it('explains a pasted token to an auditor', async () => {
    const client = await makeClient(test);
    const { refreshToken } = await obtainTokens(test, client, test.operator);
    const browser = consoleBrowser(test);
    const page = await openPage(browser, test.auditor);
    const scopes = await scopeGrantedBy(test.auditor.id);
    expect(scopes).toContain(scopesOf('/explanations', 'POST')[0]);
    expect(scopes.filter((scope) => !scope.endsWith(':read'))).toEqual([]);
    const explained = await browser.post('/console/find', { ...formTo(page, '/console/find'), q: refreshToken });
    expect(explained.status).toBe(200);
    expect(explained.body).toContain('You pasted a refresh token');
    expect(explained.body).not.toContain(refreshToken);
  });
});
