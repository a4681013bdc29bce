/** Rows of prepared statements, decoded by places that are found once, beside Drizzle's own decoding. */
import * as orm from 'drizzle-orm';
import { Column, eq, getTableColumns, is, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/pglite';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeOnce } from '../../../src/storage/decode-rows.ts';
import { clients, grants, server, users } from '../../../src/storage/schema.ts';

const db = drizzle.mock();

const ROW = {
  now: sql<string>`now()`,
  named: sql<string>`now()`.as('named'),
  serverEpoch: server.epoch,
  client: { clientId: clients.clientId, secretMacs: clients.secretMacs, epoch: clients.epoch },
  grant: getTableColumns(grants),
  user: { epoch: users.epoch, disabledAt: users.disabledAt },
  counts: { all: sql<number>`count(*)`.mapWith(Number) },
};

const statements = {
  'left joins': () =>
    db
      .select(ROW)
      .from(server)
      .leftJoin(clients, sql`true`)
      .leftJoin(grants, sql`true`)
      .leftJoin(users, eq(users.id, grants.userId))
      .prepare('left'),
  'inner joins': () =>
    db
      .select(ROW)
      .from(server)
      .innerJoin(clients, sql`true`)
      .innerJoin(grants, sql`true`)
      .innerJoin(users, sql`true`)
      .prepare('inner'),
  'right join': () =>
    db
      .select({ client: ROW.client, server: { epoch: server.epoch } })
      .from(server)
      .rightJoin(clients, sql`true`)
      .prepare('right'),
} as const;

type Internals = {
  readonly fields: readonly { readonly path: readonly string[]; readonly field: unknown }[];
  readonly joinsNotNullableMap?: Record<string, boolean>;
  readonly customResultMapper?: (rows: readonly unknown[][]) => unknown[];
};

/** Drizzle exports it, but its types do not. */
const { mapResultRow } = orm as unknown as {
  readonly mapResultRow: (
    fields: Internals['fields'],
    row: unknown[],
    joins: Internals['joinsNotNullableMap'],
  ) => unknown;
};

/** As the drivers return it for this type of column. */
function driverValue(field: unknown): unknown {
  const type = is(field, Column) ? field.getSQLType() : 'text';
  if (type === 'bytea') return Buffer.from('octets');
  return type.endsWith('[]') ? ['a'] : '12';
}

it.each(Object.entries(statements))('a statement of %s gives the rows that Drizzle gives', (_name, prepare) => {
  const { fields, joinsNotNullableMap } = prepare() as unknown as Internals;
  const { customResultMapper } = decodeOnce(prepare()) as unknown as Internals;
  const row = fc.tuple(...fields.map(({ field }) => fc.constantFrom(null, driverValue(field))));
  fc.assert(
    fc.property(fc.array(row, { maxLength: 3 }), (rows) => {
      expect(customResultMapper?.(rows)).toEqual(rows.map((one) => mapResultRow(fields, one, joinsNotNullableMap)));
    }),
  );
});

it('null in the first column of a joined table makes the member null', () => {
  const { fields, customResultMapper } = decodeOnce(statements['left joins']()) as unknown as Internals;
  const row = fields.map(({ path }) => (path[0] === 'grant' ? null : '1'));
  expect(customResultMapper?.([row])).toMatchObject([{ grant: null, serverEpoch: 1n }]);
});
