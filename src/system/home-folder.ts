/** `.statehouse/` in the working folder: the embedded database, and the root secret where the environment has none. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Random } from '../crypto/random.ts';

export const homeFolder = (): string => resolve('.statehouse');

/** Others may read the folder, and the process cannot change its mode. */
export class FolderOpenToOthers extends Error {
  constructor(path: string, mode: string) {
    super(
      `${path} is open to other users of this machine (mode ${mode}), and this process may not change that. ` +
        'It holds the database and the root secret: give it to the user that runs Statehouse, and run "chmod -R go-rwx" on it.',
    );
    this.name = 'FolderOpenToOthers';
  }
}

/**
 * Makes the folder, or closes an existing folder and its entries to other users. Deeper files are then out of reach.
 * @param say receives a line when an entry was open.
 * @throws FolderOpenToOthers
 */
export function makePrivate(folder: string, say: (line: string) => void = toStandardError): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Windows has no such modes.
  if (process.platform === 'win32') return;
  if (!isOpenToOthers(folder)) return;
  const before = modeOf(folder);
  close(folder);
  for (const name of readdirSync(folder)) close(join(folder, name));
  say(`${folder} was open to other users of this machine (mode ${before}). Now only its owner can read it.`);
}

const toStandardError = (line: string) => void process.stderr.write(`${line}\n`);

const OTHERS = 0o077;
const bitsOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
const modeOf = (path: string) => (bitsOf(path) & 0o777).toString(8).padStart(4, '0');
const isOpenToOthers = (path: string) => (bitsOf(path) & OTHERS) !== 0;

function close(path: string): void {
  const mode = modeOf(path);
  try {
    chmodSync(path, bitsOf(path) & 0o700);
  } catch (error) {
    // A file that another process has just removed, such as its lock.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw new FolderOpenToOthers(path, mode);
  }
  // Some file systems accept a mode and ignore it.
  if (isOpenToOthers(path)) throw new FolderOpenToOthers(path, mode);
}

/** Created on first use, mode 0600. @returns the root secrets. The first makes new values. */
export function keptSecrets(folder: string, random: Random): readonly string[] {
  return readOrMake(folder, 'secret', () => random.bytes(32).toString('base64url'))
    .split(/[\s,]+/)
    .filter(Boolean);
}

/**
 * Reads a small private file, or creates it with `make`. Concurrent processes all read the text of the first writer.
 */
export function readOrMake(folder: string, name: string, make: () => string): string {
  makePrivate(folder);
  const path = join(folder, name);
  try {
    writeFileSync(path, make(), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(path, 'utf8');
}
