/** One Postgres server, durable as in production, and a database of its own for each server that is measured. */
import postgres from 'postgres';
import { databaseUrl } from '../support/database-url.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';

export type Databases = {
  readonly create: (name: string) => Promise<string>;
  /** So that plans are made for the tables as they are, and not for empty ones. */
  readonly analyze: (url: string) => Promise<void>;
  /** Its maintenance database. */
  readonly admin: postgres.Sql;
  /** As it reports itself. */
  readonly settings: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
};

export async function openDatabases(): Promise<Databases> {
  const server: PostgresServer = await startPostgres({ durable: true });
  const admin = postgres(server.url, { max: 1, onnotice: () => {} });
  return {
    admin,
    create: async (name) => {
      await admin`create database ${admin(name)}`;
      return databaseUrl(server.url, name);
    },
    analyze: async (url) => {
      const sql = postgres(url, { max: 1, onnotice: () => {} });
      await sql`vacuum analyze`.finally(() => sql.end());
    },
    settings: await reportedSettings(admin),
    close: async () => {
      await admin.end({ timeout: 1 });
      await server.stop();
    },
  };
}

async function reportedSettings(admin: postgres.Sql): Promise<Record<string, string>> {
  const rows = await admin<{ name: string; setting: string }[]>`
    select name, setting from pg_settings where name in ('server_version', 'fsync', 'synchronous_commit', 'full_page_writes')`;
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
}
