/** The initial state of a database in memory (embedded.ts): migrated and empty. Making it takes seconds, loading it a fraction of a second. */
import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { EXTENSIONS, migrateEmbedded } from './embedded.ts';

/** Little to unpack, and little memory to clear, each time that it is loaded. */
const SMALL = ['--wal-segsize=1', ...['shared_buffers=8MB', 'min_wal_size=2MB', 'wal_recycle=off'].flatMap(setting)];

function setting(words: string): string[] {
  return ['-c', words];
}

/** @returns the data directory as a tar file. */
export async function makeEmbeddedTemplate(): Promise<Blob> {
  const client = await PGlite.create({ extensions: EXTENSIONS, initDbStartParams: SMALL });
  await migrateEmbedded(drizzle(client), null);
  // A third of the files, and never asked for.
  await client.exec('update pg_database set datistemplate = false');
  for (const unused of ['template0', 'template1']) await client.exec(`drop database ${unused}`);
  // A copy is recovered each time that it is loaded, from here on.
  await client.exec('checkpoint');
  const made = await client.dumpDataDir('none');
  await client.close();
  return made;
}
