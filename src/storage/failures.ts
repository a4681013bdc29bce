/**
 * Distinguishes a database that is unavailable from one that refuses a statement. Other errors pass through unchanged, with
 * their bound parameters: src/system/safe-error.ts keeps those out of the log.
 */
import { StoreUnavailable } from '../engine/errors.ts';
import { deadlines } from '../system/deadlines.ts';

/**
 * Two statements conflicted: nothing changed, so decide again. 23P01, exclusion_violation: another node was first to make a key
 * sign or wait.
 */
const CONFLICTS = new Set(['40001', '40P01', '23P01']);

/** The statement cannot have been committed: it never reached Postgres, or Postgres said that it aborted it. */
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

/** The connection was lost while the statement was in flight. */
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

/** @throws StoreUnavailable when the database is unavailable, never with `maybeCommitted`. */
export const reading = <T>(statement: () => Promise<T>): Promise<T> => run(statement, false);

/** @throws StoreUnavailable when the database is unavailable. */
export const writing = <T>(statement: () => Promise<T>): Promise<T> => run(statement, true);

/** Without a deadline, for long work such as migrations. @throws StoreUnavailable when the database is unavailable. */
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

/** The innermost code (SQLSTATE or the driver's own), since Drizzle wraps the driver's error. */
export function codeOf(error: unknown): string | undefined {
  let code: string | undefined;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') code = cause.code;
  }
  return code;
}

function beforeDeadline<T>(statement: Promise<T>, milliseconds: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(Object.assign(new Error('The database did not answer in time.'), { code: 'DEADLINE' })),
      milliseconds,
    );
    timer.unref();
    statement.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
