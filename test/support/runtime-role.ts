/** A role as production gives it to servers: it may log in, and has what `statehouse migrate --grant-to` gives it. */
import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Database } from '../../src/storage/database.ts';

import { openPostgres } from '../../src/storage/postgres.ts';
import { grantToRuntime } from '../../src/storage/runtime-rights.ts';

export type RuntimeRole = {
  readonly role: string;
  /** The database as this role reaches it. */
  readonly url: string;
  readonly database: Database;
  readonly close: () => Promise<void>;
};

/** @param owner the database as the owner of its tables. @param url of it. */
export async function openAsRuntimeRole(owner: Database, url: string): Promise<RuntimeRole> {
  const role = await makeRole(owner);
  await grantToRuntime(owner.drizzle, role);
  const own = urlAs(url, role);
  const database = openPostgres(own, { connections: 4 });
  return {
    role,
    url: own,
    database,
    close: async () => {
      await database.close();
      await dropRole(owner, role);
    },
  };
}

export async function makeRole({ drizzle }: Database, attributes = ''): Promise<string> {
  const role = `statehouse-server ${randomBytes(4).toString('hex')}`;
  await drizzle.execute(sql`create role ${sql.identifier(role)} login ${sql.raw(attributes)}`);
  return role;
}

export async function dropRole({ drizzle }: Database, role: string): Promise<void> {
  await drizzle.execute(sql`drop owned by ${sql.identifier(role)}`);
  await drizzle.execute(sql`drop role ${sql.identifier(role)}`);
}

export function urlAs(url: string, role: string): string {
  const as = new URL(url);
  as.username = encodeURIComponent(role);
  return as.href;
}
