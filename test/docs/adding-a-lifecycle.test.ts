/**
 * docs/adding-a-lifecycle.md, followed to the letter in a copy of the repository: the voucher compiles, is drawn, migrates, and runs. Blocks of code
 * name the file that they make, or, with the language `diff`, the file that they change.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const guide = readFileSync(join(ROOT, 'docs/adding-a-lifecycle.md'), 'utf8');

type Block = { readonly language: string; readonly path: string; readonly text: string };
const blocks: readonly Block[] = [...guide.matchAll(/^```(ts|diff) (\S+)\n([\s\S]*?)^```$/gm)].map(
  ([, language = '', path = '', text = '']) => ({ language, path, text }),
);

const copy = mkdtempSync(join(tmpdir(), 'statehouse-guide-'));
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** @returns its output. */
function run(command: string, args: readonly string[], status = 0): string {
  const ran = spawnSync(join(copy, 'node_modules/.bin', command), args, { cwd: copy, encoding: 'utf8' });
  const said = stripVTControlCharacters(`${ran.stdout}${ran.stderr}`);
  expect(ran.status, said).toBe(status);
  return said;
}

/** Lines of context stay, lines with a plus are added below them. */
function change({ path, text }: Block): void {
  const file = join(copy, path);
  const changed = text.split(/^@@\n/m).reduce(
    (whole, hunk) => {
      const lines = hunk.trimEnd().split('\n');
      const linesWith = (signs: string) =>
        lines.flatMap((line) => (signs.includes(line[0] ?? ' ') ? [line.slice(1)] : []));
      const [before, after] = [linesWith(' -').join('\n'), linesWith(' +').join('\n')];
      expect(whole.split(`${before}\n`), `${path} has once: ${before}`).toHaveLength(2);
      return whole.replace(before, () => after);
    },
    readFileSync(file, 'utf8'),
  );
  writeFileSync(file, changed);
}

beforeAll(() => {
  const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  for (const file of tracked.split('\0').filter((one) => one !== '')) {
    cpSync(join(ROOT, file), join(copy, file), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  // As in any working copy, tsc checks the changes of the guide alone.
  if (existsSync(join(ROOT, '.tsbuildinfo'))) cpSync(join(ROOT, '.tsbuildinfo'), join(copy, '.tsbuildinfo'));
  for (const block of blocks) {
    if (block.language === 'diff') change(block);
    else {
      mkdirSync(dirname(join(copy, block.path)), { recursive: true });
      writeFileSync(join(copy, block.path), block.text);
    }
  }
});

it('the guide names every file that it makes or changes', () => {
  expect(blocks.map(({ path }) => path)).toEqual([
    'machines/voucher/facts.ts',
    'machines/voucher/guards.ts',
    'machines/voucher/effects.ts',
    'machines/voucher/machine.ts',
    'machines/running.ts',
    'src/lifecycles/voucher/entity.ts',
    'src/lifecycles/voucher/table.ts',
    'src/lifecycles/tables.ts',
    'src/lifecycles/voucher/lifecycle.ts',
    'src/storage/vouchers.ts',
    'test/unit/machines/laws/voucher.ts',
    'test/unit/machines/laws.ts',
    'test/unit/machines/laws/without-reference.ts',
    'test/support/effects.ts',
    'test/unit/storage/vouchers.test.ts',
  ]);
});

it('the guide adds a lifecycle that compiles, keeps the import rules, and is generated, migrated and run', () => {
  run('tsc', ['--incremental', '--tsBuildInfoFile', '.tsbuildinfo']);
  run('depcruise', ['--config', '.dependency-cruiser.mjs', 'machines', 'src/lifecycles']);

  const migrations = () => globSync('drizzle/*.sql', { cwd: copy });
  const before = migrations();
  run('drizzle-kit', ['generate']);
  const added = migrations().filter((file) => !before.includes(file));
  expect(added).toHaveLength(1);
  expect(readFileSync(join(copy, added[0] ?? ''), 'utf8')).toContain('CREATE TABLE "vouchers"');

  expect(run('node', ['src/review/build.ts', '--check'], 1)).toContain('is out of date');
  run('node', ['src/review/build.ts']);
  expect(readFileSync(join(copy, 'drizzle/triggers.sql'), 'utf8')).toContain('"vouchers_moves_with_its_machine"');
  expect(readFileSync(join(copy, 'machines/README.md'), 'utf8')).toContain('`active`, `redeemed`, `withdrawn`');

  const tests = ['test/unit/machines/laws.test.ts', 'test/unit/storage/vouchers.test.ts'];
  expect(run('vitest', ['run', '--config', 'vitest.fast.config.ts', ...tests])).toMatch(/Test Files +2 passed/);
});
