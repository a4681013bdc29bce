/** Each list of the management API, by each of its filters, with rows of other owners beside: the answer holds exactly the own rows. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MANAGEMENT_SCOPE_NAMES } from '../../../src/config/management-resource.ts';
import { RESOURCES } from '../../../src/management/resources/all.ts';
import { endListedSession } from '../../../src/protocol/browser-session.ts';
import {
  authorizeUrl,
  exchange,
  goThrough,
  makeClient,
  makePkce,
  makeUser,
  type TestUser,
} from '../../support/actors.ts';
import { saveClient } from '../../support/administration.ts';
import { ISSUER } from '../../support/app.ts';
import { Browser } from '../../support/browser.ts';
import { testClock } from '../../support/clock.ts';
import { anyDatabase } from '../../support/database.ts';
import { callerWith, makeBot, tokenOf, withBot } from '../../support/management.ts';
import { registeredPasskey } from '../../support/registered-passkey.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { webhooksFile } from '../../support/webhooks.ts';
import { freshRows } from './rows.ts';

type Item = Readonly<Record<string, unknown>>;

let scene: Scene;
let users: readonly TestUser[];
/** Every item of each list, without a filter. */
const everything = new Map<string, readonly Item[]>();

beforeAll(async () => {
  scene = await openScene(anyDatabase, {
    // The helpers that register have the clock of the machine, and the ledger takes instants to rise with its lines.
    clock: testClock(new Date()),
    configuration: {
      ...withBot(),
      webhooks: webhooksFile(['crm', 'siem'].map((name) => ({ name, url: `https://${name}.example.com/` }))),
    },
  });
  await makeBot(scene);
  const rows = freshRows(scene);
  const clients = [await makeClient(scene, { clientId: 'shop' }), await makeClient(scene, { clientId: 'shopping' })];
  const { secret: _, ...declared } = { ...scene.other, clientId: 'declared-shop' };
  await saveClient(scene.database.drizzle, declared, true);
  for (const clientId of ['https://agent.example/client.json', 'an-agent'])
    await saveClient(scene.database.drizzle, { ...declared, clientId }, false, 'self');
  users = [await makeUser(scene, 'mary'), await makeUser(scene, 'mary-ann'), await makeUser(scene, 'ann')];
  let used = { code: '', verifier: '' };
  for (const [at, user] of users.entries()) {
    for (const client of clients) {
      // Another browser, address and instant each.
      scene.clock.advanceSeconds(60);
      const browser = new Browser(scene.app, `198.51.100.${at}`);
      const pkce = makePkce();
      const { url } = await goThrough(browser, authorizeUrl(client, pkce), user);
      const code = new URL(url).searchParams.get('code') ?? '';
      expect((await exchange(scene, client, { code, verifier: pkce.verifier })).status).toBe(200);
      used = { code, verifier: pkce.verifier };
    }
    await registeredPasskey(scene, user);
    await rows.identity(user.id);
  }
  expect((await exchange(scene, clients[1] ?? scene.client, used)).status).toBe(400);
  await callerWith(scene, () => tokenOf(scene, MANAGEMENT_SCOPE_NAMES))('POST', '/users', {
    body: { username: 'no-password', claims: { email: 'np@example.com', email_verified: true, name: 'No Password' } },
  });
  const wrong = new Browser(scene.app, '198.51.100.9');
  await wrong.submit(await wrong.get('/sign-in'), { username: 'unknown-user', password: 'a wrong password' });
  for (const { clientId } of clients) await rows.secret(clientId);
  for (const receiver of ['crm', 'siem', 'siem']) await call('POST', `/webhook-receivers/${receiver}/tests`);
  const [grant] = await itemsOf('/grants');
  await call('DELETE', `/grants/${grant?.['grant_id']}`);
  const [session, ...others] = await itemsOf('/sessions');
  await call('DELETE', `/sessions/${session?.['sid']}`);
  const actor = users[1]?.id ?? '';
  for (const [at, kind] of (['operator', 'end_user'] as const).entries()) {
    const { sub, sid } = others[at] ?? {};
    await endListedSession(scene.deps, String(sub), String(sid), { kind, id: actor, addressHash: null });
  }
  await callerWith(scene, () => tokenOf(scene, MANAGEMENT_SCOPE_NAMES))('PATCH', `/users/${users[2]?.id}`, {
    body: { disabled: true },
    headers: { 'if-match': '*' },
  });
  for (const path of Object.keys(FILTERS)) everything.set(path, await itemsOf(path));
});
afterAll(() => scene.close());

