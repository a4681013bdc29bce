/** Once per run: a Postgres server (that of DATABASE_URL, or our own) with a migrated template database. */
import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import type { Database } from '../../src/storage/database.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { databaseUrl } from './database-url.ts';
import { startPostgres } from './postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The drivers that this run has: vitest.config.ts, vitest.fast.config.ts. */
    databaseKinds: readonly Database['kind'][];
    postgres: {
      /** A database from which others can be created. */
      readonly url: string;
      /** Begins the name of every database of this run. */
      readonly prefix: string;
      /** Migrated, and without connections. */
      readonly template: string;
      /** The other nodes of a cluster (test/cluster/template.ts): each has a part of every database. */
      readonly workers?: readonly string[];
    };
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['DATABASE_URL'];
  const server = given ? { url: given, stop: async () => {} } : await startPostgres();
  const prefix = `statehouse_test_${randomBytes(4).toString('hex')}_`;
  const template = `${prefix}template`;
  try {
    await makeTemplate(server.url, template);
  } catch (error) {
    await server.stop();
    throw error;
  }
  project.provide('postgres', { url: server.url, prefix, template });
  return async () => {
    if (given) await dropAll(server.url, prefix);
    await server.stop();
  };
}

async function makeTemplate(url: string, template: string): Promise<void> {
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  await admin`create database ${admin(template)}`.finally(() => admin.end());
  const database = openPostgres(databaseUrl(url, template), { connections: 1 });
  await database.migrate().finally(() => database.close());
}

/** On a server that is not ours, removes every database of this run, even those that failed tests left open. */
async function dropAll(url: string, prefix: string): Promise<void> {
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const rows = await admin<{ name: string }[]>`
      select datname as name from pg_database where starts_with(datname, ${prefix})`;
    for (const { name } of rows) await admin`drop database if exists ${admin(name)} with (force)`;
  } finally {
    await admin.end();
  }
}
