/** Once per run: the embedded database, migrated and shut down. To load it takes a fraction of the time to make another. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import type { TestProject } from 'vitest/node';
import { migrateEmbedded } from '../../src/storage/embedded.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A tar file with the data directory. */
    embeddedTemplate: string;
  }
}

/** Little to unpack, and little memory to clear, hundreds of times. */
const SMALL = ['--wal-segsize=1', ...['shared_buffers=8MB', 'min_wal_size=2MB', 'wal_recycle=off'].flatMap(setting)];

function setting(words: string): string[] {
  return ['-c', words];
}

export default async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'statehouse-embedded-'));
  const [dataDir, file] = [join(folder, 'data'), join(folder, 'template.tar')];
  const client = await PGlite.create({ dataDir, initDbStartParams: SMALL });
  await migrateEmbedded(drizzle(client), null);
  // A third of the files, and never asked for.
  await client.exec('update pg_database set datistemplate = false');
  for (const unused of ['template0', 'template1']) await client.exec(`drop database ${unused}`);
  // Shut down, because a copy of a running database would be recovered each time that it is opened.
  await client.close();
  execFileSync('tar', ['-cf', file, '-C', dataDir, '.']);
  project.provide('embeddedTemplate', file);
  return () => rmSync(folder, { recursive: true, force: true });
}
