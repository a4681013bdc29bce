/** The release before this version, as `.ci/pack-previous-release.ts` has packed it: its program, its migrations, its policies. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
export const ARCHIVE = join(import.meta.dirname, 'previous-release.tar.gz');
export const RECORD = join(import.meta.dirname, 'previous-release.json');
/** The parts of a running release. */
export const PACKED = ['drizzle', 'machines', 'package.json', 'package-lock.json', 'policies', 'src'] as const;
/** But not the script of the reference page, 4.9 MB that nothing reads during an upgrade. */
export const LEFT_OUT = 'src/management/scalar/standalone.js';

export type Released = { readonly version: string; readonly commit: string };
export const released = (): Released => JSON.parse(readFileSync(RECORD, 'utf8'));

export type PreviousRelease = Released & { readonly folder: string; readonly remove: () => void };

/** Unpacked into a temporary folder, without its packages. */
export function unpackPreviousRelease(): PreviousRelease {
  const folder = mkdtempSync(join(tmpdir(), 'statehouse-previous-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    execFileSync('tar', ['--extract', '--gzip', `--file=${ARCHIVE}`, `--directory=${folder}`]);
    return { ...released(), folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Gives it the packages that it names: those that are installed here where their versions are the same, and else its own, from npm. */
export function givePackages({ folder }: Pick<PreviousRelease, 'folder'>): void {
  if (differingPackages(folder).length === 0)
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
  else execFileSync('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'pipe' });
}

type Manifest = { readonly dependencies: Readonly<Record<string, string>> };
const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** The packages that the release names in another version than this one, or that this one does not have. */
function differingPackages(folder: string): readonly string[] {
  const present = manifestOf(ROOT).dependencies;
  return Object.entries(manifestOf(folder).dependencies).flatMap(([name, version]) =>
    present[name] === version ? [] : [name],
  );
}
