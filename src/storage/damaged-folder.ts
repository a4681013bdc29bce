/** A folder of the embedded database that Postgres cannot open: the damage, and the remedy. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ReportedError } from '../system/reported-error.ts';

export class FolderDamaged extends ReportedError {
  constructor(folder: string, damage: string) {
    super(
      `The embedded database in ${folder} is damaged: ${damage}. Nothing was changed there. ` +
        'Move this folder away, and put a copy in its place that was made while the server was stopped. ' +
        'Without a copy, the next start makes an empty database: its clients, end-users and grants are lost.',
    );
  }
}

/** PGlite is PostgreSQL 18. */
const VERSION = '18';
const CONTROL_BYTES = 8192;
const FOLDERS = ['base', 'global', 'pg_wal', 'pg_xact'];

/** PGlite takes a folder without this file for an empty one, and writes a new database over its files. @throws FolderDamaged */
export function requireWholeFolder(folder: string): void {
  const damage = isThere(folder) ? damageIn(folder) : null;
  if (damage !== null) throw new FolderDamaged(folder, damage);
}

function isThere(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') throw new FolderDamaged(folder, 'it is not a folder');
    throw error;
  }
}

/** Null: no damage in the files that this function reads. */
function damageIn(folder: string): string | null {
  const version = textOf(join(folder, 'PG_VERSION'));
  if (version === null) return 'the file PG_VERSION is missing';
  if (version !== VERSION) return `PG_VERSION says "${version.slice(0, 20)}", expected ${VERSION}`;
  const control = sizeOf(join(folder, 'global/pg_control'));
  if (control === null) return 'the file global/pg_control is missing';
  if (control !== CONTROL_BYTES) return `global/pg_control has ${control} bytes, expected ${CONTROL_BYTES}`;
  const missing = FOLDERS.find((name) => sizeOf(join(folder, name)) === null);
  return missing === undefined ? null : `the folder ${missing} is missing`;
}

const textOf = (file: string): string | null => orNull(() => readFileSync(file, 'utf8').trim());
const sizeOf = (file: string): number | null => orNull(() => statSync(file).size);

function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
