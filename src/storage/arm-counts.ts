/** The arms that machines took lately, counted from the ledger: token requests count nothing, and every node returns the same numbers. */
import { and, desc, gte, lt, or, sql } from 'drizzle-orm';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { IS_IN_ORDER, recordedAround } from './ledger-instants.ts';
import { plannedRead } from './planned-read.ts';
import { recordedOn, recordingNodes } from './recording-nodes.ts';
import { transitions } from './schema.ts';
import { databaseNow } from './server-row.ts';
import { areSpread } from './spread-databases.ts';

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
  const now = await databaseNow(db, clock);
  const from = new Date(now.getTime() - seconds * 1000);
  if (areSpread(db)) return ofNodes(db, from);
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

/**
 * On a cluster each worker adds up its entries: a limit would send them all to one node. Of each node that records entries, those of the
 * newest transactions count.
 */
async function ofNodes(db: Drizzle, from: Date): Promise<TakenArms> {
  const nodes = await reading(() => recordingNodes(db));
  const ranges = nodes.map(({ node, begunBelow }) => {
    const first = BigInt(begunBelow) - BigInt(MAX_LINES_COUNTED);
    return { node, first: first > 1n ? first : 1n };
  });
  const { machine, event, fromState, toState, reason } = transitions;
  const counted = await plannedRead(db, (db) =>
    db
      .select({
        arm: {
          machine,
          event,
          from: fromState,
          to: toState,
          reason,
          times: sql<number>`count(*) filter (where ${gte(transitions.at, from)})::int`,
        },
        older: sql<number>`count(*) filter (where ${lt(transitions.at, from)})::int`,
      })
      .from(transitions)
      .where(
        or(
          ...ranges.map(({ node, first }) =>
            and(recordedOn(node), sql`${transitions.recordedIn} >= ${String(first)}::xid8`),
          ),
        ),
      )
      .groupBy(machine, event, fromState, toState, reason)
      .orderBy(machine, event, fromState, toState),
  );
  return {
    arms: counted.map(({ arm }) => arm).filter(({ times }) => times > 0),
    exact: ranges.every(({ first }) => first === 1n) || counted.some(({ older }) => older > 0),
  };
}
