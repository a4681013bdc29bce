/**
 * Compares the findings in all prose of the repository with the budget (`npm run check:prose`): per folder and rule, it allows as many
 * as there were. `-- --write` lowers the budget to the findings that are left, `-- FILE …` lists every finding in these files.
 */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { type Budget, excess, folderOf, lowered, tally } from './budget.ts';
import { type Finding, findingsIn } from './findings.ts';

const BUDGET = new URL('budget.json', import.meta.url);
const FILES = [
  '*.md',
  '{src,machines,policies,test,docs,examples,.ci}/**/*.{md,ts,js,mjs}',
  'docs/scenarios/*.yaml',
  'policies/*.yaml',
  // The texts of pages and mails.
  'src/http/words/en.json',
];
/** Of others, or generated from prose that is read where it stands. */
const EXCLUDED = [
  '**/node_modules/**',
  'src/management/scalar/**',
  'src/storage/driver/**',
  'machines/README.md',
  'docs/scenarios/README.md',
  'test/unit/machines/transition-table.md',
  'test/**/*report.md',
];

process.chdir(new URL('../../', import.meta.url).pathname);
const options = process.argv.slice(2);
const named = options.filter((option) => !option.startsWith('--'));

const found: Finding[] = [];
for (const file of named.length > 0 ? named : globSync(FILES, { exclude: EXCLUDED }).toSorted()) {
  found.push(...(await findingsIn(file, readFileSync(file, 'utf8'))));
}
if (named.length > 0) list(found);
else if (options.includes('--write')) write(lowered(read(), tally(found)));
else compare(read());

function read(): Budget {
  return JSON.parse(readFileSync(BUDGET, 'utf8')) as Budget;
}

function write(budget: Budget): void {
  writeFileSync(BUDGET, `${JSON.stringify(budget, null, 2)}\n`);
}

function list(findings: readonly Finding[]): void {
  for (const { file, line, rule, message } of findings) process.stdout.write(`${file}:${line}: ${rule}: ${message}\n`);
}

function compare(budget: Budget): void {
  const counts = tally(found);
  const over = excess(budget, counts);
  const changed = over.length > 0 ? changedFiles() : new Set();
  for (const { folder, rule, count, allowed } of over) {
    const all = found.filter((one) => folderOf(one.file) === folder && one.rule === rule);
    const inChanged = all.filter(({ file }) => changed.has(file));
    list(inChanged.length > 0 ? inChanged : all);
    process.stdout.write(
      `${folder}: ${rule}: expected at most ${allowed}, found ${count}. Reword one of the above; after a move, npm run check:prose -- --write.\n\n`,
    );
    process.exitCode = 1;
  }
  if (JSON.stringify(lowered(budget, counts)) !== JSON.stringify(budget))
    process.stdout.write('There are fewer findings than the budget allows: npm run check:prose -- --write\n');
}

/** The files with changes that are not committed: a new finding is probably there. */
function changedFiles(): ReadonlySet<string> {
  const git = (...options: string[]) => execFileSync('git', options, { encoding: 'utf8' }).split('\n');
  return new Set([...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')]);
}
