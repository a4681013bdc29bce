/**
 * npm run check:mutants
 *
 * Names the rooms whose section of report.md is out of date. Either more than a tenth of their lines changed since the
 * commit at which they were measured, or they were never measured. It reports, and fails only when it cannot.
 */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { measuredRooms } from './report.ts';
import { isMutated, type Room, rooms } from './rooms.ts';

const MUCH = 0.1;

const measured = measuredRooms();
for (const [name, room] of Object.entries(rooms)) {
  const says = stateOf(room, measured.get(name)?.commit.replace('+', '') ?? null);
  if (says !== null) process.stdout.write(`${name}: ${says}; npm run mutants -- ${name}\n`);
}

/** @returns null: the section is still about this code. */
function stateOf(room: Room, commit: string | null): string | null {
  if (commit === null) return 'never measured as a whole';
  const changed = changedLines(commit, room);
  // A clone without its history.
  if (changed === null) return `measured at ${commit}, which this clone does not have`;
  const share = changed / linesOf(room);
  return share > MUCH ? `${Math.round(share * 100)} % of its lines changed since ${commit}` : null;
}

function linesOf(room: Room): number {
  return globSync([...room.mutate.filter((glob) => !glob.startsWith('!'))])
    .filter((file) => isMutated(room, file))
    .reduce((sum, file) => sum + readFileSync(file, 'utf8').split('\n').length, 0);
}

/** Lines that were added or changed. */
function changedLines(commit: string, room: Room): number | null {
  let numbers: string;
  try {
    const folders = ['src', 'machines', 'policies'];
    numbers = execFileSync('git', ['diff', '--numstat', commit, '--', ...folders], { encoding: 'utf8', stdio: 'pipe' });
  } catch {
    return null;
  }
  return numbers
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([, , file]) => file !== undefined && isMutated(room, file))
    .reduce((sum, [added]) => sum + (Number(added) || 0), 0);
}
