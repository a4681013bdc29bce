/**
 * The driver's pool of connections, with a limit for each statement. The driver waits for an answer for ever, and sends more
 * statements on a dead connection, as after a firewall forgot it. So when a statement gets no answer, a new connection asks Postgres
 * whether it still works on it. If not, the pool is replaced: statements in flight on its other connections may finish, then all its
 * sockets are destroyed. The pool is replaced, too, when Postgres says that it is read-only there.
 *
 * A statement that waits, for a standby or while all of Postgres is paused, keeps its connection. More connections would wait too,
 * until Postgres has none left. The driver gives a late answer only to the statement that it belongs to.
 *
 * The driver gets a statement only when a connection is free. It would send the statement behind another one on the same
 * connection. There the statement waits for the locks of a table that it does not use, and cannot be withdrawn.
 */
import { drizzle } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import type { DatabaseHost } from '../system/database-url.ts';
import { deadlines } from '../system/deadlines.ts';
import { poolTroubles } from '../system/observed.ts';
import { millisecondsLeft } from '../system/request-time.ts';
import type { Drizzle } from './database.ts';
import { codeOf, NoAnswer, NoConnection } from './failures.ts';
import { type Connections, endOf, type Options, openConnections } from './postgres-connections.ts';

export type PostgresPool = {
  readonly drizzle: Drizzle;
  /** As the newest answer of Postgres has it; false before the first statement. */
  readonly isSpread: () => boolean;
  /** Statements and transactions that were sent and not answered, those that wait for a connection included. */
  readonly inFlight: () => number;
  /** Waits for statements in flight, but not for ever. */
  readonly close: () => Promise<void>;
};

/** begin, two statements, commit: each has its limit in Postgres. */
const STATEMENTS_IN_A_TRANSACTION = 4;
const CLOSE_SECONDS = 10;
/** SQLSTATE read_only_sql_transaction. */
const READ_ONLY = '25006';
/** SQLSTATE feature_not_supported: also of a statement for one Postgres whose tables are spread since. */
const NOT_SUPPORTED = '0A000';
/** SQLSTATE query_canceled. Where the tables are spread, Postgres may have waited for the COMMIT of a worker, which did commit. */
const CANCELED = '57014';
/** Without another host, requests do not connect again each time. */
const LEAVE_EVERY_MILLISECONDS = 1000;

/** The pool asks once whether the tables are spread over several Postgres, before its first statement. */
export type Spreading = {
  readonly areTablesSpread: (client: postgres.Sql) => PromiseLike<boolean>;
  /** Of connections to spread tables. */
  readonly connection: Options['connection'];
};

