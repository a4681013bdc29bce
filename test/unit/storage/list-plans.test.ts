/** The plans of Postgres for the lists with many rows: along an index, no further than a page needs. */
import { and, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { grantRows } from '../../../src/storage/grant-list.ts';
import { aboutUser, type LedgerOrder, type OnePosition } from '../../../src/storage/ledger-filter.ts';
import { lineStatement, recordedPart } from '../../../src/storage/ledger-list.ts';
import { plannedRead } from '../../../src/storage/planned-read.ts';
import { sessionRows } from '../../../src/storage/session-list.ts';
import { outboxLines } from '../../../src/storage/webhooks.ts';
import { type Granted, givenGrant, openPorts, type Ports } from './ports.ts';

const ROWS = 20_000;
const PAGE = 51;
const OF_USER = 5000;
const GRANT = '80000000-0000-4000-8000-000000000001';

let ports: Ports;
let granted: Granted;
beforeAll(async () => {
  ports = await openPorts('postgres');
  granted = await givenGrant(ports);
  await givenGrant(ports);
  await ports.db.execute(sql`
    insert into grants (id, client_id, user_id, client_epoch, user_epoch, server_epoch, scope, resources,
      policy, code_hash, code_challenge, redirect_uri, code_ends_at, state, created_at)
    select gen_random_uuid(), client_id, user_id, client_epoch, user_epoch, server_epoch, scope,
      resources, policy, code_hash, code_challenge, redirect_uri, code_ends_at, 'active', created_at + n * interval '1 second'
    from grants, generate_series(1, ${ROWS / 2}::int) n`);
  await ports.db.execute(sql`
    insert into sessions (id_hash, sid, user_id, user_epoch, server_epoch, signed_in_at, last_used_at, ends_at)
    select sha256((sid::text || n)::bytea), gen_random_uuid(), user_id, user_epoch, server_epoch,
      signed_in_at + n * interval '1 second', signed_in_at + n * interval '1 second', ends_at + interval '1 day'
    from sessions, generate_series(1, ${ROWS / 2}::int) n`);
  // The oldest entries are those of one end-user.
  await ports.db.execute(sql`
    insert into transitions (shard_key, grant_id, at, machine, event, from_state, to_state)
    select ${GRANT}::uuid, ${GRANT}::uuid, now(), 'refreshToken', 'presented', 'a', 'b' from generate_series(1, ${OF_USER}::int)`);
  await ports.db.execute(sql`
    insert into transitions (shard_key, at, machine, event, from_state, to_state)
    select gen_random_uuid(), now() + n * interval '1 second', 'client', 'written', 'a', 'b' from generate_series(1, ${ROWS}::int) n`);
  await ports.db.execute(sql`analyze grants, sessions, transitions`);
});
afterAll(() => ports.close());

const after = { at: '2030-01-01T02:00:00.000000Z', id: '80000000-0000-4000-8000-000000000000' };

const lines = (order: LedgerOrder, position: OnePosition | null) =>
  lineStatement(ports.db, {}, { part: 'recorded', order, where: recordedPart(position, order), rows: PAGE });

const statements: Record<string, () => { getSQL: () => unknown }> = {
  'all grants': () => grantRows(ports.db, ports.clock, {}, null, PAGE),
  'a later page of grants': () => grantRows(ports.db, ports.clock, {}, after, PAGE),
  'grants of a client': () => grantRows(ports.db, ports.clock, { clientId: granted.clientId }, after, PAGE),
  'grants of an end-user': () => grantRows(ports.db, ports.clock, { userId: granted.person.id }, after, PAGE),
  'grants of a time': () =>
    grantRows(ports.db, ports.clock, { createdTo: new Date(after.at), createdFrom: new Date(0) }, null, PAGE),
  'all sessions': () => sessionRows(ports.db, ports.clock, {}, after, PAGE),
  'the newest lines of the ledger': () => lines('desc', null),
  'later lines of the ledger, oldest first': () => lines('asc', { recordedIn: '1', position: '1' }),
  'sessions of an end-user': () => sessionRows(ports.db, ports.clock, { userId: granted.person.id }, after, PAGE),
};

test.each(Object.entries(statements))('%s', async (_, statement) => {
  const plan = await plannedRead(ports.db, (db) => db.execute(sql`explain (analyze, format json) ${statement()}`));
  const scans = scansOf(plan);
  expect(scans.length).toBeGreaterThan(0);
  for (const { table, kind, rows } of scans) {
    if (table !== 'server') expect(kind, table).toMatch(/^Index/);
    // Some rows more than the page: those that share its instant, and the row that the position names.
    expect(rows, `rows of ${table}`).toBeLessThanOrEqual(3 * PAGE);
  }
});

test('entries of an end-user are looked up, however many newer entries others have', async () => {
  const userId = granted.person.id;
  const where = and(aboutUser(userId, { grants: [GRANT], sessions: [] }), recordedPart(null, 'desc'));
  const plan = await plannedRead(ports.db, (db) => {
    const statement = lineStatement(db, { userId }, { part: 'recorded', order: 'desc', where, rows: PAGE });
    return db.execute(sql`explain (analyze, format json) ${statement}`);
  });
  const read = scansOf(plan).reduce((sum, { rows }) => sum + rows, 0);
  expect(read).toBeGreaterThanOrEqual(OF_USER);
  expect(read).toBeLessThan(2 * OF_USER);
});

const END = '9223372036854775807';
const idle: Record<string, (last: string) => { getSQL: () => unknown }> = {
  'a round of webhooks': (last) => outboxLines(ports.db, { recordedIn: last, position: END }, ['user']),
  'a page of the feed': (last) => lines('asc', { recordedIn: last, position: END }),
};

test.each(Object.entries(idle))(
  '%s without a new entry reads a few pages, however long the ledger is',
  async (_, of) => {
    const [{ last } = { last: '0' }] = (await ports.db.execute<{ last: string }>(
      sql`select max(recorded_in::text::numeric)::text as last from transitions`,
    )) as unknown as { last: string }[];
    const explained = await plannedRead(ports.db, (db) =>
      db.execute(sql`explain (analyze, buffers, format json) ${of(last)}`),
    );
    const [, blocks = '1000'] = /"Shared Hit Blocks": ?(\d+)/.exec(JSON.stringify(explained)) ?? [];
    expect(Number(blocks)).toBeLessThan(40);
  },
);

type Scan = { readonly table: string; readonly kind: string; readonly rows: number };

/** Every place where the plan reads a table: how, and how many rows it read, with those that a filter threw away. */
function scansOf(node: unknown): Scan[] {
  if (Array.isArray(node)) return node.flatMap(scansOf);
  if (typeof node !== 'object' || node === null) return [];
  const fields = node as Record<string, unknown>;
  const number = (name: string) => Number(fields[name] ?? 0);
  const rows = (number('Actual Rows') + number('Rows Removed by Filter')) * number('Actual Loops');
  const own =
    typeof fields['Relation Name'] === 'string'
      ? [{ table: fields['Relation Name'], kind: String(fields['Node Type']), rows }]
      : [];
  return [...own, ...Object.values(fields).flatMap(scansOf)];
}
