/** One process per embedded database. A lock left by a process that died (kill -9, power loss) is taken over. */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

export class FolderInUse extends Error {
  readonly pid: number;
  constructor(folder: string, pid: number) {
    super(`The embedded database in ${folder} is in use by the running process ${pid}.`);
    this.name = 'FolderInUse';
    this.pid = pid;
  }
}

/** `startedAt` distinguishes processes that had the same pid. */
export type Owner = { readonly pid: number; readonly startedAt: string };

/** The locks of this process: its pid in the file could also be that of a dead process. */
const held = new Set<string>();

/** @returns a function that releases the lock. @throws FolderInUse */
export function lockFolder(folder: string): () => void {
  const path = resolve(folder, 'lock');
  if (held.has(path)) throw new FolderInUse(folder, process.pid);
  const mine: Owner = { pid: process.pid, startedAt: startOf(process.pid) };
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(mine), { mode: 0o600 });
  try {
    // Linking fails when the name exists, so only one of two processes that start together gets the lock.
    while (!tryLink(draft, path)) removeStale(folder, path);
  } finally {
    rmSync(draft, { force: true });
  }
  held.add(path);
  return () => {
    if (held.delete(path)) rmSync(path, { force: true });
  };
}

/** The living process that holds the folder; null: none does. Takes nothing. */
export function folderHolder(folder: string): Owner | null {
  const path = resolve(folder, 'lock');
  const owner = read(path);
  return owner !== null && (held.has(path) || isAlive(owner)) ? owner : null;
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
  const owner = read(path);
  if (owner && isAlive(owner)) throw new FolderInUse(folder, owner.pid);
  const stale = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, stale);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  // When two processes find the same stale lock, the slower must not remove the lock of the faster.
  const taken = read(stale);
  if (taken && isAlive(taken)) tryLink(stale, path);
  rmSync(stale, { force: true });
}

function read(path: string): Owner | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Owner;
  } catch {
    return null;
  }
}

function isAlive({ pid, startedAt }: Owner): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  // In a container every start may get the same pid; on Linux the start time distinguishes the processes.
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
