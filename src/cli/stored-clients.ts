/**
 * The clients as `check` sees them: it only looks. No migration is applied, no folder and no root secret is made; where
 * the database cannot be read, it says why and goes on.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../config/environment.ts';
import { systemRandom } from '../crypto/random.ts';
import { type RootKeys, rootKeys } from '../crypto/root-secret.ts';
import type { Client } from '../model/client.ts';
import { listClients } from '../storage/clients.ts';
import { openEmbedded } from '../storage/embedded.ts';
import { codeOf } from '../storage/failures.ts';
import { openPostgres } from '../storage/postgres.ts';
import { homeFolder, keptSecrets } from '../system/home-folder.ts';
import { wordsFor } from './failure.ts';

export type StoredClients = {
  readonly clients: readonly Client[];
  /** Ids of those that configuration declared when the server last read it. */
  readonly declaredIds: readonly string[];
  /** Why the clients are not all of them; null when they are. */
  readonly missing: string | null;
};

export async function storedClients(environment: Environment, env: NodeJS.ProcessEnv): Promise<StoredClients> {
  const { databaseUrl } = environment;
  if (databaseUrl === null && !existsSync(join(homeFolder(), 'database'))) {
    return {
      clients: [],
      declaredIds: [],
      missing: 'There is no database yet: "statehouse start" or "statehouse migrate" makes it.',
    };
  }
  try {
    const database = databaseUrl ? openPostgres(databaseUrl, { connections: 1 }) : await openEmbedded(homeFolder());
    try {
      const clients = await listClients(database.drizzle, { declared: false });
      const declared = await listClients(database.drizzle, { declared: true });
      return { clients, declaredIds: declared.map((one) => one.clientId), missing: null };
    } finally {
      await database.close();
    }
  } catch (error) {
    return { clients: [], declaredIds: [], missing: `The clients cannot be read. ${wordsOf(error, env)}` };
  }
}

/** SQLSTATE undefined_table and undefined_column: another version's tables. */
const OTHER_TABLES = new Set(['42P01', '42703']);

function wordsOf(error: unknown, env: NodeJS.ProcessEnv): string {
  if (OTHER_TABLES.has(codeOf(error) ?? '')) return 'The tables are not up to date: run "statehouse migrate".';
  return wordsFor(error, env).trim();
}

/** @returns null when they are not made yet. @throws Error for a root secret that is too short. */
export function rootKeysIfMade({ secrets }: Environment): RootKeys | null {
  if (secrets) return rootKeys(secrets);
  return existsSync(join(homeFolder(), 'secret')) ? rootKeys(keptSecrets(homeFolder(), systemRandom)) : null;
}
