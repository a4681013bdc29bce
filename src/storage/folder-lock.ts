/** One process per embedded database. A lock left by a process that died (kill -9, power loss) is taken over. */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

export class FolderInUse extends Error {
  readonly pid: number;
  constructor(folder: string, pid: number) {
    super(`The embedded database in ${folder} is held by the running process ${pid}.`);
    this.name = 'FolderInUse';
    this.pid = pid;
  }
}

type Holder = { readonly pid: number; readonly startedAt: string };

/** The locks of this very process, which its pid in the file cannot tell from those of a dead one with the same pid. */
const held = new Set<string>();

/** @returns how to let go. @throws FolderInUse */
export function lockFolder(folder: string): () => void {
  const path = resolve(folder, 'lock');
  if (held.has(path)) throw new FolderInUse(folder, process.pid);
  const mine: Holder = { pid: process.pid, startedAt: startOf(process.pid) };
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(mine), { mode: 0o600 });
  try {
    // Linking fails when the name is taken, so of two processes that start at once only one gets it.
    while (!tryLink(draft, path)) removeStale(folder, path);
  } finally {
    rmSync(draft, { force: true });
  }
  held.add(path);
  return () => {
    if (held.delete(path)) rmSync(path, { force: true });
  };
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function removeStale(folder: string, path: string): void {
  const holder = read(path);
  if (holder && isAlive(holder)) throw new FolderInUse(folder, holder.pid);
  const stale = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, stale);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  // Of two processes that found the same stale lock, the slower one must not throw away the lock of the quicker one.
  const taken = read(stale);
  if (taken && isAlive(taken)) tryLink(stale, path);
  rmSync(stale, { force: true });
}

function read(path: string): Holder | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Holder;
  } catch {
    return null;
  }
}

function isAlive({ pid, startedAt }: Holder): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  // In a container every start may get the same pid; the start time tells the processes apart where Linux offers it.
  return startedAt === startOf(pid);
}

function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
