/** A fresh database for each caller, on either driver. */
import { randomBytes } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import postgres from 'postgres';
import { inject, type ProvidedContext } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import { openEmbedded } from '../../src/storage/embedded.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { databaseUrl } from './database-url.ts';

export type DatabaseKind = Database['kind'];

/** For `describe.each`: both drivers behave alike. The fast loop has the embedded driver only. */
export const databaseKinds: readonly DatabaseKind[] = inject('databaseKinds');

/** For what concerns no driver: Postgres, as in production; in the fast loop the embedded driver. */
export const anyDatabase: DatabaseKind = databaseKinds[0] ?? 'embedded';

export type TestDatabase<Url = string | null> = {
  readonly database: Database;
  /** For further connections, such as those of other nodes; null for the embedded database, which belongs to one process. */
  readonly url: Url;
  /** Closes and drops the database. */
  readonly close: () => Promise<void>;
};

/** The tables are spread over the nodes of a cluster (vitest.cluster.config.ts). */
export const isSpread = (): boolean => databaseKinds.includes('postgres') && inject('postgres').workers !== undefined;

/** Migrated and empty. */
export function openTestDatabase(kind: 'postgres'): Promise<TestDatabase<string>>;
export function openTestDatabase(kind: DatabaseKind): Promise<TestDatabase>;
export function openTestDatabase(kind: DatabaseKind): Promise<TestDatabase> {
  return kind === 'postgres' ? openFromTemplate() : openInMemory();
}

async function openFromTemplate(): Promise<TestDatabase<string>> {
  const { url, drop } = await createDatabase(postgresServer().template);
  const database = openPostgres(url);
  return { database, url, close: () => database.close().finally(drop) };
}

async function openInMemory(): Promise<TestDatabase<null>> {
  const database = await openEmbedded(null, await openAsBlob(inject('embeddedTemplate')));
  return { database, url: null, close: database.close };
}

export type PostgresDatabase = { readonly url: string; readonly drop: () => Promise<void> };

/** On the Postgres server, without tables. */
export const createEmptyDatabase = (): Promise<PostgresDatabase> => createDatabase('template0');

async function createDatabase(template: string): Promise<PostgresDatabase> {
  const { url, prefix, workers = [] } = postgresServer();
  const name = prefix + randomBytes(8).toString('hex');
  const onAll = async (statement: (admin: postgres.Sql) => Promise<unknown>) => {
    await Promise.all([url, ...workers].map((server) => administer(server, statement)));
  };
  await onAll((admin) => admin`create database ${admin(name)} template ${admin(template)} strategy file_copy`);
  return {
    url: databaseUrl(url, name),
    drop: () => onAll((admin) => admin`drop database if exists ${admin(name)} with (force)`),
  };
}

function postgresServer(): ProvidedContext['postgres'] {
  if (!databaseKinds.includes('postgres')) {
    throw new Error(
      'The fast loop has no Postgres server. Use "anyDatabase", or list this test in vitest.fast.config.ts.',
    );
  }
  return inject('postgres');
}

async function administer(url: string, statement: (admin: postgres.Sql) => Promise<unknown>): Promise<void> {
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  await statement(admin).finally(() => admin.end());
}
