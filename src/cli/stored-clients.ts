/**
 * The stored clients, and who of the given usernames exists, for `check`, which changes nothing: no migration is applied, no folder and no root secret is created. When
 * the database cannot be read, the reason becomes part of the result.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../config/environment.ts';
import { systemRandom } from '../crypto/random.ts';
import { type RootKeys, rootKeys } from '../crypto/root-secret.ts';
import { rowMacs } from '../crypto/row-mac.ts';
import type { Client } from '../model/client.ts';
import { listClients } from '../storage/clients.ts';
import { openEmbedded } from '../storage/embedded.ts';
import { codeOf } from '../storage/failures.ts';
import { openPostgres } from '../storage/postgres.ts';
import { countIgnoredRows } from '../storage/renew-row-macs.ts';
import { knownUsernameKeys } from '../storage/users.ts';
import { homeFolder, keptSecrets } from '../system/home-folder.ts';
import { wordsFor } from './failure-words.ts';

export type StoredClients = {
  readonly clients: readonly Client[];
  /** Ids of the clients that configuration declared when the server last read it. */
  readonly declaredIds: readonly string[];
  /** The keys of the given usernames that end-users have; null: the database could not be read. */
  readonly usernames: readonly string[] | null;
  /** How many rows of each table the server ignores, since they do not authenticate themselves. */
  readonly ignoredRows: Readonly<Record<string, number>>;
  /** Why the list is incomplete; null: it is complete. */
  readonly missing: string | null;
};

export async function storedClients(
  environment: Environment,
  env: NodeJS.ProcessEnv,
  asked: readonly string[],
  keys: RootKeys | null,
): Promise<StoredClients> {
  const { databaseUrl } = environment;
  if (databaseUrl === null && !existsSync(join(homeFolder(), 'database'))) {
    return {
      clients: [],
      declaredIds: [],
      usernames: null,
      ignoredRows: {},
      missing: 'There is no database yet: "statehouse start" or "statehouse migrate" creates it.',
    };
  }
  try {
    const database = databaseUrl ? openPostgres(databaseUrl, { connections: 1 }) : await openEmbedded(homeFolder());
    try {
      const clients = await listClients(database.drizzle, { declared: false });
      const declared = await listClients(database.drizzle, { declared: true });
      const usernames = await knownUsernameKeys(database.drizzle, asked);
      const ignoredRows = keys === null ? {} : await countIgnoredRows(database.drizzle, rowMacs(keys));
      const declaredIds = declared.map(({ clientId }) => clientId);
      return { clients, declaredIds, usernames, ignoredRows, missing: null };
    } finally {
      await database.close();
    }
  } catch (error) {
    return {
      clients: [],
      declaredIds: [],
      usernames: null,
      ignoredRows: {},
      missing: `The clients cannot be read. ${reasonOf(error, env)}`,
    };
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
