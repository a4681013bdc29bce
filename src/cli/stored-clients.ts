/**
 * The stored clients, for `check`, which changes nothing: no migration is applied, no folder and no root secret is created. When
 * the database cannot be read, the reason becomes part of the result.
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
  /** Ids of the clients that configuration declared when the server last read it. */
  readonly declaredIds: readonly string[];
  /** Why the list is incomplete; null: it is complete. */
  readonly missing: string | null;
};

export async function storedClients(environment: Environment, env: NodeJS.ProcessEnv): Promise<StoredClients> {
  const { databaseUrl } = environment;
  if (databaseUrl === null && !existsSync(join(homeFolder(), 'database'))) {
    return {
      clients: [],
      declaredIds: [],
      missing: 'There is no database yet: "statehouse start" or "statehouse migrate" creates it.',
    };
  }
  try {
    const database = databaseUrl ? openPostgres(databaseUrl, { connections: 1 }) : await openEmbedded(homeFolder());
    try {
      const clients = await listClients(database.drizzle, { declared: false });
      const declared = await listClients(database.drizzle, { declared: true });
      return { clients, declaredIds: declared.map(({ clientId }) => clientId), missing: null };
    } finally {
      await database.close();
    }
  } catch (error) {
    return { clients: [], declaredIds: [], missing: `The clients cannot be read. ${reasonOf(error, env)}` };
  }
}

/** SQLSTATE undefined_table and undefined_column: the tables of another version. */
const OTHER_TABLES = new Set(['42P01', '42703']);

function reasonOf(error: unknown, env: NodeJS.ProcessEnv): string {
  if (OTHER_TABLES.has(codeOf(error) ?? '')) return 'The tables are not up to date: run "statehouse migrate".';
  return wordsFor(error, env).trim();
}

/** @returns null when there is no root secret yet. @throws RootSecretError for a root secret that is too short. */
export function rootKeysIfMade({ secrets }: Environment): RootKeys | null {
  if (secrets) return rootKeys(secrets);
  return existsSync(join(homeFolder(), 'secret')) ? rootKeys(keptSecrets(homeFolder(), systemRandom)) : null;
}
