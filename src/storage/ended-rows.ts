import { and, eq, inArray } from 'drizzle-orm';
import type { Drizzle } from './database.ts';
import { answersOfEachNode, missingAnswer, quoted } from './each-node.ts';
import { reading } from './failures.ts';
import { endedRows } from './schema.ts';
import { areSpread } from './spread-databases.ts';

/** @param keys of rows of this table. @returns those whose row has ended and was removed since. @throws StoreUnavailable */
export async function endedAmong(db: Drizzle, relation: string, keys: readonly string[]): Promise<readonly string[]> {
  if (areSpread(db)) return reading(() => endedOnEachNode(db, relation, keys));
  const rows = await reading(() =>
    db
      .select({ key: endedRows.key })
      .from(endedRows)
      .where(and(eq(endedRows.relation, relation), inArray(endedRows.key, [...keys]))),
  );
  return rows.map(({ key }) => key);
}

/** Each node remembers the rows that ended there. */
async function endedOnEachNode(db: Drizzle, relation: string, keys: readonly string[]): Promise<readonly string[]> {
  const answers = await answersOfEachNode(
    db,
    `select coalesce(json_agg(e."key"), '[]') from "public"."ended_rows" e
      where e."relation" = ${quoted(relation)} and e."key" = any(array[${keys.map(quoted).join()}]::text[])`,
  );
  if (answers.some(({ success }) => !success)) throw missingAnswer('a node');
  return [...new Set(answers.flatMap(({ result }) => JSON.parse(result) as string[]))];
}
