/** The whole database as text, to see that something is nowhere in it. */
import { sql } from 'drizzle-orm';
import type { Drizzle } from '../../src/storage/database.ts';

/** Every row of every table of ours, each as JSON. In their order as texts: the nodes of a cluster answer in any. */
export async function dumpOf(db: Drizzle): Promise<string> {
  const tables = await db.execute<{ name: string }>(
    sql`select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  const rows: string[] = [];
  for (const { name } of rowsOf<{ name: string }>(tables)) {
    const found = await db.execute(sql`select to_jsonb(t)::text as row from ${sql.identifier(name)} t`);
    for (const { row } of rowsOf<{ row: string }>(found)) rows.push(`${name} ${row}`);
  }
  return rows.toSorted().join('\n');
}

/** The two drivers answer differently. */
const rowsOf = <Row>(answer: unknown): readonly Row[] =>
  Array.isArray(answer) ? (answer as Row[]) : (answer as { readonly rows: Row[] }).rows;