/** @param spreading absent: the tables are in one Postgres. */
export function openPool(
  url: string,
  options: Options & { readonly max: number },
  spreading?: Spreading,
): PostgresPool {
  const texts = keptTexts();
  let inFlight = 0;
  let isKnown = spreading === undefined;
  let isSpread = false;
  let learning: Promise<void> | null = null;
  /** The settings of the newest connections. */
  let settings = options;
  let current = openConnections(url, settings);
  let looking: Promise<void> | null = null;
  let mayLeaveAgainAt = 0;
  /** In the order in which they came. They start on the pool of that moment. */
  const waiting = new Set<() => void>();
  const unanswered = new Map<Connections, number>();
  const left = new Set<Connections>();
  const retiring = new Set<Promise<void>>();

  function retire(silent: Connections): void {
    replace();
    end(silent);
  }

  function replace(): void {
    poolTroubles.publish(() => ({ trouble: 'replaced' }));
    current = openConnections(url, settings);
    startWaiting();
  }

  const isFree = (): boolean => (unanswered.get(current) ?? 0) < options.max;

  function startWaiting(): void {
    for (const start of waiting) {
      if (!isFree()) return;
      waiting.delete(start);
      start();
    }
  }

  /** @param change of the statements that these connections have to answer. */
  function count(of: Connections, change: 1 | 0 | -1): void {
    const statements = (unanswered.get(of) ?? 0) + change;
    if (statements > 0) unanswered.set(of, statements);
    else {
      unanswered.delete(of);
      if (left.delete(of)) end(of);
    }
    if (change < 0) startWaiting();
  }

  function end(of: Connections): void {
    const retired = endOf(of, deadlines.databaseMilliseconds / 1000).finally(() => retiring.delete(retired));
    retiring.add(retired);
  }

  /** The host of this pool is read-only: a failover took place, and new connections may lead to another host. */
  function leave(readOnly: Connections): void {
    if (readOnly !== current || performance.now() < mayLeaveAgainAt) return;
    mayLeaveAgainAt = performance.now() + LEAVE_EVERY_MILLISECONDS;
    replace();
    // It answers: statements that wait for one of its connections still run, which a driver that ends does not do.
    left.add(readOnly);
  }

  /** One look at a time. When Postgres cannot be asked, a new pool would be no better. */
  function lookAt(silent: Connections, query: unknown): void {
    const pid = backendOf(query);
    if (pid === null || silent !== current || looking !== null) return;
    looking = isAtWork(pid, silent, url, options)
      .then(
        (atWork) => {
          if (!atWork) retire(silent);
        },
        () => {},
      )
      .finally(() => {
        looking = null;
      });
  }

  const learn = (of: Spreading): Promise<void> =>
    (learning ??= sent(of.areTablesSpread)
      .then((answer) => {
        isSpread = answer;
        isKnown = true;
        if (!answer || settings !== options) return;
        settings = { ...options, connection: { ...options.connection, ...of.connection } };
        const before = current;
        current = openConnections(url, settings);
        left.add(before);
        count(before, 0);
      })
      .finally(() => {
        learning = null;
      }));

  /** @param ask starts the statement. */
  const limited = <T>(ask: (client: postgres.Sql) => PromiseLike<T>, statements = 1): Promise<T> =>
    !isKnown && spreading ? learn(spreading).then(() => sent(ask, statements)) : sent(ask, statements);

  function sent<T>(ask: (client: postgres.Sql) => PromiseLike<T>, statements = 1): Promise<T> {
    const limit = deadlines.databaseMilliseconds * statements;
    const wait = Math.max(0, Math.min(limit, millisecondsLeft()));
    inFlight++;
    return isFree() ? answered(ask, limit, wait) : whenFree(wait, (rest) => answered(ask, limit, rest));
  }

  /** @param start with the milliseconds that are left of `wait`. */
  function whenFree<T>(wait: number, start: (rest: number) => Promise<T>): Promise<T> {
    const since = performance.now();
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer);
        start(Math.max(0, wait - (performance.now() - since))).then(resolve, reject);
      };
      const giveUp = () => {
        waiting.delete(begin);
        inFlight--;
        poolTroubles.publish(() => ({ trouble: 'no_connection' }));
        reject(new NoConnection());
      };
      const timer = setTimeout(giveUp, Math.min(wait, deadlines.connectionMilliseconds));
      timer.unref();
      waiting.add(begin);
    });
  }

  /** @param wait for the caller; a connection may take the whole `limit` until it is looked at. Both in milliseconds. */
  function answered<T>(ask: (client: postgres.Sql) => PromiseLike<T>, limit: number, wait: number): Promise<T> {
    const asked = current;
    return new Promise((resolve, reject) => {
      const query = ask(asked.client);
      count(asked, 1);
      let timer = setTimeout(() => {
        poolTroubles.publish(() => ({ trouble: 'unanswered' }));
        reject(new NoAnswer());
        // A request that ran out of time says nothing about the connection yet.
        timer = setTimeout(() => lookAt(asked, query), limit - wait);
        timer.unref();
      }, wait);
      timer.unref();
      query
        .then(resolve, (error: unknown) => {
          const code = codeOf(error);
          if (code === READ_ONLY) leave(asked);
          if (code === NOT_SUPPORTED && spreading) isKnown = false;
          reject(isSpread && code === CANCELED ? new NoAnswer() : error);
        })
        .then(() => {
          inFlight--;
          clearTimeout(timer);
          count(asked, -1);
        });
    });
  }

  type Begin = Parameters<postgres.Sql['begin']>[1];
  const delegate = {
    options: current.client.options,
    unsafe: (...[text, values]: Parameters<postgres.Sql['unsafe']>) => {
      let asArrays = false;
      const prepare = texts.has(text);
      return {
        values() {
          asArrays = true;
          return this;
        },
        // biome-ignore lint/suspicious/noThenProperty: a statement of the driver starts when it is awaited.
        then: (...handlers: Parameters<Promise<unknown>['then']>) =>
          limited<unknown>((client) => {
            const query = client.unsafe(text, values, { prepare });
            return asArrays ? query.values() : query;
          }).then(...handlers),
      };
    },
    begin: (work: Begin) => limited((client) => client.begin(work), STATEMENTS_IN_A_TRANSACTION),
  };
  return {
    drizzle: drizzle(delegate as unknown as postgres.Sql),
    isSpread: () => isSpread,
    inFlight: () => inFlight,
    close: async () => {
      await looking;
      await Promise.all([current, ...left].map((open) => endOf(open, CLOSE_SECONDS)).concat(...retiring));
    },
  };
}

/** More than the statements of this server; each connection keeps the plans of those it has met. */
const MAX_KEPT_STATEMENTS = 300;

/**
 * Which statements are prepared: each that was met, since their texts stand in the code. Unprepared, a statement is parsed twice and
 * planned each time. The bound is for texts that grow with a list.
 */
function keptTexts() {
  const kept = new Set<string>();
  return {
    has: (text: string): boolean => {
      if (kept.size < MAX_KEPT_STATEMENTS) kept.add(text);
      return kept.has(text);
    },
  };
}

const isSame = (one: DatabaseHost | null, other: DatabaseHost | null): boolean =>
  one?.host === other?.host && one?.port === other?.port;

/** The process of Postgres that a statement was sent to; null: it was not sent. Not in the driver's types. */
function backendOf(query: unknown): number | null {
  return (query as { readonly state?: { readonly pid?: number | null } | null }).state?.pid ?? null;
}

/** @throws when Postgres cannot be asked. */
async function isAtWork(pid: number, silent: Connections, url: string, options: Options): Promise<boolean> {
  const fresh = openConnections(url, { ...options, max: 1 });
  const limit = setTimeout(() => void endOf(fresh, 0), deadlines.databaseMilliseconds);
  try {
    const found = await fresh.client`select from pg_stat_activity where pid = ${pid} and state <> 'idle'`;
    // On another host, the same number is another process.
    return found.length > 0 && isSame(fresh.host(), silent.host());
  } finally {
    clearTimeout(limit);
    await endOf(fresh, 0);
  }
}
