/**
 * Tests a case on a database: runs its statements in a transaction, records the answer of Postgres, and rolls back. So every case starts
 * from the rows of held-rows.ts. `surprise` compares with what the case expects.
 */
import { sql } from 'drizzle-orm';
import type { Drizzle } from '../../../src/storage/database.ts';
import type { Column, HeldCase } from './held-cases.ts';

type Refusal = { readonly code: string; readonly rule: string; readonly words: string };

/** @returns how Postgres refused; null: it ran every statement, those with `returning` on at least one row. */
export async function attempt(db: Drizzle, { statements, what }: HeldCase): Promise<Refusal | null> {
  const undo = new Error('undo');
  try {
    await db.transaction(async (transaction) => {
      for (const statement of statements) {
        const rows = rowsOf(await transaction.execute(sql.raw(statement)));
        if (statement.includes('returning') && rows.length === 0) throw new Error(`${what}: no row`);
      }
      throw undo;
    });
  } catch (error) {
    if (error === undo) return null;
    return refusalOf(error);
  }
  throw new Error('unreachable');
}

/** @returns the result where it differs from the case's expectation; null: it does not. */
export async function surprise(db: Drizzle, tried: HeldCase): Promise<string | null> {
  const refusal = await attempt(db, tried);
  // The second is that of a conflict with another row, after which the server loads and decides again.
  const isRule = refusal?.code === 'SH001' || refusal?.code === '23505';
  const rule = refusal && (isRule ? refusal.rule : `${refusal.code} ${refusal.words}`);
  return rule === tried.refusedBy ? null : `${tried.what}: ${rule ?? 'allowed'}, not ${tried.refusedBy ?? 'allowed'}`;
}

export const columnsOf = async (db: Drizzle): Promise<readonly Column[]> =>
  rowsOf(
    await db.execute(sql`select table_name as "table", column_name as name, data_type as type from information_schema.columns
      where table_schema = 'public' order by table_name, ordinal_position`),
  ) as unknown as Column[];

export const rowsOf = (result: unknown): readonly object[] =>
  Array.isArray(result) ? result : (result as { readonly rows: object[] }).rows;

/** The drivers name the same things differently. */
function refusalOf(error: unknown): Refusal {
  let innermost = error as Error;
  while (innermost.cause instanceof Error) innermost = innermost.cause;
  const said = innermost as unknown as Record<string, string | undefined>;
  return {
    code: said['code'] ?? 'none',
    rule: said['constraint_name'] ?? said['constraint'] ?? '',
    words: [said['message'], said['detail'], said['hint'], said['where']].join(' '),
  };
}
