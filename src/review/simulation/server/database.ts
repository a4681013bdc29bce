/**
 * The database of scenarios: embedded, in memory, migrated and empty. Its initial state is kept beside the compiled program
 * (src/cli/fast-loading.js), until another migration or another version of a package comes.
 */
import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sha256 } from '../../../crypto/digest.ts';
import { type Database, MIGRATIONS_FOLDER } from '../../../storage/database.ts';
import { openEmbedded } from '../../../storage/embedded.ts';
import { makeEmbeddedTemplate } from '../../../storage/embedded-template.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

let loading: Promise<Blob> | null = null;

export async function openEmptyDatabase(): Promise<Database> {
  loading ??= template();
  return openEmbedded(null, await loading);
}

async function template(): Promise<Blob> {
  const file = `${ROOT}node_modules/.cache/empty-database/${digestOfOrigin()}.tar`;
  const kept = read(file);
  if (kept !== null) return kept;
  const made = await makeEmbeddedTemplate();
  keep(file, await made.bytes());
  return made;
}

/** Of all that it is made from. */
function digestOfOrigin(): string {
  const migrations = globSync('**/*.sql', { cwd: MIGRATIONS_FOLDER }).sort();
  const files = [`${ROOT}package.json`, ...migrations.map((name) => `${MIGRATIONS_FOLDER}/${name}`)];
  return sha256(files.map((file) => sha256(readFileSync(file)).toString('hex')).join()).toString('hex');
}

function read(file: string): Blob | null {
  try {
    return new Blob([readFileSync(file)]);
  } catch {
    return null;
  }
}

/** Where nothing can be written, nothing is kept. */
function keep(file: string, bytes: Uint8Array): void {
  const folder = dirname(file);
  const unfinished = `${file}.${process.pid}`;
  try {
    mkdirSync(folder, { recursive: true });
    for (const older of globSync('*.tar', { cwd: folder })) rmSync(`${folder}/${older}`, { force: true });
    writeFileSync(unfinished, bytes);
    // Another process may be at the same.
    renameSync(unfinished, file);
  } catch {
    rmSync(unfinished, { force: true });
  }
}
