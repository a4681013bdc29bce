/**
 * The nodes of a Citus cluster that record entries of the ledger, and how far each is settled (docs/decisions/0119). An entry has the number
 * of a transaction of its node, so the entries of one node have an order, and those of two nodes have none.
 */
import { sql } from 'drizzle-orm';
import type { Drizzle } from './database.ts';
import { ARE_TABLES_SPREAD, answersOfEachNode, missingAnswer } from './each-node.ts';
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

/**
 * A group of Citus is one node, with its standbys. No group gets the number of an earlier one. The number is read before the lock: Citus
 * gives a number only while it has the lock.
 */
const STANDING = `select json_build_object('group', (select groupid from pg_catalog.pg_dist_local_group),
  'settledBelow', pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot())::text,
  'begunBelow', pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())::text,
  'newest', (select last_value from pg_catalog.pg_dist_groupid_seq),
  'changes', exists (select from pg_catalog.pg_locks where relation = 'pg_catalog.pg_dist_node'::pg_catalog.regclass
    and database = (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database()) and mode = 'ExclusiveLock' and granted))`;

type Standing = {
  readonly group: number;
  readonly settledBelow: string;
  readonly begunBelow: string;
  /** Of all groups of the cluster, where the node is the coordinator. */
  readonly newest: number;
  /** A node is being added or removed. */
  readonly changes: boolean;
};

/**
 * Those that answer, and those that left the cluster. Ask before the entries are read: each entry below the answer is there then, also where
 * its shard moved. The entries of a node that gives no answer wait, and so do those of a node that may be on its way into the cluster.
 */
export async function recordingNodes(db: Drizzle): Promise<readonly RecordingNode[]> {
  const { here, others } = await askedNodes(db);
  return here === null ? others : [here, ...others];
}

/** Where a reader begins that is to have new entries alone. @throws of a lost connection, where a node gives no answer. */
export async function endsOfNodes(db: Drizzle): Promise<{ readonly here: End; readonly others: readonly NodeEnd[] }> {
  const { here, others, areAll } = await askedNodes(db);
  if (here === null || !areAll) throw missingAnswer('each node of the cluster');
  return { here, others };
}

type End = Omit<RecordingNode, 'node'>;
type NodeEnd = End & { readonly node: number };

/** `here`: the coordinator, as the one Postgres of before. */
async function askedNodes(db: Drizzle): Promise<{ here: End | null; others: readonly NodeEnd[]; areAll: boolean }> {
  const answers = (await answersOfEachNode(db, STANDING))
    .filter(({ success }) => success)
    .map(({ result }) => JSON.parse(result) as Standing)
    .toSorted((one, other) => one.group - other.group);
  // Asked last: a group that has a number, and is no member yet, comes or has left.
  const members = await groupsOf(db);
  const answering = new Set(answers.map(({ group }) => group));
  const known = new Set([...members, ...answering]);
  const coordinator = answers.find(({ group }) => group === 0);
  const isSettled = coordinator !== undefined && !coordinator.changes;
  // Citus adds one node after the other, so a group below a member has come before.
  const decided = Math.max(...known, isSettled ? coordinator.newest : 0);
  const left = Array.from({ length: decided + 1 }, (_, group) => group).filter((group) => !known.has(group));
  return {
    here: coordinator === undefined ? null : endOf(coordinator),
    others: [
      ...answers.map((answer) => ({ node: nodeOf(answer.group), ...endOf(answer) })),
      ...left.map((group) => ({ node: nodeOf(group), settledBelow: ENDED, begunBelow: ENDED })),
    ],
    areAll: isSettled && members.every((group) => answering.has(group)),
  };
}

const endOf = ({ settledBelow, begunBelow }: Standing): End => ({ settledBelow, begunBelow });

/** As the coordinator has them, since a worker may get to know a member later. */
async function groupsOf(db: Drizzle): Promise<readonly number[]> {
  const groups = `select groupid as "group" from pg_catalog.pg_dist_node where noderole = 'primary'`;
  const [answer] = rawRows<{ success: boolean; result: string }>(
    await db.execute(
      sql`select success, result from run_command_on_coordinator(${`select json_agg("group") from (${groups}) members`})`,
    ),
  );
  if (answer?.success) return JSON.parse(answer.result) as number[];
  return rawRows<{ group: number }>(await db.execute(sql.raw(groups))).map(({ group }) => group);
}

/** The trigger of distribute.ts writes it. */
const nodeOf = (group: number): number => group + 1;

/** True of its entries. Where the tables are spread, the index of the order begins with this column. */
export const recordedOn = (node: number | undefined) =>
  node === undefined ? sql`${transitions.recordedOn} is null` : sql`${transitions.recordedOn} = ${node}`;