const call = (...[method, path]: ['GET' | 'POST' | 'DELETE', string]) =>
  callerWith(scene, () => tokenOf(scene, MANAGEMENT_SCOPE_NAMES))(method, path);

/** All pages. */
async function itemsOf(path: string, query: Readonly<Record<string, string>> = {}): Promise<readonly Item[]> {
  const items: Item[] = [];
  let next: string | undefined = `${path}?${new URLSearchParams({ limit: '100', ...query })}`;
  while (next !== undefined) {
    const answer = await call('GET', next);
    expect(answer.statusCode, answer.body).toBe(200);
    const page = answer.json() as { items: readonly Item[]; _links: { next?: { href: string } } };
    items.push(...page.items);
    next = page._links.next?.href.slice(`${ISSUER}/management/v1`.length);
  }
  return items;
}

type Filter = {
  /** The filters of the list. */
  readonly values: (items: readonly Item[]) => readonly string[];
  readonly fits: (item: Item, value: string) => boolean;
};
/** The field says the same. */
const same = (field: string): Filter => ({
  values: (items) => [...new Set(items.map((item) => item[field]).filter((value) => typeof value === 'string'))],
  fits: (item, value) => item[field] === value,
});
const contains = (...fields: string[]): Filter => ({
  values: () => ['mary', 'ANN', 'shop', 'no-such-name'],
  fits: (item, value) => fields.some((field) => String(item[field]).toLowerCase().includes(value.toLowerCase())),
});
const is = (field: string): Filter => ({
  values: () => ['true', 'false'],
  fits: (item, value) => String(item[field] ?? false) === value,
});
const since = (field: string): Filter => ({
  ...same(field),
  fits: (item, value) => Date.parse(String(item[field])) >= Date.parse(value),
});
const before = (field: string): Filter => ({ ...same(field), fits: (item, value) => !since(field).fits(item, value) });

/** Of the end-user, and of their grants and sessions. */
const aboutUser: Filter = {
  values: () => users.map(({ id }) => id),
  fits: (item, sub) => {
    const has = (path: string, name: string, value: unknown) =>
      value !== null && everything.get(path)?.some((row) => row['sub'] === sub && row[name] === value);
    return (
      item['sub'] === sub ||
      has('/grants', 'grant_id', item['grant_id']) === true ||
      has('/sessions', 'sid', item['session_id']) === true
    );
  },
};

function learnedThrough({ client_id: id, declared, registered_by: by }: Item): string {
  if (by === 'self') return String(id).startsWith('https://') ? 'document' : 'registration';
  return declared === true ? 'configuration' : 'operator';
}

const claimsOf = (item: Item) => item['claims'] as Readonly<Record<string, unknown>>;

