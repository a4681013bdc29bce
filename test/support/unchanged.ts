/**
 * Suites that take minutes and always say the same about the same files: they try hundreds of machines with one thing wrong. `npm test`
 * leaves one out while nothing that it depends on differs from its last whole run, and says so. `npm run test:mutants` runs all of them
 * and writes down, in `test/mutants/whole-runs.json`, what they depended on.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';

export const REPEATABLE = [
  'test/unit/machines/mutation.test.ts',
  'test/unit/review/diff-mutants.test.ts',
  'test/unit/review/drawing/drawings.test.ts',
  'test/unit/review/mutation.test.ts',
  'test/unit/review/proof.test.ts',
  'test/unit/review/sql-mutants.test.ts',
];

const ROOT = resolve(import.meta.dirname, '../..');
export const WHOLE_RUNS = resolve(ROOT, 'test/mutants/whole-runs.json');

/** Files that tests read without importing them. */
const READ_AT_RUN_TIME = ['machines/**/*', 'policies/**/*', 'drizzle/**/*.sql', 'package-lock.json'];

/**
 * The files of the checkout that a file imports, or names by a relative path, and so on from each of them. A path that only stands in a
 * comment counts too: a suite runs once more than it needs to, and never once less.
 *
 * @param file an absolute path
 * @returns absolute paths, the file itself among them
 */
export function dependenciesOf(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  if (!/\.[cm]?[jt]sx?$/.test(file)) return found;
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/['"`](\.{1,2}\/[^'"`\s]+)['"`]/g)) {
    const named = resolve(dirname(file), path);
    if (existsSync(named) && statSync(named).isFile()) dependenciesOf(named, found);
  }
  return found;
}

/** @returns SHA-256, in hexadecimal, of the names and contents of all that the suite depends on. */
export function digestOf(suite: string, root = ROOT): string {
  const read = globSync(READ_AT_RUN_TIME, { cwd: root })
    .map((file) => resolve(root, file))
    .filter((file) => statSync(file).isFile());
  // The record to compare a suite with lies beside it.
  const beside = globSync('*.md', { cwd: resolve(root, dirname(suite)) }).map((file) =>
    resolve(root, dirname(suite), file),
  );
  const hash = createHash('sha256');
  for (const file of [...new Set([...dependenciesOf(resolve(root, suite)), ...read, ...beside])].toSorted()) {
    hash.update(`${relative(root, file)}\0`).update(createHash('sha256').update(readFileSync(file)).digest());
  }
  return hash.digest('hex');
}

/**
 * The suites that a run leaves out. A suite that the command names by its file runs.
 *
 * @param named the arguments of the command
 */
export function unchangedSuites(named: readonly string[]): readonly string[] {
  if (process.env['MUTANTS'] === 'whole' || !existsSync(WHOLE_RUNS)) return [];
  const last = JSON.parse(readFileSync(WHOLE_RUNS, 'utf8')) as Readonly<Record<string, string>>;
  return REPEATABLE.filter(
    (suite) => !named.some((one) => one.endsWith('.test.ts') && suite.endsWith(one.replace(/^\.\//, ''))),
  ).filter((suite) => last[suite] === digestOf(suite));
}
