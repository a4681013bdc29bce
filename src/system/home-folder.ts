/** `.statehouse/` in the working folder: the embedded database, and the root secret where the environment has none. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Random } from '../crypto/random.ts';

export const homeFolder = (): string => resolve('.statehouse');

/** Created on first use, mode 0600. @returns the root secrets; new values are made with the first. */
export function keptSecrets(folder: string, random: Random): readonly string[] {
  return readOrMake(folder, 'secret', () => random.bytes(32).toString('base64url'))
    .split(/[\s,]+/)
    .filter(Boolean);
}

/** Reads a small private file, or creates it with `make`. Processes that create it together all read what the first wrote. */
export function readOrMake(folder: string, name: string, make: () => string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name);
  try {
    writeFileSync(path, make(), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(path, 'utf8');
}