const FILTERS: Readonly<Record<string, Readonly<Record<string, Filter>>>> = {
  '/clients': {
    q: contains('client_id', 'client_name'),
    declared: is('declared'),
    registered_through: {
      values: () => ['configuration', 'operator', 'document', 'registration'],
      fits: (item, value) => learnedThrough(item) === value,
    },
  },
  '/users': {
    q: contains('username'),
    disabled: is('disabled'),
    username: same('username'),
    has_password: is('has_password'),
    email_verified: {
      values: () => ['true', 'false'],
      fits: (item, value) => String(claimsOf(item)['email_verified'] === true) === value,
    },
    claim: {
      values: () => ['email=np@example.com', 'email=other@example.com'],
      fits: (item, value) => `email=${claimsOf(item)['email']}` === value,
    },
    signed_in_since: since('last_sign_in_at'),
    not_signed_in_since: before('last_sign_in_at'),
    factor: {
      values: () => ['passkey', 'none'],
      fits: ({ factors }, value) =>
        value === 'none' ? (factors as string[]).length === 0 : (factors as string[]).includes(value),
    },
  },
  '/grants': {
    client_id: same('client_id'),
    sub: same('sub'),
    state: same('state'),
    from: since('created_at'),
    to: before('created_at'),
  },
  '/sessions': { sub: same('sub'), state: same('state') },
  '/webhook-deliveries': { receiver: same('receiver'), state: same('state') },
  '/invitations': {},
  '/transitions': {
    machine: same('machine'),
    event: same('event'),
    from_state: same('from'),
    to_state: same('to'),
    reason: same('reason'),
    client_id: same('client_id'),
    sub: aboutUser,
    actor: same('actor'),
    actor_sub: same('actor_sub'),
    grant_id: same('grant_id'),
    session_id: same('session_id'),
    account_hash: same('account_hash'),
    address: same('address'),
    user_agent: {
      values: () => ['lightmyrequest', 'no-such-browser'],
      fits: (item, value) => String(item['user_agent']).toLowerCase().includes(value),
    },
    from: since('at'),
    to: before('at'),
  },
};

const identified = (items: readonly Item[]) => items.map((item) => JSON.stringify(item)).toSorted();
const filters = Object.entries(FILTERS).flatMap(([path, ofList]) =>
  Object.entries(ofList).map(([name, filter]): [string, string, Filter] => [path, name, filter]),
);

describe('a list of the management API', () => {
  it('is in the table with each of its filters', () => {
    const lists = RESOURCES.flatMap(({ path, methods: { GET } }) => {
      const names = Object.keys(GET?.query?.shape ?? {});
      const own = names.filter((name) => !['limit', 'cursor', 'order', 'sort', 'fields'].includes(name));
      // Below an end-user, a list has the filters of the whole list.
      return names.includes('cursor') && !path.startsWith('/users/') ? [[path, own.toSorted()]] : [];
    });
    const table = Object.entries(FILTERS).map(([path, ofList]) => [path, Object.keys(ofList).toSorted()]);
    expect(table.toSorted()).toEqual(lists.toSorted());
  });

  it.each(filters)('%s by %s contains exactly the matching rows', async (path, name, { values, fits }) => {
    const items = everything.get(path) ?? [];
    const asked = values(items);
    expect(asked.length).toBeGreaterThan(0);
    const sizes: number[] = [];
    for (const value of asked.slice(0, 6)) {
      const expected = items.filter((item) => fits(item, value));
      sizes.push(expected.length);
      expect([value, identified(await itemsOf(path, { [name]: value }))]).toEqual([value, identified(expected)]);
    }
    // Rows of other owners are present: an ignored filter is noticed.
    if (path !== '/webhook-deliveries' || name !== 'state')
      expect(sizes.some((size) => size > 0 && size < items.length) || name === 'from').toBe(true);
  });

  it.each(filters.filter(([path]) => path !== '/transitions'))(
    '%s by %s contains the matching rows on every page',
    async (path, name, { values, fits }) => {
      const items = everything.get(path) ?? [];
      const value =
        values(items).find((one) => items.filter((item) => fits(item, one)).length > 1) ?? values(items)[0] ?? '';
      const expected = items.filter((item) => fits(item, value));
      expect(identified(await itemsOf(path, { [name]: value, limit: '1' }))).toEqual(identified(expected));
    },
  );

  it.each([
    ['/grants', 'client_id', 'state'],
    ['/grants', 'sub', 'client_id'],
    ['/sessions', 'sub', 'state'],
    ['/users', 'q', 'disabled'],
    ['/transitions', 'client_id', 'machine'],
    ['/transitions', 'sub', 'machine'],
  ] as const)('%s by %s and by %s contains the rows that match both', async (path, one, another) => {
    const items = everything.get(path) ?? [];
    const [first, second] = [FILTERS[path]?.[one], FILTERS[path]?.[another]];
    if (!first || !second) throw new Error('unknown filter');
    for (const value of first.values(items).slice(0, 3)) {
      for (const other of second.values(items).slice(0, 3)) {
        const expected = items.filter((item) => first.fits(item, value) && second.fits(item, other));
        const found = await itemsOf(path, { [one]: value, [another]: other });
        expect([value, other, identified(found)]).toEqual([value, other, identified(expected)]);
      }
    }
  });
});

