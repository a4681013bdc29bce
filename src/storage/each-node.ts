/** Statements that each Postgres of a Citus cluster runs by itself, the coordinator included. */
import { sql } from 'drizzle-orm';
import type { Drizzle } from './database.ts';
import { rawRows } from './raw-rows.ts';

export type NodeAnswer = { readonly node: number; readonly success: boolean; readonly result: string };

export const answersOfEachNode = async (db: Drizzle, statement: string): Promise<readonly NodeAnswer[]> =>
  rawRows<NodeAnswer>(
    await db.execute(sql`select nodeid as node, success, result from run_command_on_all_nodes(${statement})`),
  );

/** Whether the tables are spread. */
export async function isCluster(db: Drizzle): Promise<boolean> {
  const rows = rawRows<{ present: boolean }>(
    await db.execute(sql`select to_regclass('pg_catalog.pg_dist_partition') is not null as present`),
  );
  if (rows[0]?.present !== true) return false;
  const spread = await db.execute(sql`select from pg_catalog.pg_dist_partition
    where logicalrelid = to_regclass('public.grants') and partmethod = 'h'`);
  return rawRows(spread).length > 0;
}

export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
