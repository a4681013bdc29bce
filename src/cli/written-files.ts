/** Files that commands write, for `--output`. */
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cli } from './cli.ts';
import { CommandRefused } from './failure.ts';

export function isFolder(path: string): boolean {
  if (/[/\\]$/.test(path)) return true;
  try {
    return statSync(path).isDirectory();
  } catch {
    // Writing reports any problem with the path.
    return false;
  }
}

/** @param folder made where it does not exist. Null: `file` is the whole path. */
export function writeInto({ output }: Pick<Cli, 'output'>, folder: string | null, file: string, text: string): void {
  const path = folder === null ? file : join(folder, file);
  try {
    if (folder !== null) mkdirSync(folder, { recursive: true });
    writeFileSync(path, text);
  } catch (error) {
    throw new CommandRefused(`${path} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  }
  output.print(`wrote ${path}\n`);
}
