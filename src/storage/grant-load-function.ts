/**
 * The load of a presentation as a function of Postgres, for tables that are spread, as the commits in grant-functions.ts. It returns one
 * row, with the members that the statement of one Postgres selects.
 */
import { type Column, eq, type SQL, sql } from 'drizzle-orm';
import { bound } from './bound.ts';
import type { Drizzle } from './database.ts';
import { presented } from './grant-parts.ts';
import { type Arguments, argument, argumentOf, type MadeFunction, madeFunction, readInto } from './plpgsql.ts';
import { clients, grants, server, users } from './schema.ts';

const ARGUMENTS: Arguments = { grantId: 'uuid', clientId: 'text', withClaims: 'boolean', now: 'timestamptz' };

type Fields = Readonly<Record<string, Column | SQL>>;

/** A variable of the function, and a column of its row. */
const named = (name: string, group = ''): string => `"@${group}${name}"`;
const namesOf = (fields: Fields, group?: string): string[] => Object.keys(fields).map((name) => named(name, group));

const { serverEpoch, client, grant, user, claims } = presented(argument);

export function grantLoadFunction(db: Drizzle): MadeFunction {
  const returned = [
    `${named('now')} timestamptz`,
    ...typesOf({ serverEpoch }),
    ...typesOf(client, 'client'),
    ...typesOf(grant, 'grant'),
    ...typesOf(user, 'user'),
    `${named('claims')} jsonb`,
  ];
  const isGrant = eq(grants.id, argument('grantId', 'uuid'));
  const isUser = eq(users.id, sql.raw(named('userId', 'grant')));
  return madeFunction(
    'load_presentation',
    ARGUMENTS,
    // One snapshot for all statements.
    `table (${returned.join(', ')}) stable rows 1`,
    [
      'begin',
      `${named('now')} := coalesce(${argumentOf('now')}, now());`,
      readInto(db.select({ serverEpoch }).from(server), named('serverEpoch')),
      readInto(
        db
          .select(client)
          .from(clients)
          .where(eq(clients.clientId, argument('clientId', 'text'))),
        ...namesOf(client, 'client'),
      ),
      readInto(db.select(grant).from(grants).where(isGrant), ...namesOf(grant, 'grant')),
      'if found then',
      readInto(
        db
          .select({ ...user, claims })
          .from(users)
          .where(isUser),
        ...namesOf(user, 'user'),
        named('claims'),
      ),
      'end if;',
      'return next;',
      'end',
    ],
  );
}

const typesOf = (fields: Readonly<Record<string, Column>>, group?: string): string[] =>
  Object.entries(fields).map(([name, column]) => `${named(name, group)} ${column.getSQLType()}`);

/** Selects from the row of the function what `presented` selects from the tables: groups of it are null where their first member is. */
export function prepareLoadByFunction(db: Drizzle) {
  const { name } = grantLoadFunction(db);
  const values = Object.entries(ARGUMENTS).map(([argument, type]) => bound(argument, type));
  return db
    .select({
      now: sql<string>`${sql.raw(named('now'))}`,
      ...readAll({ serverEpoch }),
      client: readAll(client, 'client'),
      grant: readAll(grant, 'grant'),
      user: readAll(user, 'user'),
      claims: sql`${sql.raw(named('claims'))}`.mapWith(users.claims),
    })
    .from(sql`${sql.identifier(name)}(${sql.join(values, sql`, `)})`)
    .prepare('load_presentation_by_function');
}

const readAll = <Columns extends Readonly<Record<string, Column>>>(columns: Columns, group?: string) =>
  Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [name, sql`${sql.raw(named(name, group))}`.mapWith(column)]),
  ) as { readonly [Name in keyof Columns]: SQL };