describe('a list below its owner', () => {
  it.each(['grants', 'sessions'])('/users/{sub}/%s contains exactly the rows of the end-user', async (list) => {
    for (const { id } of users) {
      const own = (everything.get(`/${list}`) ?? []).filter((item) => item['sub'] === id);
      expect(own.length).toBeGreaterThan(0);
      expect(identified(await itemsOf(`/users/${id}/${list}`))).toEqual(identified(own));
      for (const state of new Set(own.map((item) => String(item['state'])))) {
        const fitting = own.filter((item) => item['state'] === state);
        expect(identified(await itemsOf(`/users/${id}/${list}`, { state }))).toEqual(identified(fitting));
      }
    }
  });

  it.each(['grants', 'sessions'])(
    "/users/{sub}/%s contains no other's rows after the cursor of another",
    async (list) => {
      const [mary, maryAnn] = users.map(({ id }) => id);
      const first = await call('GET', `/users/${mary}/${list}?limit=1`);
      const { next } = first.json()._links as { next?: { href: string } };
      const cursor = new URL(next?.href ?? '').searchParams.get('cursor') ?? '';
      for (const [sub, query] of [
        [maryAnn, {}],
        [mary, { state: 'active' }],
      ] as const) {
        const items = await itemsOf(`/users/${sub}/${list}`, { cursor, ...query });
        expect(items.filter((item) => item['sub'] !== sub)).toEqual([]);
      }
    },
  );

  it.each(['passkeys', 'linked-identities'])('/users/{sub}/%s contains the row of the end-user', async (list) => {
    const found = await Promise.all(
      users.map(async ({ id }) => {
        const { items } = (await call('GET', `/users/${id}/${list}`)).json() as { items: readonly Item[] };
        expect(items).toHaveLength(1);
        const [first] = items as readonly { readonly _links: { readonly user: { readonly href: string } } }[];
        return first?._links.user.href;
      }),
    );
    expect(found).toEqual(users.map(({ id }) => `${ISSUER}/management/v1/users/${id}`));
  });

  it('/clients/{client_id}/secrets contains the secrets of the client', async () => {
    const secrets = await Promise.all(
      ['shop', 'shopping'].map(async (id) => {
        const { items } = (await call('GET', `/clients/${id}/secrets`)).json() as { items: readonly Item[] };
        return items.map((item) => item['secret_id']);
      }),
    );
    expect(secrets.map(({ length }) => length)).toEqual([2, 2]);
    expect(secrets[0]?.[1]).not.toBe(secrets[1]?.[1]);
  });

  it('/grants/{grant_id}/transitions contains the ledger entries of the grant', async () => {
    const lines = everything.get('/transitions') ?? [];
    for (const { grant_id: id } of everything.get('/grants') ?? []) {
      const { events } = (await call('GET', `/grants/${id}/transitions`)).json() as { events: readonly Item[] };
      expect(events).toHaveLength(lines.filter((line) => line['grant_id'] === id).length);
    }
  });

  it('/…/consequences counts the rows of the client, or of the end-user', async () => {
    const grants = (everything.get('/grants') ?? []).filter(({ life }) => 'active_until' in (life as object));
    for (const id of ['shop', 'shopping']) {
      const own = grants.filter((item) => item['client_id'] === id);
      const { living_grants: living } = (await call('GET', `/clients/${id}/consequences`)).json();
      expect([id, living]).toEqual([id, own.length]);
    }
  });
});
