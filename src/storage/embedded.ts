import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { drizzle } from 'drizzle-orm/pglite';
import { makePrivate } from '../system/home-folder.ts';
import { FolderDamaged, requireWholeFolder } from './damaged-folder.ts';
import type { Database, Drizzle } from './database.ts';
import { codeOf } from './failures.ts';
import { lockFolder } from './folder-lock.ts';
import { apply, whatIsDue } from './migrations.ts';

/** Those that a migration creates. */
export const EXTENSIONS = { pg_trgm };

/**
 * @param folder where the database lives; null: in memory, for tests.
 * @param template the initial state of a database in memory: a dump of a data directory (`dumpDataDir`); empty when left out.
 * @throws FolderOpenToOthers, FolderDamaged
 * @throws FolderInUse when another process uses the folder: the embedded database belongs to one process.
 */
export async function openEmbedded(folder: string | null, template?: Blob): Promise<Database> {
  if (folder !== null) makePrivate(folder);
  const unlock = folder === null ? () => {} : lockFolder(folder);
  const client = await opened(folder, template).catch((error) => {
    unlock();
    throw error;
  });
  const database = drizzle(client);
  return {
    kind: 'embedded',
    drizzle: database,
    inFlight: () => null,
    migrate: () => migrateEmbedded(database, folder),
    // The folder belongs to this process.
    runAlone: async (_, work) => {
      await work(new AbortController().signal);
      return true;
    },
    close: async () => {
      await client.close();
      unlock();
    },
  };
}

/** @param folder null: in memory. @throws TablesBeforeFirstRelease */
export async function migrateEmbedded(database: Drizzle, folder: string | null): Promise<void> {
  const due = await whatIsDue(
    database,
    `Move the folder ${join(folder ?? '', 'database')} away: the next start makes an empty database, without the clients, end-users and grants of this one.`,
  );
  if (due !== null) await apply(database, due);
}

async function opened(folder: string | null, template: Blob | undefined): Promise<PGlite> {
  if (folder === null) return PGlite.create({ extensions: EXTENSIONS, ...(template && { loadDataDir: template }) });
  const dataDir = join(folder, 'database');
  requireWholeFolder(dataDir);
  try {
    return await PGlite.create({ dataDir, extensions: EXTENSIONS });
  } catch (error) {
    // Such as a full disk.
    if (codeOf(error) !== undefined) throw error;
    // Postgres ended itself; its message goes to its own output.
    throw new FolderDamaged(dataDir, 'Postgres cannot start with what is in it');
  }
}
