/** The runtime of every command: environment, configuration, root keys, database. */

import type { Configuration } from '../config/configuration.ts';
import { type Environment, readEnvironment } from '../config/environment.ts';
import { loadConfiguration } from '../config/load.ts';
import { readSecretVariable, type Variables } from '../config/secret-variable.ts';
import { type KeySource, keysInDatabase } from '../crypto/key-source.ts';
import { type Random, systemRandom } from '../crypto/random.ts';
import { type RootKeys, rootKeys } from '../crypto/root-secret.ts';
import { requireRootSecretOf } from '../crypto/signing-keys.ts';
import type { Database } from '../storage/database.ts';
import { makeLedgerPartitions } from '../storage/ledger-partitions.ts';
import { listSigningKeys } from '../storage/signing-keys.ts';
import { databaseClock } from '../system/clock.ts';
import { passwordIn } from '../system/database-url.ts';
import { homeFolder, keptSecrets } from '../system/home-folder.ts';

export type Runtime = {
  readonly environment: Environment;
  /** For the secrets that configuration names: read at each use, and never kept. */
  readonly variables: Variables;
  readonly configuration: Configuration;
  readonly keys: RootKeys;
  readonly keySource: KeySource;
  readonly random: Random;
  readonly database: Database;
};

export type RuntimeOptions = {
  /** For a server and not for a command: in production, its role may not own the tables. */
  readonly serves?: boolean;
};

/**
 * Opens the database and applies its migrations, where its role may.
 * @param progress receives a message before each slow step.
 * @throws EnvironmentError, ConfigurationError, RootSecretError, FolderInUse, DatabaseRoleError, StoreUnavailable
 */
export async function openRuntime(
  env: NodeJS.ProcessEnv,
  progress: (words: string) => void = () => {},
  { serves = false }: RuntimeOptions = {},
): Promise<Runtime> {
  const environment = readEnvironment(env);
  const configuration = loadConfiguration(environment.configFolder, environment.issuer);
  const keys = rootKeys(environment.secrets ?? keptSecrets(homeFolder(), systemRandom));
  progress(environment.databaseUrl ? 'connecting to Postgres' : `opening the embedded database in ${homeFolder()}`);
  const database = await openDatabase(environment.databaseUrl, env);
  try {
    progress('bringing its tables up to date');
    await prepareTables(database, serves && environment.production && !environment.allowTableOwner);
    // Before the first entry of the ledger is written, by a command too.
    await makeLedgerPartitions(database.drizzle, databaseClock);
    // Otherwise a command could store a client's secret under a root secret that the server does not have.
    for (const key of await listSigningKeys(database.drizzle)) requireRootSecretOf(keys, key);
  } catch (error) {
    await database.close();
    throw error;
  }
  const keySource = await keySourceOf(environment, keys);
  return { environment, variables: env, configuration, keys, keySource, random: systemRandom, database };
}

/** The embedded database has one role. @param least the role may have the rights of a server alone. */
async function prepareTables(database: Database, least: boolean): Promise<void> {
  if (database.kind === 'embedded') return migrate(database);
  const { requireCurrentTables, requireRuntimeRole, standingOf } = await import('../storage/database-role.ts');
  const standing = await standingOf(database.drizzle);
  if (least) requireRuntimeRole(standing);
  if (standing.ownsTables || !standing.hasTables) await migrate(database);
  else await requireCurrentTables(database.drizzle, standing);
}

async function migrate(database: Database): Promise<void> {
  await database.migrate();
  const { repairLedgerDefault } = await import('../storage/repair-ledger-default.ts');
  await repairLedgerDefault(database.drizzle);
}

async function keySourceOf({ device }: Environment, keys: RootKeys): Promise<KeySource> {
  const inDatabase = keysInDatabase(keys);
  return device ? (await import('../hsm/keys-in-device.ts')).keysInDevice(device, inDatabase) : inDatabase;
}

/** Only the driver that is used is loaded. */
async function openDatabase(url: string | null, variables: Variables): Promise<Database> {
  if (url) {
    const { openPostgres } = await import('../storage/postgres.ts');
    return openPostgres(url, variables['DATABASE_URL_FILE'] ? { password: () => passwordNow(url, variables) } : {});
  }
  const { openEmbedded } = await import('../storage/embedded.ts');
  return openEmbedded(homeFolder());
}

/** In the file of DATABASE_URL_FILE. A file that cannot be read now, or holds no URL with a password, changes nothing. */
function passwordNow(url: string, variables: Variables): string {
  const read = readSecretVariable(variables, 'DATABASE_URL');
  const now = 'value' in read ? read.value?.trim() : null;
  return passwordIn(now ?? url) ?? passwordIn(url) ?? variables['PGPASSWORD'] ?? '';
}
