/**
 * Writes dist/guard, which is `statehouse/guard` for those who install the package: Node runs no TypeScript below node_modules. It is
 * kept in the repository, so that an installation from Git or from a folder needs no build. With --check: fails when it is not what
 * src/guard makes.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const target = join(root, 'dist/guard');
const made = mkdtempSync(join(tmpdir(), 'statehouse-guard-'));

try {
  execFileSync(
    join(root, 'node_modules/.bin/tsc'),
    ['--project', join(root, 'src/guard/tsconfig.build.json'), '--outDir', made],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  for (const file of readdirSync(made).filter((name) => name.endsWith('.d.ts'))) {
    const text = readFileSync(join(made, file), 'utf8');
    // The compiler rewrites these in JavaScript alone.
    writeFileSync(join(made, file), text.replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"));
  }
  if (!process.argv.includes('--check')) {
    rmSync(target, { recursive: true, force: true });
    cpSync(made, target, { recursive: true });
  } else if (contentOf(made) !== contentOf(target)) {
    process.stderr.write('dist/guard is not what src/guard makes. Run "npm run build:guard".\n');
    process.exitCode = 1;
  }
} finally {
  rmSync(made, { recursive: true, force: true });
}

function contentOf(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  return JSON.stringify(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
}
