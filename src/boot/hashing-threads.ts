/**
 * Passwords are hashed in libuv's threads, for milliseconds each, on the processors that answer requests. On Linux each thread has a
 * priority of its own, so those threads get what is left: a burst of sign-ins makes sign-ins wait, and token requests little
 * (docs/performance.md). On other systems this function does nothing.
 */
import { readdir, readFile } from 'node:fs/promises';
import { setPriority } from 'node:os';

/** As `nice` counts; a process begins with 0. A thread with 10 gets a tenth of what a thread with 0 gets, if both want all. */
export const HASHING_PRIORITY = 10;

const THREADS = '/proc/self/task';

/** @returns how many threads have it now. Without this system's /proc, or without the right, none. */
export async function lowerHashingThreads(): Promise<number> {
  try {
    // Reading a folder uses these threads too, so all of them exist after it.
    const threads = await readdir(THREADS);
    const names = await Promise.all(threads.map((id) => readFile(`${THREADS}/${id}/comm`, 'utf8').catch(() => '')));
    const hashing = threads.filter((_, index) => names[index]?.trim() === 'libuv-worker');
    for (const id of hashing) setPriority(Number(id), HASHING_PRIORITY);
    return hashing.length;
  } catch {
    return 0;
  }
}
