/**
 * npm run mutants [-- ROOM…] [--since REVISION] [--at-once N]
 *
 * Without rooms: all of them, which takes hours. With --since: the files of a room that differ from REVISION, which takes
 * minutes. What was asked before and has not changed since, neither source nor tests, is not asked again.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { writeReport } from './report.ts';
import { forgetUnseen } from './results.ts';
import { isMutated, type Room, rooms } from './rooms.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { since: { type: 'string' }, 'at-once': { type: 'string', default: '1' } },
});

const unknown = positionals.filter((room) => !(room in rooms));
if (unknown.length > 0) {
  process.stderr.write(`No such room: ${unknown.join(', ')}. Rooms: ${Object.keys(rooms).join(', ')}.\n`);
  process.exit(2);
}

const changed = values.since === undefined ? null : changedSince(values.since);
const names = positionals.length > 0 ? positionals : Object.keys(rooms);
const asked = names
  .map((name) => ({ name, files: changed === null ? rooms[name]?.mutate : changedOf(rooms[name], changed) }))
  .filter(({ files }) => files !== undefined && files.length > 0);

const failed = asked.filter(({ name, files }) => {
  if (changed === null) forgetUnseen(name);
  const { status } = spawnSync('npx', ['stryker', 'run', 'test/mutants/stryker.config.mjs'], {
    stdio: 'inherit',
    env: {
      ...process.env,
      MUTANTS_ROOM: name,
      MUTANTS_FILES: JSON.stringify(files),
      MUTANTS_AT_ONCE: values['at-once'],
    },
  });
  return status !== 0;
});
const commit = git('rev-parse', '--short=8', 'HEAD').trim() + (git('status', '--porcelain').trim() === '' ? '' : '+');
const date = new Date().toISOString().slice(0, 10);
const since = values.since === undefined ? '' : ` --since ${values.since}`;
writeReport(
  new Map(
    asked
      .filter((room) => !failed.includes(room))
      .map(({ name }) => [name, { date, commit, command: `npm run mutants -- ${name}${since}` }]),
  ),
);
if (failed.length > 0) {
  process.stderr.write(`Could not be run: ${failed.map(({ name }) => name).join(', ')}.\n`);
  process.exit(1);
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' });
}

function changedSince(revision: string): readonly string[] {
  return git('diff', '--name-only', '--diff-filter=d', revision, '--', 'src', 'machines', 'policies')
    .split('\n')
    .filter((file) => file.endsWith('.ts'));
}

function changedOf(room: Room | undefined, files: readonly string[]): string[] {
  return room === undefined ? [] : files.filter((file) => isMutated(room, file));
}
