/**
 * Every failure of the database or the driver becomes a StoreUnavailable, with any code. Errors of our own code pass through
 * unchanged. Drizzle's errors contain bound parameters, so nothing of their messages is kept.
 */
import { DrizzleQueryError } from 'drizzle-orm';
import { StoreUnavailable } from '../engine/errors.ts';
import { failedStatements } from '../system/observed.ts';
import { millisecondsLeft } from '../system/request-time.ts';
import { expectedFailure, isAboutAStatement, isSqlState, quotable, unforeseenFailure } from './failure-codes.ts';
import { NoUsableHost } from './no-usable-host.ts';

/**
 * Two statements conflicted: nothing changed, so decide again. 23P01, exclusion_violation: another node was first to make a key
 * sign or wait.
 */
const CONFLICTS = new Set(['40001', '40P01', '23P01']);

/** The statement, or the request that asked for it, ran out of time (src/system/deadlines.ts). */
export class NoAnswer extends Error {
  readonly code = 'NO_ANSWER';
  constructor() {
    super('The database did not answer in time.');
    this.name = 'NoAnswer';
  }
}

/** The statement was not sent: statements that were sent before it held every connection. */
export class NoConnection extends Error {
  readonly code = 'NO_CONNECTION';
  constructor() {
    super('No connection to the database was free in time.');
    this.name = 'NoConnection';
  }
}

/** @throws StoreUnavailable when the database fails, never with `maybeCommitted`. */
export const reading = <T>(statement: () => Promise<T>): Promise<T> => run(statement, false);

/** @throws StoreUnavailable when the database fails. */
export const writing = <T>(statement: () => Promise<T>): Promise<T> => run(statement, true);

/**
 * For long work such as migrations.
 * @throws StoreUnavailable when the database is away. An error in the work itself passes through.
 */
export async function reached<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw expectedFailure(codeOf(error) ?? '') ? failureOf(error, true) : error;
  }
}

/** @returns false when the guard did not hold, or Postgres saw a conflict. @throws StoreUnavailable */
export async function committing(statement: () => Promise<readonly unknown[]>): Promise<boolean> {
  try {
    return (await run(statement, true)).length > 0;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
}

/** SQLSTATE deadlock_detected: Postgres has undone the statement. */
const DEADLOCK = '40P01';
const REPEATS = 3;

/**
 * For a cluster. Citus ends a deadlock with the last step of a shard that moves: then the shard is on its new worker. Several shards can
 * move in turn.
 */
export const overDeadlocks = <T>(statement: () => Promise<T>, repeats = REPEATS): Promise<T> =>
  statement().catch((error: unknown) => {
    if (codeOf(error) !== DEADLOCK || repeats === 0) throw error;
    return overDeadlocks(statement, repeats - 1);
  });

async function run<T>(statement: () => Promise<T>, writes: boolean): Promise<T> {
  // The server sends no statement for a request whose time has ended.
  if (millisecondsLeft() <= 0) throw failureOf(new NoAnswer(), false);
  try {
    return await statement();
  } catch (error) {
    throw isOfTheStore(error) ? failureOf(error, writes) : error;
  }
}

/**
 * For waiting that is no statement of this request alone, such as a statement that it shares with others.
 * @param writes the awaited work may commit.
 * @throws StoreUnavailable when the request's time ends first.
 */
export function inTime<T>(work: Promise<T>, writes: boolean): Promise<T> {
  const left = millisecondsLeft();
  if (left === Number.POSITIVE_INFINITY) return work;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(failureOf(new NoAnswer(), writes)), Math.max(left, 0));
    timer.unref();
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Others may fare better: the database refused this statement, and is not away. */
export const isAboutTheStatement = (error: unknown): boolean =>
  !(error instanceof StoreUnavailable) || error.isUnexpected || isConflict(error);

const isConflict = (error: unknown): boolean => CONFLICTS.has(codeOf(error) ?? '');

const isOfTheStore = (error: unknown): boolean => error instanceof DrizzleQueryError || codeOf(error) !== undefined;

const NO_HOST = 'has no host that can be written to';

function failureOf(error: unknown, writes: boolean): StoreUnavailable {
  const code = codeOf(error) ?? '';
  const expected = expectedFailure(code);
  const { words, maybeCommitted, advice = null } = expected ?? unforeseenFailure(code);
  const inner = innermost(error);
  const hosts = inner instanceof NoUsableHost ? inner : null;
  const failure = new StoreUnavailable(writes && maybeCommitted, {
    words: hosts ? NO_HOST : words,
    said: hosts ? hosts.message : quotable(code, (inner as Partial<Error> | null)?.message),
    advice: hosts ? hosts.advice : advice,
    code: code === '' ? null : code,
    isUnexpected: expected === null,
    cause: withoutMessage(inner),
  });
  // Where the database refuses, no place in this program says more.
  if (expected !== null || (isSqlState(code) && !isAboutAStatement(code))) withoutFrames(failure);
  failedStatements.publish(() => failure);
  return failure;
}

function withoutFrames(error: Error): void {
  for (let one: unknown = error; one instanceof Error; one = one.cause) one.stack = `${one.name}: ${one.message}`;
}

/** The failure of the database that a command prints. @returns null: another error. */
export function databaseFailure(error: unknown): StoreUnavailable | null {
  if (error instanceof StoreUnavailable) return error;
  const code = codeOf(error) ?? '';
  const isKnown = expectedFailure(code) !== null || isSqlState(code);
  return isKnown || error instanceof DrizzleQueryError ? failureOf(error, false) : null;
}

/** For the log: type, code, place, and which rule of a table it hurt. */
function withoutMessage(error: unknown): Error {
  const { name, code, constraint, constraint_name, table, table_name, stack } = error as Partial<
    Record<string, unknown>
  >;
  const frames = String(stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line));
  const safe = Object.assign(new Error('The driver failed.'), {
    name: typeof name === 'string' ? name : 'Error',
    code: code ?? null,
    constraint: constraint ?? constraint_name ?? null,
    table: table ?? table_name ?? null,
  });
  safe.stack = frames.join('\n');
  return safe;
}

function innermost(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? innermost(error.cause) : error;
}

/** The innermost code (SQLSTATE or the driver's own), since Drizzle wraps the driver's error. */
export function codeOf(error: unknown): string | undefined {
  let code: string | undefined;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') code = cause.code;
  }
  return code;
}
