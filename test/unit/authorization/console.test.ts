/** The console as docs/authorization-matrix.md has it: pages and forms × scope × role × whose form it is × how recent the sign-in is. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MANAGEMENT_SCOPE_NAMES } from '../../../src/config/management-resource.ts';
import { makeUser } from '../../support/actors.ts';
import { disableUser } from '../../support/administration.ts';
import { shippedConfiguration } from '../../support/app.ts';
import { type Answer, Browser } from '../../support/browser.ts';
import {
  AUDITOR,
  type ConsoleApp,
  consoleBrowser,
  formTo,
  OPERATOR,
  openConsoleApp,
  openPage,
  SAME_ORIGIN,
} from '../../support/console.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { keptMails } from '../../support/mails.ts';
import { BOT, makeBot } from '../../support/management.ts';
import { trustedBrowser } from '../../support/trusted-browser.ts';
import { webhooksFile } from '../../support/webhooks.ts';
import { askedBy, NONE, type Row, rowsWith } from './matrix.ts';
import { freshRows } from './rows.ts';

/** Shorter than a token of the console, which would be renewed otherwise. */
const RECENT_SECONDS = 60;
const PEOPLE = { operators: [OPERATOR, 'oscar'], auditors: [AUDITOR] };

let opened: TestDatabase;
let test: ConsoleApp;
const browsers = {} as { operator: Browser; other: Browser; auditor: Browser; former: Browser };
/** Of the forms that each was shown. */
const tokens = {} as Record<keyof typeof browsers, Readonly<Record<string, string>>>;
beforeAll(async () => {
  opened = await openTestDatabase(anyDatabase);
  test = await openConsoleApp(opened.database, {
    configuration: {
      ...shippedConfiguration,
      signIn: {
        ...shippedConfiguration.signIn,
        recentSignInSeconds: RECENT_SECONDS,
        signUp: 'invitation',
        trustedBrowserLifetimeSeconds: 86_400,
      },
      webhooks: webhooksFile([{ name: 'crm', url: 'https://crm.example.com/hooks' }]),
    },
    mail: keptMails(),
  });
  const bot = [{ client_id: BOT, scope: [...MANAGEMENT_SCOPE_NAMES] }];
  test.setOperators({ operators: [...PEOPLE.operators, 'fay'], auditors: PEOPLE.auditors, clients: bot });
  await makeBot(test);
  const people = {
    operator: test.operator,
    other: await makeUser(test, 'oscar'),
    auditor: test.auditor,
    former: await makeUser(test, 'fay'),
  };
  for (const [name, user] of Object.entries(people) as [keyof typeof browsers, typeof test.operator][]) {
    browsers[name] = consoleBrowser(test);
    tokens[name] = formTo(await openPage(browsers[name], user), '/console/sign-out');
  }
  test.setOperators({ ...PEOPLE, clients: bot });
});
afterAll(async () => {
  await test?.app.close();
  await opened?.close();
});

type Prepared = {
  /** Of the page. */
  readonly query?: string;
  /** The page that has the form, and what a person fills in. */
  readonly form?: string;
  readonly fields?: Readonly<Record<string, string>>;
};
const DRAFT = { file: 'default.policy.yaml', yaml: 'accessTokenLifetimeSeconds: 900\n', days: '1' };
const rows = () => freshRows(test);
const disabled = async () => {
  const user = await makeUser(test);
  await disableUser(test.database.drizzle, user.username);
  return user.id;
};
let serial = 0;
const PASSPHRASE = 'another long passphrase';
const client = async () => ({ query: `?id=${await rows().client()}` });
const user = async () => ({ query: `?id=${await rows().user()}` });

const removal = async () => ({ query: `?id=${await rows().user()}&what=second-factor&item=` });

/** The token of another form of the page: this one is there in some states alone. */
const byTest = async (fields: Readonly<Record<string, string>>) => ({
  fields: { ...formTo(await browsers.operator.get('/console/webhooks'), '/console/webhooks/test'), ...fields },
});

