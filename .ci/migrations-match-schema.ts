/**
 * The migrations in drizzle/ must make what src/storage/schema.ts says. Generates into a copy of the folder: if there is
 * anything to generate, a migration is missing.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');
const copy = mkdtempSync(join(tmpdir(), 'statehouse-migrations-'));

try {
  cpSync(join(root, 'drizzle'), copy, { recursive: true });
  const before = migrationsIn(copy);
  // drizzle-kit takes `--out` only as a path relative to the working directory.
  const args = ['generate', '--dialect=postgresql', '--schema=src/storage/schema.ts', `--out=${relative(root, copy)}`];
  const output = execFileSync(join(root, 'node_modules/.bin/drizzle-kit'), args, {
    cwd: root,
    encoding: 'utf8',
    // drizzle-kit asks about a rename. Without an answer on standard input, it fails.
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 60_000,
  });
  const missing = migrationsIn(copy).filter((file) => !before.includes(file));
  for (const file of missing) {
    process.stderr.write(`A migration is missing. Run "npm run generate:migration". It would be:\n\n`);
    process.stderr.write(`${readFileSync(join(copy, file), 'utf8')}\n`);
  }
  if (missing.length === 0 && !output.includes('No schema changes')) {
    process.stderr.write(
      'drizzle/: expected no difference from src/storage/schema.ts. Run "npm run generate:migration".\n',
    );
    process.stderr.write(`${output}\n`);
    process.exitCode = 1;
  }
  if (missing.length > 0) process.exitCode = 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}

function migrationsIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.sql'));
}
