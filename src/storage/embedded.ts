import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import { makePrivate } from '../system/home-folder.ts';
import { type Database, MIGRATIONS_FOLDER } from './database.ts';
import { lockFolder } from './folder-lock.ts';

/**
 * @param folder where the database lives; null: in memory, for tests.
 * @param template what a database in memory begins as: a dump of a data directory (`dumpDataDir`); empty when left out.
 * @throws FolderOpenToOthers
 * @throws FolderInUse when another process uses the folder: the embedded database belongs to one process.
 */
export async function openEmbedded(folder: string | null, template?: Blob): Promise<Database> {
  if (folder !== null) makePrivate(folder);
  const unlock = folder === null ? () => {} : lockFolder(folder);
  const inMemory = template ? { loadDataDir: template } : {};
  const client = await PGlite.create(folder === null ? inMemory : { dataDir: join(folder, 'database') }).catch(
    (error) => {
      unlock();
      throw error;
    },
  );
  const database = drizzle(client);
  return {
    kind: 'embedded',
    drizzle: database,
    inFlight: () => null,
    migrate: () => migrate(database, { migrationsFolder: MIGRATIONS_FOLDER }),
    close: async () => {
      await client.close();
      unlock();
    },
  };
}