/** A fresh row for each page and form that is about one. */
const PREPARED: Readonly<Record<string, () => Promise<Prepared>>> = {
  'POST /console/find': async () => ({ form: '/console', fields: { q: 'ada' } }),
  'GET /console/machine': async () => ({ query: '?name=grant' }),
  'GET /console/client': client,
  'GET /console/client/try': client,
  'GET /console/client/edit': client,
  'GET /console/client/delete': client,
  'POST /console/client/new': async () => ({
    form: '/console/client/new?kind=web',
    fields: { client_name: 'Shop', redirect_uris: 'https://shop.example/cb', grant_types: 'authorization_code' },
  }),
  'POST /console/client/edit': async () => ({
    form: `/console/client/edit?id=${await rows().client()}`,
    fields: { client_name: 'Shop', redirect_uris: 'https://shop.example/cb', grant_types: 'authorization_code' },
  }),
  'POST /console/client/secrets': async () => ({ form: `/console/client?id=${await rows().client()}` }),
  'POST /console/client/secrets/remove': async () => {
    const id = await rows().client();
    return { form: `/console/client?id=${id}`, fields: { id, secret: await rows().secret(id) } };
  },
  'POST /console/client/delete': async () => ({ form: `/console/client/delete?id=${await rows().client()}` }),
  'GET /console/end-user': user,
  'GET /console/end-user/edit': user,
  'POST /console/end-user/edit': async () => ({
    form: `/console/end-user/edit?id=${await rows().user()}`,
    fields: { username: `changed-${++serial}` },
  }),
  'GET /console/end-user/remove': removal,
  'POST /console/end-user/remove': async () => ({ form: `/console/end-user/remove${(await removal()).query}` }),
  'GET /console/end-user/link': user,
  'POST /console/end-user/link': async () => ({ form: `/console/end-user/link?id=${await rows().addressed()}` }),
  'POST /console/invitations': async () => ({
    form: '/console/invitations',
    fields: { email: `invited-${++serial}@example.com` },
  }),
  'POST /console/invitations/withdraw': async () => {
    await rows().invitation();
    return { form: '/console/invitations' };
  },
  'GET /console/end-user/disable': user,
  'GET /console/end-user/password': user,
  'GET /console/end-user/delete': user,
  'POST /console/end-user/new': async () => ({
    form: '/console/end-user/new',
    fields: { username: `made-${++serial}`, password: PASSPHRASE },
  }),
  'POST /console/end-user/disable': async () => ({ form: `/console/end-user/disable?id=${await rows().user()}` }),
  'POST /console/end-user/enable': async () => ({ form: `/console/end-user?id=${await disabled()}` }),
  'POST /console/end-user/password': async () => ({
    form: `/console/end-user/password?id=${await rows().user()}`,
    fields: { password: PASSPHRASE },
  }),
  'POST /console/end-user/delete': async () => ({ form: `/console/end-user/delete?id=${await rows().user()}` }),
  'GET /console/grant': async () => ({ query: `?id=${(await rows().grant()).id}` }),
  'GET /console/grant/end': async () => ({ query: `?id=${(await rows().grant()).id}` }),
  'POST /console/grant/end': async () => ({ form: `/console/grant/end?id=${(await rows().grant()).id}` }),
  'GET /console/session/end': async () => ({ query: `?id=${await rows().session()}` }),
  'POST /console/session/end': async () => ({ form: `/console/session/end?id=${await rows().session()}` }),
  'POST /console/trusted-browser/end': async () => {
    const user = await makeUser(test);
    await trustedBrowser(test, user);
    return { form: `/console/end-user?id=${user.id}` };
  },
  'GET /console/keys/rotate': async () => ({ query: '?alg=ES256' }),
  'POST /console/keys/rotate': async () => ({ form: '/console/keys/rotate?alg=ES256' }),
  'GET /console/key/revoke': async () => ({ query: `?id=${await rows().signingKey()}` }),
  'POST /console/key/revoke': async () => ({ form: `/console/key/revoke?id=${await rows().signingKey()}` }),
  'GET /console/webhooks/delivery': async () => ({ query: `?id=${await rows().delivery()}` }),
  'POST /console/webhooks/delivery/repeat': async () => ({
    form: `/console/webhooks/delivery?id=${await rows().delivery()}`,
  }),
  'POST /console/webhooks/test': async () => ({ form: '/console/webhooks' }),
  'POST /console/webhooks/pause': () => byTest({ receiver: 'crm' }),
  'POST /console/webhooks/resume': () => byTest({ receiver: 'crm' }),
  'POST /console/webhooks/redeliver': () => byTest({ receiver: 'crm' }),
  'POST /console/configuration/draft/consequences': async () => ({
    form: '/console/configuration/draft',
    fields: DRAFT,
  }),
  'POST /console/ledger/verify': async () => ({ form: '/console/ledger/verify' }),
  'POST /console/configuration/draft/patch': async () => ({ fields: { ...tokens.operator, ...DRAFT } }),
  'POST /console/secret/set': async () => ({
    form: '/console/secret/set',
    fields: { name: `SET_${++serial}`, value: 'a new secret' },
  }),
  'POST /console/secret/remove': async () => byTest({ name: await rows().configuredSecret() }),
  'GET /console/mails/content': async () => ({ query: '?kind=sign_up&language=de' }),
  'POST /console/mails/test': async () => ({ form: '/console/mails?kind=sign_up' }),
};

