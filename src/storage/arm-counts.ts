/** The arms that machines took lately, counted from the ledger: token requests count nothing, and every node returns the same numbers. */
import { and, desc, gte, sql } from 'drizzle-orm';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { IS_IN_ORDER, recordedAround } from './ledger-instants.ts';
import { nowOf } from './now.ts';
import { plannedRead } from './planned-read.ts';
import { server, transitions } from './schema.ts';
import { noServerRow } from './server-row.ts';

export type TakenArm = {
  readonly machine: string;
  readonly event: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string | null;
  /** How often. */
  readonly times: number;
};

export type TakenArms = {
  readonly arms: readonly TakenArm[];
  /** False: only the newest lines were counted, since there are more. */
  readonly exact: boolean;
};

export const MAX_LINES_COUNTED = 100_000;

/** Callers keep the answer for some seconds. @throws StoreUnavailable */
export async function armsTakenWithin(db: Drizzle, clock: Clock, seconds: number): Promise<TakenArms> {
  const [row] = await reading(() => db.select({ now: sql<string>`${nowOf(clock)}` }).from(server));
  if (!row) throw noServerRow();
  const from = new Date(new Date(row.now).getTime() - seconds * 1000);
  const range = await recordedAround(db, { from });
  const arms = await plannedRead(db, (db) => {
    const line = db
      .select({
        machine: transitions.machine,
        event: transitions.event,
        from: transitions.fromState,
        to: transitions.toState,
        reason: transitions.reason,
      })
      .from(transitions)
      .where(and(IS_IN_ORDER, gte(transitions.at, from), range))
      .orderBy(desc(transitions.recordedIn), desc(transitions.position))
      .limit(MAX_LINES_COUNTED)
      .as('line');
    return db
      .select({
        machine: line.machine,
        event: line.event,
        from: line.from,
        to: line.to,
        reason: line.reason,
        times: sql<number>`count(*)::int`,
      })
      .from(line)
      .groupBy(line.machine, line.event, line.from, line.to, line.reason)
      .orderBy(line.machine, line.event, line.from, line.to);
  });
  return { arms, exact: arms.reduce((all, { times }) => all + times, 0) < MAX_LINES_COUNTED };
}
