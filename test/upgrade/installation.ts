/** An installation as docs/deploying.md has it: a database of its own, a role that owns it, and a role for servers. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import type { Database } from '../../src/storage/database.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { ISSUER } from '../support/app.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { dropRole, makeRole, urlAs } from '../support/runtime-role.ts';

export type Installation = {
  /** The environment of every process of it, without the database. */
  readonly env: Readonly<Record<string, string>>;
  /** The database as its owner reaches it, and as a server does. */
  readonly ownerUrl: string;
  readonly serverUrl: string;
  readonly serverRole: string;
  /** For a look at the tables. */
  readonly database: Database;
  readonly close: () => Promise<void>;
};

/** @param policies the folder with the files of the operator. @param clients the file `clients.yaml` beside them. */
export async function openInstallation(secret: string, policies: string, clients: string): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'statehouse-installation-'));
  cpSync(policies, folder, { recursive: true, filter: (path) => !path.endsWith('.ts') });
  writeFileSync(join(folder, 'clients.yaml'), clients);
  const { url, drop } = await createEmptyDatabase();
  const database = openPostgres(url, { connections: 2 });
  const [owner, server] = [await makeRole(database), await makeRole(database)];
  const own = (role: string) =>
    database.drizzle.execute(
      sql`alter database ${sql.identifier(new URL(url).pathname.slice(1))} owner to ${sql.raw(role)}`,
    );
  await own(`"${owner}"`);
  return {
    env: {
      NODE_ENV: 'production',
      STATEHOUSE_ISSUER: ISSUER,
      STATEHOUSE_SECRET: secret,
      STATEHOUSE_CONFIG: folder,
    },
    ownerUrl: urlAs(url, owner),
    serverUrl: urlAs(url, server),
    serverRole: server,
    database,
    close: async () => {
      await own('current_user');
      for (const role of [owner, server]) await dropRole(database, role);
      await database.close();
      await drop();
      rmSync(folder, { recursive: true });
    },
  };
}
