/**
 * Prints the bill of materials of what the server runs: `node .ci/sbom.ts [cyclonedx|spdx]`. It is npm's own, of a package without
 * devDependencies: asked to omit them, npm leaves out what a devDependency needs too, such as zod.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Package = { readonly dev?: true; readonly devDependencies?: object; readonly workspaces?: object };
type Lock = { readonly packages: Readonly<Record<string, Package>> };

const root = join(import.meta.dirname, '..');
const [format = 'cyclonedx'] = process.argv.slice(2);
const {
  devDependencies: _,
  workspaces: __,
  ...manifest
} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
/** The guard for APIs, which has the name of the root, is a part of what is described. */
const GUARD = ['src/guard', 'node_modules/statehouse'];
const packages = Object.entries(lock.packages)
  .filter(([path, { dev }]) => !dev && !GUARD.includes(path))
  .map(([path, { devDependencies: _, workspaces: __, ...rest }]) => [path, rest] as const);

const folder = mkdtempSync(join(tmpdir(), 'statehouse-sbom-'));
try {
  // npm names the root after its folder.
  const copy = join(folder, manifest.name);
  mkdirSync(copy);
  // Packages of this repository, which node_modules links.
  for (const [path] of packages.filter(([path]) => path !== '' && !path.startsWith('node_modules/'))) {
    cpSync(join(root, path, 'package.json'), join(copy, path, 'package.json'));
  }
  writeFileSync(join(copy, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(copy, 'package-lock.json'), JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }));
  const args = ['sbom', '--package-lock-only', '--sbom-type=application', `--sbom-format=${format}`];
  process.stdout.write(
    execFileSync('npm', args, { cwd: copy, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }),
  );
} finally {
  rmSync(folder, { recursive: true });
}
