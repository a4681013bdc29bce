/**
 * CPU time of the Postgres processes that serve one database, from /proc. Shared processes (checkpointer, WAL writer) are
 * not in it: the own process of a commit does its writes and flushes.
 */
import { readFileSync } from 'node:fs';
import type postgres from 'postgres';

/** Microseconds per process id. */
export type PostgresCpu = ReadonlyMap<number, number>;

/** @returns null where the system does not tell. */
export async function postgresCpu(admin: postgres.Sql, database: string): Promise<PostgresCpu | null> {
  if (process.platform !== 'linux') return null;
  const rows = await admin<{ pid: number }[]>`
    select pid from pg_stat_activity where datname = ${database} and backend_type = 'client backend'`;
  return new Map(rows.map(({ pid }) => [pid, microsecondsOf(pid)]));
}

/** A process that has begun in between counts whole. */
export const postgresCpuBetween = (before: PostgresCpu | null, after: PostgresCpu | null): number | null =>
  before && after && [...after].reduce((sum, [pid, spent]) => sum + spent - (before.get(pid) ?? 0), 0);

/** `schedstat` counts nanoseconds; without it `stat` counts ticks of 10 ms, which long runs smooth. */
function microsecondsOf(pid: number): number {
  const nanoseconds = readProc(pid, 'schedstat')?.split(' ')[0];
  if (nanoseconds !== undefined) return Number(nanoseconds) / 1000;
  const afterName = readProc(pid, 'stat')?.split(') ')[1]?.split(' ') ?? [];
  const [user = 0, system = 0] = afterName.slice(11, 13).map(Number);
  return (user + system) * 10_000;
}

/** Null: not kept by this kernel, or the process has just ended. */
function readProc(pid: number, name: 'schedstat' | 'stat'): string | null {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return null;
  }
}
