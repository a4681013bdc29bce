/**
 * npm run mutants [-- ROOM…] [--since REVISION | --sample N [--seed N]] [--at-once N]
 *
 * Without rooms: all of them, which takes hours. With --since: the files of a room that differ from REVISION, which takes
 * minutes. With --sample: N mutants of each room, drawn at random by --seed. A mutant is not run again while neither its
 * source nor its tests have changed.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { writeReport } from './report.ts';
import { forgetUnseen } from './results.ts';
import { isMutated, type Room, rooms } from './rooms.ts';
import { drawSample, rangeOf, type Sample } from './sample.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    since: { type: 'string' },
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    'at-once': { type: 'string', default: '1' },
  },
});
const sampleSize = values.sample === undefined ? null : Number(values.sample);
if (sampleSize !== null && (!(sampleSize > 0) || values.since !== undefined)) {
  process.stderr.write('--sample takes the number of mutants to draw, and does not go with --since.\n');
  process.exit(2);
}

const unknown = positionals.filter((room) => !(room in rooms));
if (unknown.length > 0) {
  process.stderr.write(`No such room: ${unknown.join(', ')}. Rooms: ${Object.keys(rooms).join(', ')}.\n`);
  process.exit(2);
}

const changed = values.since === undefined ? null : changedSince(values.since);
const names = positionals.length > 0 ? positionals : Object.keys(rooms);
const samples = new Map<string, Sample>();
if (sampleSize !== null) {
  for (const name of names) {
    const room = rooms[name];
    if (room !== undefined) samples.set(name, await drawSample(room, sampleSize, Number(values.seed)));
  }
}
const asked = names
  .map((name) => ({ name, files: filesOf(name) }))
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
      ...drawnOf(name),
    },
  });
  return status !== 0;
});
const commit = git('rev-parse', '--short=8', 'HEAD').trim() + (git('status', '--porcelain').trim() === '' ? '' : '+');
const date = new Date().toISOString().slice(0, 10);
const only =
  sampleSize !== null
    ? ` --sample ${sampleSize} --seed ${values.seed}`
    : values.since === undefined
      ? ''
      : ` --since ${values.since}`;
writeReport(
  new Map(
    asked
      .filter((room) => !failed.includes(room))
      .map(({ name }) => [
        name,
        { date, commit, command: `npm run mutants -- ${name}${only}`, sample: samples.get(name) ?? null },
      ]),
  ),
);
if (failed.length > 0) {
  process.stderr.write(`Could not be run: ${failed.map(({ name }) => name).join(', ')}.\n`);
  process.exit(1);
}

function filesOf(name: string): readonly string[] | undefined {
  const sample = samples.get(name);
  if (sample !== undefined) return sample.drawn.map(rangeOf);
  return changed === null ? rooms[name]?.mutate : changedOf(rooms[name], changed);
}

/** Where the mutants of the sample are, for only-drawn.mjs. */
function drawnOf(name: string): NodeJS.ProcessEnv {
  const sample = samples.get(name);
  return sample === undefined
    ? {}
    : { MUTANTS_DRAWN: JSON.stringify(sample.drawn.map(({ start, end }) => ({ start, end }))) };
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
