/**
 * One node at a time: an advisory lock of a transaction, which also holds behind a pooler that gives each transaction another connection. The
 * transaction has a connection of its own, has written nothing, and keeps no snapshot, so neither vacuum nor the ledger waits for it.
 */
import { type SQL, sql } from 'drizzle-orm';
import { deadlines } from '../system/deadlines.ts';
import { reading } from './failures.ts';
import { endOf, type Options, openConnections } from './postgres-connections.ts';

/** An arbitrary number, the same for every node: the first half of the lock. The second is the name of the work. */
const LOCKS = 738_264;
/** Postgres releases the lock of a node that fell silent after this. */
const SILENT_SECONDS = 60;
const SIGN_OF_LIFE_EVERY_MILLISECONDS = 15_000;

/** For a transaction that is the work itself: true where no other transaction has this lock. */
export const lockedAlone = (name: string): SQL<boolean> =>
  sql<boolean>`pg_try_advisory_xact_lock(${sql.raw(String(LOCKS))}, hashtext(${name}))`;

/** @throws StoreUnavailable when the lock cannot be asked for, or was lost; and the errors of the work. */
export async function runAlone(
  url: string,
  options: Options,
  name: string,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const held = openConnections(url, {
    ...options,
    max: 1,
    connect_timeout: deadlines.connectSeconds,
    connection: { application_name: 'statehouse-round', statement_timeout: deadlines.statementMilliseconds },
  });
  const lost = new AbortController();
  let working: Promise<void> | null = null;
  try {
    return await reading(
      () =>
        held.client.begin(async (lock) => {
          await lock`select set_config('idle_in_transaction_session_timeout', ${`${SILENT_SECONDS}s`}, true)`;
          const [row] = await lock`select pg_try_advisory_xact_lock(${LOCKS}, hashtext(${name})) as "isMine"`;
          if (row?.['isMine'] !== true) return false;
          // By the simple protocol: a statement of the other one would keep its snapshot until the next.
          const signOfLife = () => lock`select`.simple();
          await signOfLife();
          const alive = setInterval(() => void signOfLife().catch(() => lost.abort()), SIGN_OF_LIFE_EVERY_MILLISECONDS);
          alive.unref();
          working = work(lost.signal);
          await working.finally(() => clearInterval(alive));
          return true;
        }) as Promise<boolean>,
    );
  } finally {
    lost.abort();
    // The driver gives up a transaction whose connection is gone, and the work still ends its step.
    await Promise.allSettled([working]);
    await endOf(held, deadlines.databaseMilliseconds / 1000);
  }
}
