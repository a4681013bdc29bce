/** Statements that each Postgres of a Citus cluster runs by itself, the coordinator included. */
import { sql } from 'drizzle-orm';
import type { Drizzle } from './database.ts';
import { rawRows } from './raw-rows.ts';

export type NodeAnswer = { readonly node: number; readonly success: boolean; readonly result: string };

export const answersOfEachNode = async (db: Drizzle, statement: string): Promise<readonly NodeAnswer[]> =>
  rawRows<NodeAnswer>(
    await db.execute(sql`select nodeid as node, success, result from run_command_on_all_nodes(${statement})`),
  );

/** The failure of a question that needs the answers of these nodes: as a lost connection. */
export const missingAnswer = (nodes: string): Error =>
  Object.assign(new Error(`No answer from ${nodes}.`), { code: '08006' });

/** Whether the tables are spread: by the function of their ledger, which `migrate --distribute` makes with them. */
export const ARE_TABLES_SPREAD = `to_regproc('public.ledger_entry_is_recorded_here') is not null`;

/** The newest answer, where that of `areSpread` could be old. */
export async function isCluster(db: Drizzle): Promise<boolean> {
  const [row] = rawRows<{ spread: boolean }>(await db.execute(sql.raw(`select ${ARE_TABLES_SPREAD} as spread`)));
  return row?.spread === true;
}

export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
