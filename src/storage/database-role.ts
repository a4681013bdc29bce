/**
 * The role that this process has in Postgres. The owner of the tables applies migrations; a server needs far fewer rights
 * (runtime-rights.ts). With those, neither a defect nor a stolen password of its role can remove the triggers (docs/decisions/0042).
 */
import { type SQL, sql } from 'drizzle-orm';
import { ReportedError } from '../system/reported-error.ts';
import type { Drizzle } from './database.ts';
import { reached } from './failures.ts';
import { whatIsDue } from './migrations.ts';
import { rawRows } from './raw-rows.ts';

export type RoleStanding = {
  readonly role: string;
  readonly isSuperuser: boolean;
  /** Or is a member of the role that does. */
  readonly ownsTables: boolean;
  readonly hasTables: boolean;
};

/** A right that the role of this process lacks or does not need. The message says what to do. */
export class DatabaseRoleError extends ReportedError {}

export const rowsOf = async <Row>(db: Drizzle, statement: SQL): Promise<readonly Row[]> =>
  rawRows(await reached(() => db.execute(statement)));

/** @throws StoreUnavailable */
export async function standingOf(db: Drizzle): Promise<RoleStanding> {
  const [row] = await rowsOf<RoleStanding>(
    db,
    sql`select current_user::text as "role", r.rolsuper as "isSuperuser", c.oid is not null as "hasTables",
      coalesce(pg_has_role(c.relowner, 'MEMBER'), false) as "ownsTables"
      from pg_roles r left join pg_class c on c.relname = 'transitions' and c.relnamespace = 'public'::regnamespace
      where r.rolname = current_user`,
  );
  if (!row) throw new Error('Postgres does not know the role of this connection.');
  return row;
}

/** For a server in production. @throws DatabaseRoleError where its role could remove the triggers of the tables. */
export function requireRuntimeRole({ role, isSuperuser, ownsTables, hasTables }: RoleStanding): void {
  const tooMuch = isSuperuser ? 'is a superuser' : ownsTables ? 'owns the tables' : null;
  if (tooMuch !== null) {
    throw new DatabaseRoleError(
      `The role "${role}" of DATABASE_URL ${tooMuch}: it could take the triggers off, and drop the ledger. Give the server a role of its own:\n` +
        '  STATEHOUSE_MIGRATIONS_URL=postgres://OWNER… statehouse migrate --grant-to ROLE\n' +
        'and name that role in DATABASE_URL (docs/deploying.md). STATEHOUSE_ALLOW_TABLE_OWNER=true lets the server start all the same.',
    );
  }
  if (!hasTables) throw new DatabaseRoleError(`The database of DATABASE_URL has no tables yet. ${MIGRATE_AS_OWNER}`);
}

/** For `statehouse migrate`. @throws DatabaseRoleError where the role cannot grant rights on the tables. */
export async function requireOwner(db: Drizzle): Promise<void> {
  const { role, ownsTables } = await standingOf(db);
  if (ownsTables) return;
  throw new DatabaseRoleError(
    `The role "${role}" does not own the tables. Set STATEHOUSE_MIGRATIONS_URL to the database as their owner reaches it. Nothing was changed.`,
  );
}

const MIGRATE_AS_OWNER =
  'Make them as the role that owns the database, with the environment of the server:\n' +
  '  STATEHOUSE_MIGRATIONS_URL=postgres://OWNER… statehouse migrate --grant-to ROLE';

/** For a role that cannot migrate. @throws DatabaseRoleError where it has no rights, or the tables are older than this version. */
export async function requireCurrentTables(db: Drizzle, { role }: RoleStanding): Promise<void> {
  const [rights] = await rowsOf<{ granted: boolean }>(
    db,
    sql`select has_schema_privilege('drizzle', 'USAGE') and has_table_privilege(c.oid, 'SELECT') as granted
      from pg_class c where c.relname = '__drizzle_migrations' and c.relnamespace = 'drizzle'::regnamespace`,
  );
  if (!rights?.granted) {
    throw new DatabaseRoleError(
      `The role "${role}" has no rights on the tables. Grant them, as the owner:\n` +
        `  STATEHOUSE_MIGRATIONS_URL=postgres://OWNER… statehouse migrate --grant-to ${role}`,
    );
  }
  if ((await reached(() => whatIsDue(db))) === null) return;
  throw new DatabaseRoleError(
    `The tables are of an older version, and the role "${role}" does not own them. Migrate first, as the owner:\n` +
      `  STATEHOUSE_MIGRATIONS_URL=postgres://OWNER… statehouse migrate --grant-to ${role}`,
  );
}
