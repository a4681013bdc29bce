/** The account pages as docs/authorization-matrix.md has them: own row or another's × whose form it is × session × how recent the sign-in is. */
import { isDeepStrictEqual } from 'node:util';
import { eq, getTableColumns } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makePasskey, optionsOn } from '../../../src/review/simulation/devices/passkey.ts';
import * as schema from '../../../src/storage/schema.ts';
import { authorizeUrl, goThrough, makePkce, makeUser, PASSWORD, type TestUser } from '../../support/actors.ts';
import { ISSUER } from '../../support/app.ts';
import { type Answer, Browser, formOf } from '../../support/browser.ts';
import { appWith, enrol, secretOn, trustedBrowser } from '../../support/factors.ts';
import { keptMails } from '../../support/mails.ts';
import { registeredPasskey } from '../../support/registered-passkey.ts';
import type { Scene } from '../../support/scene.ts';
import { openTwoServers, type TwoServers } from '../../support/upstream.ts';
import { askedBy, NONE, type Row, rowsWith } from './matrix.ts';
import { freshRows } from './rows.ts';

const SIGN_IN_METHODS = '/account/sign-in-methods';

let two: TwoServers;
let scene: Scene;
beforeAll(async () => {
  two = await openTwoServers({}, { mail: keptMails() });
  ({ scene } = two);
});
afterAll(() => two.close());

type Person = { readonly user: TestUser; readonly browser: Browser; readonly ids: Readonly<Record<string, string>> };

/** Signed in with two factors in one browser, and with a password in another; has a row of every kind. */
async function person(): Promise<Person> {
  const user = await makeUser(scene, undefined, { email: `${crypto.randomUUID()}@example.com`, email_verified: false });
  const elsewhere = new Browser(scene.app);
  await goThrough(elsewhere, authorizeUrl(scene.client, makePkce()), user);
  const [device] = await db().select().from(schema.sessions).where(eq(schema.sessions.userId, user.id));
  const browser = new Browser(scene.app);
  await enrol(scene, browser, user);
  const [grant] = await db().select().from(schema.grants).where(eq(schema.grants.userId, user.id));
  const [app] = await db().select().from(schema.secondFactors).where(eq(schema.secondFactors.userId, user.id));
  return {
    user,
    browser,
    ids: {
      session: device?.sid ?? '',
      grant: grant?.id ?? '',
      app: app?.id ?? '',
      trust: await trustedBrowser(scene, user.id, app?.id ?? ''),
      passkey: (await registeredPasskey(scene, user)).id,
      identity: await freshRows(scene).identity(user.id),
    },
  };
}
const db = () => scene.database.drizzle;

const OF_USER: readonly PgTable[] = Object.values(schema).filter(
  (value): value is typeof schema.sessions =>
    value instanceof Object && 'userId' in value && typeof value !== 'function',
);

/** All that is stored of this end-user, but for when it was last used. */
async function everythingOf({ user }: Person): Promise<unknown> {
  const account = await db().select().from(schema.users).where(eq(schema.users.id, user.id));
  const others = await Promise.all(
    OF_USER.map(async (table) => {
      const { userId, lastUsedAt: _, ...columns } = getTableColumns(table) as Record<string, never>;
      return db()
        .select(columns)
        .from(table)
        .where(eq(userId as never, user.id));
    }),
  );
  return { account, others: others.map((rows) => rows.map((row) => JSON.stringify(row, bigints)).toSorted()) };
}
const bigints = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

const csrfOf = ({ body }: Answer) => formOf(body).fields['csrf'] ?? '';
/** The page of the section that has the form. */
const pageOf = (path: string): string =>
  path.startsWith('/permissions') ? '/permissions' : path.split('/').slice(0, 3).join('/');

type Fields = Readonly<Record<string, string>>;

/** The row that the form names: one of this user. @param sender the origin of the form. */
const NAMES: Readonly<Record<string, (of: Person, sender: Person) => Fields | Promise<Fields>>> = {
  'POST /account/password': () => ({
    current: PASSWORD,
    chosen: 'another long passphrase',
    repeated: 'another long passphrase',
  }),
  'POST /account/profile': async ({ browser }) => {
    const { version = '' } = formOf((await browser.get('/account/profile')).body).fields;
    return { version, 'claim.name': crypto.randomUUID() };
  },
  'POST /account/devices/end': ({ ids }) => ({ session: ids['session'] ?? '' }),
  'POST /account/devices/end-trust': ({ ids }) => ({ id: ids['trust'] ?? '' }),
  'POST /account/sign-in-methods/passkeys': async ({ browser }) => {
    const page = await browser.get(`${SIGN_IN_METHODS}/passkey`);
    return { name: 'the key', credential: makePasskey(optionsOn(page.body), ISSUER, 0).credential };
  },
  'POST /account/sign-in-methods/passkeys/rename': ({ ids }) => ({ id: ids['passkey'] ?? '', name: 'renamed' }),
  'POST /account/sign-in-methods/passkeys/remove': ({ ids }) => ({ id: ids['passkey'] ?? '' }),
  'POST /account/sign-in-methods/apps/remove': ({ ids }) => ({ id: ids['app'] ?? '' }),
  'POST /account/sign-in-methods/apps/confirm': async ({ browser }) => {
    const csrf = csrfOf(await browser.get(SIGN_IN_METHODS));
    const page = await browser.post(`${SIGN_IN_METHODS}/apps/set-up`, { csrf });
    const { factor = '' } = formOf(page.body).fields;
    return { factor, code: appWith(secretOn(page)).codeAt(scene.clock.now()) };
  },
  'POST /account/apps/end': () => ({ client_id: scene.client.clientId }),
  'POST /account/apps/end-one': ({ ids }) => ({ client_id: scene.client.clientId, grant: ids['grant'] ?? '' }),
  'POST /account/email/change': () => ({ email: `${crypto.randomUUID()}@example.com` }),
  'POST /account/linked-identities/link': () => ({ provider: 'upstream:company' }),
  'POST /account/linked-identities/remove': ({ ids }) => ({ identity: ids['identity'] ?? '' }),
  'POST /account/delete': (_, { user }) => ({ username: user.username }),
  'POST /permissions/end': () => ({ client_id: scene.client.clientId }),
  'POST /permissions/sessions/end': ({ ids }) => ({ session: ids['session'] ?? '' }),
};

