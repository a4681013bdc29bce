import { and, eq, inArray } from 'drizzle-orm';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { endedRows } from './schema.ts';

/** @param keys of rows of this table. @returns those whose row has ended and was removed since. @throws StoreUnavailable */
export async function endedAmong(db: Drizzle, relation: string, keys: readonly string[]): Promise<readonly string[]> {
  const rows = await reading(() =>
    db
      .select({ key: endedRows.key })
      .from(endedRows)
      .where(and(eq(endedRows.relation, relation), inArray(endedRows.key, [...keys]))),
  );
  return rows.map(({ key }) => key);
}
