/**
 * The tables come from the migrations in drizzle/, each applied once. The triggers that hold the machines come from one file beside them, which
 * replaces the triggers that are there when its digest is another. Both are one transaction.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator';
import { ReportedError } from '../system/reported-error.ts';
import { type Drizzle, MIGRATIONS_FOLDER } from './database.ts';
import { codeOf } from './failures.ts';

/** The migrations that the tables lack. */
export type Due = {
  readonly migrations: readonly MigrationMeta[];
  /** Null: those that are there are right, or of a higher revision. */
  readonly triggers: string | null;
};

class TablesBeforeFirstRelease extends ReportedError {
  constructor(remedy: string) {
    super(
      `The tables were made by a version before the first release, and cannot be brought up to date. Nothing was changed. ${remedy}`,
    );
  }
}

/** It is not installed, its files are missing, or this role may not create it. */
const REFUSED_EXTENSION = new Set(['0A000', '58P01', '42501']);

class ExtensionMissing extends ReportedError {
  override readonly isFinal = true;
  constructor() {
    super(
      'The database has no extension pg_trgm, which searches need, and Postgres refused to create it. Nothing was changed. Install the ' +
        'contrib modules of Postgres on its machine, or allow the extension in the settings of the provider. Then create it as the owner of ' +
        'the database or as a superuser: CREATE EXTENSION pg_trgm;',
    );
  }
}

const AN_EMPTY_DATABASE =
  'Name an empty database in DATABASE_URL (and STATEHOUSE_MIGRATIONS_URL), or drop the schemas "public" and "drizzle" of this one.';

/**
 * @param remedy for tables of no release: the advice in the error.
 * @returns null: nothing is due.
 * @throws TablesBeforeFirstRelease
 */
export async function whatIsDue(db: Drizzle, remedy = AN_EMPTY_DATABASE): Promise<Due | null> {
  const migrations = readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER });
  const triggers = readTriggers();
  const isThere = (table: string) => sql<boolean>`to_regclass(${table}) is not null`;
  const [there] = await db
    .select({ migrations: isThere('drizzle.__drizzle_migrations'), triggers: isThere('drizzle.triggers') })
    .from(sql`(values (1)) one`);
  if (!there?.migrations) return { migrations, triggers };
  const [applied] = await db
    .select({
      first: sql<string | null>`min(created_at)::text`,
      newest: sql<string | null>`max(created_at)::text`,
    })
    .from(sql`drizzle.__drizzle_migrations`);
  if (!applied?.first) return { migrations, triggers };
  if (Number(applied.first) !== migrations[0]?.folderMillis) throw new TablesBeforeFirstRelease(remedy);
  const missing = migrations.filter(({ folderMillis }) => folderMillis > Number(applied.newest));
  const stand = there.triggers && (await triggersStand(db, triggers));
  return missing.length === 0 && stand ? null : { migrations: missing, triggers: stand ? null : triggers };
}

/** A node of the version before, which starts beside newer nodes, leaves the triggers of theirs. */
async function triggersStand(db: Drizzle, text: string): Promise<boolean> {
  const [row] = await db
    .select({ stand: sql<boolean>`digest = ${digestOf(text)} or revision > ${revisionOf(text)}` })
    .from(sql`drizzle.triggers`);
  return row?.stand === true;
}

/** @param first statements at the beginning of the transaction. @throws ExtensionMissing */
export async function apply(db: Drizzle, due: Due, first: readonly string[] = []): Promise<void> {
  await db.transaction(async (transaction) => {
    const run = async (statements: readonly string[]) => {
      for (const statement of statements)
        await transaction.execute(sql.raw(statement)).catch(asExtensionMissing(statement));
    };
    await run([...first, ...RECORDS]);
    for (const migration of due.migrations) {
      await run(migration.sql);
      await transaction.execute(
        sql`insert into drizzle.__drizzle_migrations (hash, created_at) values (${migration.hash}, ${migration.folderMillis})`,
      );
    }
    if (due.triggers === null) return;
    await run(due.triggers.split('--> statement-breakpoint'));
    await transaction.execute(
      sql`insert into drizzle.triggers (digest, revision) values (${digestOf(due.triggers)}, ${revisionOf(due.triggers)})
        on conflict ("only") do update set digest = excluded.digest, revision = excluded.revision`,
    );
  });
}

const asExtensionMissing =
  (statement: string) =>
  (error: unknown): never => {
    const isRefused = /^CREATE EXTENSION /m.test(statement) && REFUSED_EXTENSION.has(codeOf(error) ?? '');
    throw isRefused ? new ExtensionMissing() : error;
  };

/** Beside the migrations: drizzle/triggers.sql, which is generated (src/review/sql/). */
const readTriggers = (): string => readFileSync(join(MIGRATIONS_FOLDER, 'triggers.sql'), 'utf8');

const digestOf = (text: string) => sql`sha256(convert_to(${text}::text, 'UTF8'))`;
/** The first line says it. */
const revisionOf = (text: string): number => Number(/^-- Revision (\d+)\n/.exec(text)?.[1] ?? 0);

/** The records of applied migrations. The first table is as drizzle-orm makes it. */
const RECORDS = [
  'create schema if not exists drizzle',
  `create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`,
  `create table if not exists drizzle.triggers ("only" boolean primary key default true check ("only"), digest bytea not null, revision integer not null)`,
];
