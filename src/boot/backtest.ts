/** The stored rows for a backtest of a command: read as they are, without migrations, folders or root secrets that it would make. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { BacktestDeps } from '../backtest/deps.ts';
import type { Environment } from '../config/environment.ts';
import { systemRandom } from '../crypto/random.ts';
import { rootKeys } from '../crypto/root-secret.ts';
import { rowMacs } from '../crypto/row-mac.ts';
import { authenticClients } from '../storage/authentic-clients.ts';
import type { Database } from '../storage/database.ts';
import { grantStore } from '../storage/grant-store.ts';
import { databaseClock } from '../system/clock.ts';
import { homeFolder, keptSecrets } from '../system/home-folder.ts';
import { ReportedError } from '../system/reported-error.ts';

/** The environment names no database, and this folder has none. */
export class NoDatabase extends ReportedError {}

/** @throws NoDatabase, FolderInUse, StoreUnavailable */
export async function withBacktestRows<T>(
  { databaseUrl, secrets }: Environment,
  use: (deps: BacktestDeps) => Promise<T>,
): Promise<T> {
  const home = homeFolder();
  const isMissing = databaseUrl === null && !existsSync(join(home, 'database'));
  if (isMissing || (secrets === null && !existsSync(join(home, 'secret')))) {
    throw new NoDatabase(
      'A backtest reads the database of a server: set DATABASE_URL and STATEHOUSE_SECRET as for it.',
    );
  }
  const database = await open(databaseUrl, home);
  try {
    const macs = rowMacs(rootKeys(secrets ?? keptSecrets(home, systemRandom)));
    const { loadClient } = grantStore(database.drizzle, databaseClock, authenticClients(macs));
    return await use({
      db: database.drizzle,
      clock: databaseClock,
      macs,
      loadClient: async (clientId) => (await loadClient(clientId)).client,
      mayContinue: () => true,
    });
  } finally {
    await database.close();
  }
}

async function open(url: string | null, home: string): Promise<Database> {
  if (url !== null) return (await import('../storage/postgres.ts')).openPostgres(url, { connections: 2 });
  return (await import('../storage/embedded.ts')).openEmbedded(home);
}