/** It shows what is stored, and changes nothing. */
const CHANGES_NOTHING = ['POST /account/data'];

const send = ({ method, path }: ReturnType<typeof askedBy>, by: Browser, fields: Fields): Promise<Answer> =>
  by.send(method as 'GET' | 'POST', path, method === 'GET' ? null : new URLSearchParams(fields).toString());
const leadsToSignIn = ({ status, headers }: Answer): boolean =>
  status === 303 && String(headers['location']).startsWith('/sign-in');

const ROWS = rowsWith('Account', 'own').map((row): [string, Row] => [row['address'] ?? '', row]);
const byMethod = (method: string) => ROWS.filter(([address]) => address.startsWith(method));

const isRecent = (row: Row) => row['recent'] === 'recent';
const FORMS = byMethod('POST');

/** Has a row of every kind too, and keeps them. */
let other: Person;
/** The other's own forms, by their address. */
const theirForms = new Map<string, Fields>();
const formFor = async (address: string, sender: Person, of: Person): Promise<Fields> => ({
  ...(await NAMES[address]?.(of, sender)),
  csrf: csrfOf(await sender.browser.get(pageOf(askedBy(address).path))),
});

async function answersAsSaid(address: string, row: Row): Promise<void> {
  const asked = askedBy(address);
  const owner = await person();
  const foreign = await formFor(address, owner, other);
  const theirs = await formFor(address, other, other);
  theirForms.set(address, theirs);
  const own = await formFor(address, owner, owner);
  const [before, beforeOfOther] = [await everythingOf(owner), await everythingOf(other)];

  expect(leadsToSignIn(await send(asked, new Browser(scene.app), own))).toBe(true);
  for (const csrf of ['', theirs['csrf'] ?? '']) {
    expect((await send(asked, owner.browser, { ...own, csrf })).status).toBe(403);
  }
  if (row["another's"] !== NONE) {
    const refused = await send(asked, owner.browser, foreign);
    expect([refused.status, leadsToSignIn(refused)]).toEqual([Number(row["another's"]), false]);
    expect(refused.body).not.toContain(other.user.username);
    expect(await everythingOf(other)).toEqual(beforeOfOther);
    // The same for a row that does not exist: its id is made up.
    const unknown = Object.fromEntries(
      Object.entries(foreign).map(([name, value]) => [name, NAMES_OF_ROWS.has(name) ? crypto.randomUUID() : value]),
    );
    const nothing = await send(asked, owner.browser, unknown);
    expect([nothing.status, nothing.headers['location']]).toEqual([refused.status, refused.headers['location']]);
  }
  // Revoking a client ends the grant of the requesting end-user, and not that of another one.
  if (!CLIENT_FORMS.has(address)) expect(await everythingOf(owner)).toEqual(before);

  if (!isRecent(row)) scene.clock.advanceSeconds(601);
  const done = await send(asked, owner.browser, own);
  expect([done.status, leadsToSignIn(done)], done.body).toEqual([Number(row['own']), false]);
  expect(isDeepStrictEqual(await everythingOf(owner), before)).toBe(CHANGES_NOTHING.includes(address));
  expect(await everythingOf(other)).toEqual(beforeOfOther);
}
/** Fields that hold the id of a row. */
const NAMES_OF_ROWS = new Set(['id', 'session', 'identity', 'factor', 'grant']);
/** They name the client, as every end-user of the client does. */
const CLIENT_FORMS = new Set(['POST /account/apps/end', 'POST /permissions/end']);

describe('the account pages', () => {
  beforeAll(async () => {
    other = await person();
  });

  it.each(byMethod('GET'))('%s answers as the matrix says', async (address, row) => {
    const asked = askedBy(address);
    expect(leadsToSignIn(await send(asked, new Browser(scene.app), {}))).toBe(true);
    const answer = await send(asked, other.browser, {});
    expect(answer.status).toBe(Number(row['own']));
    expect(answer.body).toContain(other.user.username);
  });

  it.each(FORMS.filter(([, row]) => isRecent(row)))('%s answers as the matrix says', answersAsSaid);

  it.each(ROWS.filter(([, row]) => isRecent(row)))(
    '%s requires another sign-in when the last one is too old',
    async (address) => {
      if (!isLongAgo) scene.clock.advanceSeconds(601);
      isLongAgo = true;
      const before = await everythingOf(other);
      expect(leadsToSignIn(await send(askedBy(address), other.browser, theirForms.get(address) ?? {}))).toBe(true);
      expect(await everythingOf(other)).toEqual(before);
    },
  );
  let isLongAgo = false;

  it.each(byMethod('GET').filter(([, row]) => !isRecent(row)))('%s requires no other sign-in', async (address, row) => {
    expect((await send(askedBy(address), other.browser, {})).status).toBe(Number(row['own']));
  });

  it.each(FORMS.filter(([, row]) => !isRecent(row)))(
    '%s answers as the matrix says, also long after the sign-in',
    answersAsSaid,
  );
});
