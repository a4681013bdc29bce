/** The threads that hash passwords give way to the thread that answers requests. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const MODULE = new URL('../../src/boot/hashing-threads.ts', import.meta.url).href;

/** Priorities of all threads of a process of its own, by their names. */
const PROGRAM = `
  import { readdirSync, readFileSync } from 'node:fs';
  import { getPriority } from 'node:os';
  import { lowerHashingThreads } from '${MODULE}';
  const lowered = await lowerHashingThreads();
  const threads = readdirSync('/proc/self/task').map((id) => ({
    name: readFileSync('/proc/self/task/' + id + '/comm', 'utf8').trim(),
    priority: getPriority(Number(id)),
  }));
  console.log(JSON.stringify({ lowered, threads }));
`;

it.runIf(process.platform === 'linux')(
  'a start lowers the priority of all threads of libuv, and of no other',
  async () => {
    const env = { PATH: process.env['PATH'], UV_THREADPOOL_SIZE: '3' };
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', PROGRAM], { env });
    const { lowered, threads } = JSON.parse(stdout) as {
      lowered: number;
      threads: { name: string; priority: number }[];
    };
    const own = threads.find(({ name }) => name !== 'libuv-worker')?.priority ?? 0;
    expect(lowered).toBe(3);
    expect(threads.filter(({ name }) => name === 'libuv-worker').map(({ priority }) => priority)).toEqual([10, 10, 10]);
    expect(threads.filter(({ name }) => name !== 'libuv-worker').every(({ priority }) => priority === own)).toBe(true);
  },
);
