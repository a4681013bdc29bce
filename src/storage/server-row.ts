/** Every load reads the server's epoch along, so that nothing is answered without it. */
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { readNow } from './now.ts';
import { server } from './schema.ts';

export const noServerRow = (): Error => new Error('The table "server" has lost its row: apply the migrations.');

/** @param statement selects from the row of the server. @returns its first row. @throws StoreUnavailable */
export async function readServer<Row>(statement: () => Promise<readonly Row[]>): Promise<Row> {
  const [row] = await reading(statement);
  if (!row) throw noServerRow();
  return row;
}

/** @throws StoreUnavailable */
export async function databaseNow(db: Drizzle, clock: Clock): Promise<Date> {
  const { now } = await readServer(() => db.select({ now: readNow(clock) }).from(server));
  return now;
}
