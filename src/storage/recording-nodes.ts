/**
 * The nodes of a Citus cluster that record entries of the ledger, and how far each is settled (docs/decisions/0119). An entry has the number
 * of a transaction of its node, so the entries of one node have an order, and those of two nodes have none.
 */
import { sql } from 'drizzle-orm';
import type { Drizzle } from './database.ts';
import { ARE_TABLES_SPREAD, answersOfEachNode } from './each-node.ts';
import { rawRows } from './raw-rows.ts';
import { transitions } from './schema.ts';

export type RecordingNode = {
  /** As `recorded_on` names it. Undefined: the one Postgres of before, which is the coordinator now. */
  readonly node?: number | undefined;
  /** Every transaction of the node below this one has ended. */
  readonly settledBelow: string;
  /** Every transaction that began in the node is below this one. */
  readonly begunBelow: string;
};

/** Whether the ledger has recording nodes. A node of the server that started before may not know it yet, and must not read two orders as one. */
export const hasRecordingNodes = sql<boolean>`${sql.raw(ARE_TABLES_SPREAD)}`;

/**
 * In a statement for one Postgres, which reads nothing where there are such nodes: it may have waited while the tables were spread. Each
 * worker would compare with its own transactions in progress.
 */
export const isOnePostgres = sql`not (${hasRecordingNodes})`;

/** Of a node that left the cluster. */
const ENDED = String(2n ** 64n - 1n);

/** A group of Citus is one node, with its standbys. No group gets the number of an earlier one. */
const STANDING = `select json_build_array((select groupid from pg_catalog.pg_dist_local_group),
  pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot())::text,
  pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())::text,
  (select last_value from pg_catalog.pg_dist_groupid_seq))`;

/**
 * Those that answer, and those that left the cluster. Ask before the entries are read: each entry below the answer is there then, also where
 * its shard moved. The entries of a node that gives no answer wait.
 */
export async function recordingNodes(db: Drizzle): Promise<readonly RecordingNode[]> {
  const members = rawRows<{ group: number }>(
    await db.execute(sql`select groupid as "group" from pg_catalog.pg_dist_node where noderole = 'primary'`),
  ).map(({ group }) => group);
  const answers = (await answersOfEachNode(db, STANDING))
    .filter(({ success }) => success)
    .map(({ result }) => JSON.parse(result) as [group: number, settledBelow: string, begunBelow: string, last: number])
    .toSorted(([one], [other]) => one - other);
  const known = new Set([...members, ...answers.map(([group]) => group)]);
  const highest = Math.max(...known, ...answers.map(([, , , last]) => last));
  const groups = Array.from({ length: highest + 1 }, (_, group) => group);
  return [
    ...answers.filter(([group]) => group === 0).map(([, settledBelow, begunBelow]) => ({ settledBelow, begunBelow })),
    ...answers.map(([group, settledBelow, begunBelow]) => ({ node: nodeOf(group), settledBelow, begunBelow })),
    ...groups
      .filter((group) => !known.has(group))
      .map((group) => ({ node: nodeOf(group), settledBelow: ENDED, begunBelow: ENDED })),
  ];
}

/** The trigger of distribute.ts writes it. */
const nodeOf = (group: number): number => group + 1;

/** True of its entries. Where the tables are spread, the index of the order begins with this column. */
export const recordedOn = (node: number | undefined) =>
  node === undefined ? sql`${transitions.recordedOn} is null` : sql`${transitions.recordedOn} = ${node}`;
