/** The ledger of a database: entries are written, segments closed, and the stored ledger is verified. */
import { eq, sql } from 'drizzle-orm';
import { sealKeys } from '../../src/crypto/ledger-seal.ts';
import type { RootKeys } from '../../src/crypto/root-secret.ts';
import type { Head } from '../../src/ledger/newest.ts';
import { type Closed, sealNext } from '../../src/ledger/seal.ts';
import { type VerifiedLedger, verifyStored } from '../../src/ledger/verify-stored.ts';
import type { Drizzle } from '../../src/storage/database.ts';
import { sealAlone, storedLedger } from '../../src/storage/ledger-seals.ts';
import { transitions } from '../../src/storage/schema.ts';
import { type Clock, databaseClock } from '../../src/system/clock.ts';
import { testKeys } from './macs.ts';
import { until } from './until.ts';

export type Sealing = {
  readonly keys?: RootKeys;
  readonly clock?: Clock;
  readonly keptDays?: number;
  readonly most?: number;
};

/** @returns null: there was nothing to close, or another node is sealing. */
export async function sealOnce(
  db: Drizzle,
  { keys = testKeys, clock = databaseClock, keptDays = 90, most }: Sealing = {},
): Promise<Closed | null> {
  const deps = { alone: sealAlone(db, clock), keys: sealKeys(keys), keptDays: () => keptDays };
  return (await sealNext(deps, most === undefined ? {} : { most }))?.closed ?? null;
}

/** Until every line is in a segment. */
export async function sealAll(db: Drizzle, sealing: Sealing = {}): Promise<readonly Closed[]> {
  const closed: Closed[] = [];
  await settled(db);
  await until(async () => {
    const one = await sealOnce(db, sealing);
    if (one !== null) closed.push(one);
    return one === null && (await verified(db, sealing)).open === 0;
  });
  return closed;
}

/** Transactions of other tests, in other databases of the same Postgres, hold up the lines that were written after they began. */
export const settled = (db: Drizzle): Promise<void> =>
  until(async () => (await db.$count(transitions, IN_PROGRESS)) === 0);

const IN_PROGRESS = sql`${transitions.recordedIn} >= pg_snapshot_xmin(pg_current_snapshot())`;

export const verified = (
  db: Drizzle,
  { keys = testKeys, clock = databaseClock, head = null }: Sealing & { readonly head?: Head | null } = {},
): Promise<VerifiedLedger> => verifyStored(storedLedger(db, clock), sealKeys(keys), head);

/** Each in a transaction of its own. */
export async function writeLines(db: Drizzle, reasons: readonly string[], at = new Date()): Promise<void> {
  for (const reason of reasons) {
    await db.execute(sql`insert into transitions (shard_key, at, machine, event, from_state, to_state, reason, client_id, generation)
      values (gen_random_uuid(), ${at.toISOString()}::timestamptz, 'refreshToken', 'presented', 'active', 'used', ${reason}, 'shop', 9007199254740993)`);
  }
}

/** `TRANSACTION/PLACE`, as verification names a line. */
export async function lineNamed(db: Drizzle, reason: string): Promise<string> {
  const [row] = await db
    .select({ name: sql<string>`${transitions.recordedIn}::text || '/' || ${transitions.position}` })
    .from(transitions)
    .where(eq(transitions.reason, reason));
  if (!row) throw new Error(`no such line: ${reason}`);
  return row.name;
}
