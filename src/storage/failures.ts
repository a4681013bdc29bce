/**
 * Tells a database that is away from one that refuses. What else goes wrong is thrown as it came, bound parameters and all:
 * src/system/safe-error.ts keeps those out of the log.
 */
import { StoreUnavailable } from '../engine/errors.ts';
import { deadlines } from '../system/deadlines.ts';

/**
 * Postgres saw two statements in each other's way: nothing changed, decide again. 23P01, exclusion_violation: another node made
 * a key sign, or wait, first.
 */
const CONFLICTS = new Set(['40001', '40P01', '23P01']);

/** The statement cannot have been committed: it never reached Postgres, or Postgres said that it gave it up. */
const NEVER_COMMITTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENOENT',
  'CONNECT_TIMEOUT',
  '57P03', // cannot_connect_now
  '53300', // too_many_connections
  '57014', // query_canceled (statement_timeout)
  '25006', // read_only_sql_transaction: a failover left us on a standby
]);

/** The connection went away with the statement on its way. */
const MAYBE_COMMITTED = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  'DEADLINE',
]);

/** @throws StoreUnavailable when the database is away; reads never commit anything. */
export const reading = <T>(statement: () => Promise<T>): Promise<T> => run(statement, false);

/** @throws StoreUnavailable when the database is away. */
export const writing = <T>(statement: () => Promise<T>): Promise<T> => run(statement, true);

/** For work that may take its time, such as migrations. @throws StoreUnavailable when the database is away. */
export const reached = <T>(work: () => Promise<T>): Promise<T> => run(work, true, null);

/** @returns false when the guard did not hold, or Postgres saw a conflict. @throws StoreUnavailable */
export async function committing(statement: () => Promise<readonly unknown[]>): Promise<boolean> {
  try {
    return (await run(statement, true)).length > 0;
  } catch (error) {
    if (CONFLICTS.has(codeOf(error) ?? '')) return false;
    throw error;
  }
}

async function run<T>(
  statement: () => Promise<T>,
  writes: boolean,
  deadline: number | null = writes ? deadlines.databaseWriteMilliseconds : deadlines.databaseReadMilliseconds,
): Promise<T> {
  try {
    return await (deadline === null ? statement() : beforeDeadline(statement(), deadline));
  } catch (error) {
    const code = codeOf(error) ?? '';
    const cause = Object.assign(new Error('The driver failed.'), { code });
    if (NEVER_COMMITTED.has(code)) throw new StoreUnavailable(false, { cause });
    if (MAYBE_COMMITTED.has(code) || code.startsWith('08')) throw new StoreUnavailable(writes, { cause });
    throw error;
  }
}

/** Drizzle wraps the driver's error; what matters is the innermost code (SQLSTATE or the driver's own). */
export function codeOf(error: unknown): string | undefined {
  let code: string | undefined;
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    if ('code' in one && typeof one.code === 'string') code = one.code;
  }
  return code;
}

function beforeDeadline<T>(statement: Promise<T>, milliseconds: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(Object.assign(new Error('The database fell silent.'), { code: 'DEADLINE' })),
      milliseconds,
    );
    timer.unref();
    statement.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
