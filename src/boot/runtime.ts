/** What every command needs: environment, configuration, root keys, database. */

import type { Configuration } from '../config/configuration.ts';
import { type Environment, readEnvironment } from '../config/environment.ts';
import { loadConfiguration } from '../config/load.ts';
import { type Random, systemRandom } from '../crypto/random.ts';
import { type RootKeys, rootKeys } from '../crypto/root-secret.ts';
import { requireRootSecretOf } from '../crypto/signing-keys.ts';
import type { Database } from '../storage/database.ts';
import { listSigningKeys } from '../storage/signing-keys.ts';
import { homeFolder, keptSecrets } from '../system/home-folder.ts';

export type Runtime = {
  readonly environment: Environment;
  readonly configuration: Configuration;
  readonly keys: RootKeys;
  readonly random: Random;
  readonly database: Database;
};

/**
 * Opens the database and applies its migrations.
 * @param progress is told what takes time, before it begins.
 * @throws EnvironmentError, ConfigurationError, RootSecretError, FolderInUse, DriverNotPatched, StoreUnavailable
 */
export async function openRuntime(
  env: NodeJS.ProcessEnv,
  progress: (words: string) => void = () => {},
): Promise<Runtime> {
  const environment = readEnvironment(env);
  const configuration = loadConfiguration(environment.configFolder, environment.issuer);
  const keys = rootKeys(environment.secrets ?? keptSecrets(homeFolder(), systemRandom));
  progress(environment.databaseUrl ? 'connecting to Postgres' : `opening the embedded database in ${homeFolder()}`);
  const database = await openDatabase(environment.databaseUrl);
  try {
    progress('bringing its tables up to date');
    await database.migrate();
    // Otherwise a command could store a client's secret under a root secret that the server does not have.
    for (const key of await listSigningKeys(database.drizzle)) requireRootSecretOf(keys, key);
  } catch (error) {
    await database.close();
    throw error;
  }
  return { environment, configuration, keys, random: systemRandom, database };
}

/** Only the driver that is used is loaded. */
async function openDatabase(url: string | null): Promise<Database> {
  if (url) return (await import('../storage/postgres.ts')).openPostgres(url);
  const { openEmbedded } = await import('../storage/embedded.ts');
  return openEmbedded(homeFolder());
}
