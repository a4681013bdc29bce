/** Where a Postgres server of tests keeps its data: in memory where there is room, since making a database on a disk takes ten times as long. */
import { mkdtempSync, readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** All databases of a run with their logs stay far below it. */
const ROOM_BYTES = 4 * 1024 ** 3;

/** @returns a new folder, from which programs can be run. */
export const roomyFolder = (prefix: string): string => mkdtempSync(join(hasRoom() ? MEMORY : tmpdir(), prefix));

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return isMemory() && bavail * bsize > ROOM_BYTES && process.availableMemory() > 2 * ROOM_BYTES;
  } catch {
    return false;
  }
}

function isMemory(): boolean {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const [, , type, options = 'noexec'] = mounts.findLast((line) => line.split(' ')[1] === MEMORY)?.split(' ') ?? [];
  return type === 'tmpfs' && !options.split(',').includes('noexec');
}