type Request = {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
};

async function prepared(address: string, by = browsers.operator): Promise<Request> {
  const { method, path } = askedBy(address);
  const { query = '', form, fields = {} } = (await PREPARED[address]?.()) ?? {};
  const shown = form === undefined ? {} : formTo(await by.get(form), path);
  return { method: method as Request['method'], url: `${path}${query}`, fields: { ...shown, ...fields } };
}
const send = ({ method, url, fields }: Request, by: Browser): Promise<Answer> =>
  by.send(method, url, method === 'GET' ? null : new URLSearchParams(fields).toString());
const asOwn = (request: Request, name: keyof typeof browsers): Request => ({
  ...request,
  fields: { ...request.fields, ...tokens[name] },
});
/** @param headers the browser's own headers about the origin of the request. */
const posing = (by: Browser, headers: Readonly<Record<string, string>>): Browser => {
  const other = consoleBrowser(test, headers);
  for (const [name, value] of by.cookies) other.cookies.set(name, value);
  return other;
};
const leadsTo = ({ status, headers }: Answer): string | null =>
  status === 303 ? (String(headers['location']).startsWith('/oauth/authorize') ? 'sign-in' : 'console') : null;

const ROWS = rowsWith('Console', 'auditor').map((row): [string, Row] => [row['address'] ?? '', row]);

describe('the console', () => {
  it.each(ROWS)('%s answers each caller as the matrix says', async (address, row) => {
    const request = await prepared(address);
    const [operator, auditor] = [Number(row['operator']), Number(row['auditor'])];
    const stranger = await send(request, new Browser(test.app, undefined, SAME_ORIGIN));
    if (request.method === 'GET') {
      expect([stranger.status, leadsTo(stranger)]).toEqual([303, 'sign-in']);
    } else {
      expect(stranger.status).toBe(403);
      const elsewhere = { ...SAME_ORIGIN, origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' };
      expect((await send(request, posing(browsers.operator, elsewhere))).status).toBe(403);
      expect((await send(asOwn(request, 'other'), browsers.operator)).status).toBe(403);
    }
    expect((await send(asOwn(request, 'former'), browsers.former)).status).toBe(403);
    const seen = await send(asOwn(request, 'auditor'), browsers.auditor);
    expect(seen.status, seen.body).toBe(auditor);
    // A rejected request has changed no row: the form is as valid as when it was shown.
    const done = await send(request, browsers.operator);
    expect(done.status, done.body).toBe(operator);
    expect(leadsTo(done)).toBe(operator === 303 ? 'console' : null);
  });

  it.each(rowsWith('Console', 'without a console session').map((row): [string, Row] => [row['address'] ?? '', row]))(
    '%s answers a browser without a console session as the matrix says',
    async (address, row) => {
      const request = await prepared(address);
      const stranger = await send(request, new Browser(test.app, undefined, SAME_ORIGIN));
      expect(stranger.status).toBe(Number(row['without a console session']));
      if (row['form of another operator'] === NONE) return;
      const foreign = await send(asOwn(request, 'other'), browsers.operator);
      expect(foreign.status).toBe(Number(row['form of another operator']));
      expect((await browsers.operator.get('/console')).status).toBe(200);
    },
  );
});

describe('the console, when the sign-in is too old', () => {
  let requests: ReadonlyMap<string, Request>;
  beforeAll(async () => {
    // Shown while it was recent.
    const shown: [string, Request][] = [];
    for (const [address] of ROWS) shown.push([address, await prepared(address)]);
    requests = new Map(shown);
    test.clock.advanceSeconds(RECENT_SECONDS + 1);
  });

  it.each(ROWS)('%s answers an operator as the matrix says', async (address, row) => {
    const request = requests.get(address);
    if (request === undefined) throw new Error('not prepared');
    const answer = await send(request, browsers.operator);
    const asksAgain = row['recent'] === 'recent';
    expect([answer.status, leadsTo(answer)]).toEqual(
      asksAgain ? [303, 'sign-in'] : [Number(row['operator']), Number(row['operator']) === 303 ? 'console' : null],
    );
  });
});
