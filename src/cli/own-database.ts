/** The database that a command opens; never another one by accident, because of the folder in which it was typed. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openRuntime, type Runtime } from '../boot/runtime.ts';
import { homeFolder } from '../system/home-folder.ts';
import { CommandRefused } from './failure.ts';

const hasDatabase = (home: string): boolean => existsSync(join(home, 'database'));

/** In a folder above the home folder's own; null: none. */
function databaseAbove(home: string): string | null {
  for (let folder = dirname(dirname(home)); ; folder = dirname(folder)) {
    const above = join(folder, '.statehouse');
    if (hasDatabase(above)) return above;
    if (folder === dirname(folder)) return null;
  }
}

/**
 * @param say receives a message when the command creates the embedded database.
 * @throws CommandRefused where this folder has no embedded database, and a folder above it has one. Nothing is made.
 */
export async function openOwnDatabase(
  env: NodeJS.ProcessEnv,
  say: (line: string) => void = (line) => void process.stderr.write(`${line}\n`),
): Promise<Runtime> {
  const home = homeFolder();
  if (env['DATABASE_URL']?.trim() || env['DATABASE_URL_FILE']?.trim() || hasDatabase(home)) return openRuntime(env);
  const above = databaseAbove(home);
  if (above !== null) {
    throw new CommandRefused(
      [
        `This folder has no database, but there is one in ${above}: run the command in ${dirname(above)}.`,
        'To begin another database here: statehouse start. Nothing was changed.',
      ].join('\n'),
    );
  }
  const runtime = await openRuntime(env);
  say(`A new database was made in ${home}.`);
  return runtime;
}
