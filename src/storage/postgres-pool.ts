/**
 * The driver's pool of connections, with a limit for each statement. The driver waits for an answer for ever, and sends further
 * statements on a connection that nobody answers any more, as after a firewall forgot it. So when a statement gets no answer, a new
 * connection asks Postgres whether it still works on it. If not, the pool is replaced: what is in flight on its other connections
 * may finish, then all its sockets are destroyed.
 *
 * Of a statement that waits, for a standby or while all of Postgres is paused, the connection is kept: further connections would
 * wait too, until Postgres has none left. The driver gives a late answer only to the statement that it belongs to.
 */
import { connect, type Socket } from 'node:net';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { deadlines } from '../system/deadlines.ts';
import { millisecondsLeft } from '../system/request-time.ts';
import type { Drizzle } from './database.ts';
import { NoAnswer } from './failures.ts';

type Options = postgres.Options<Record<string, never>>;

export type PostgresPool = {
  readonly drizzle: Drizzle;
  /** Waits for statements in flight, but not for ever. */
  readonly close: () => Promise<void>;
};

type Connections = {
  readonly client: postgres.Sql;
  /** Destroys every socket; nothing connects again. */
  readonly destroy: () => void;
};

/** begin, two statements, commit: each has its limit in Postgres. */
const STATEMENTS_IN_A_TRANSACTION = 4;
const CLOSE_SECONDS = 10;

export function openPool(url: string, options: Options): PostgresPool {
  const texts = keptTexts();
  let current = open(url, options);
  let looking: Promise<void> | null = null;
  const retiring = new Set<Promise<void>>();

  function retire(silent: Connections): void {
    current = open(url, options);
    const retired = endOf(silent, deadlines.databaseMilliseconds / 1000).finally(() => retiring.delete(retired));
    retiring.add(retired);
  }

  /** One look at a time. When Postgres cannot be asked, a new pool would be no better. */
  function lookAt(silent: Connections, query: unknown): void {
    const pid = backendOf(query);
    if (pid === null || silent !== current || looking !== null) return;
    looking = isAtWork(pid, url, options)
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

  /** @param ask starts the statement. */
  function limited<T>(ask: (client: postgres.Sql) => PromiseLike<T>, statements = 1): Promise<T> {
    const asked = current;
    const limit = deadlines.databaseMilliseconds * statements;
    const left = Math.max(0, Math.min(limit, millisecondsLeft()));
    return new Promise((resolve, reject) => {
      const query = ask(asked.client);
      let timer = setTimeout(() => {
        reject(new NoAnswer());
        // A request that ran out of time says nothing about the connection yet.
        timer = setTimeout(() => lookAt(asked, query), limit - left);
        timer.unref();
      }, left);
      timer.unref();
      query.then(resolve, reject).then(() => clearTimeout(timer));
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
        then: (...told: Parameters<Promise<unknown>['then']>) =>
          limited<unknown>((client) => {
            const query = client.unsafe(text, values, { prepare });
            return asArrays ? query.values() : query;
          }).then(...told),
      };
    },
    begin: (work: Begin) => limited((client) => client.begin(work), STATEMENTS_IN_A_TRANSACTION),
  };
  return {
    drizzle: drizzle(delegate as unknown as postgres.Sql),
    close: async () => {
      await looking;
      await Promise.all([endOf(current, CLOSE_SECONDS), ...retiring]);
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

function open(url: string, options: Options): Connections {
  const sockets = new Set<Socket>();
  let destroyed = false;
  let next = 0;
  const socket = ({ host, port, path }: { host: string[]; port: number[]; path: string | false }): Socket => {
    // The driver tries again even then, for a statement that it had kept.
    if (destroyed) throw Object.assign(new Error('The connections were ended.'), { code: 'CONNECTION_ENDED' });
    const place = next++ % port.length;
    const [to, at] = [host[place] ?? 'localhost', port[place] ?? 5432];
    // The driver takes the name for TLS from the socket.
    const opened = Object.assign(path ? connect(path) : connect(at, to), { host: to, port: at });
    for (const known of sockets) if (known.destroyed) sockets.delete(known);
    sockets.add(opened);
    return opened;
  };
  // Not in the driver's types: where its sockets come from.
  const client = postgres(url, { ...options, socket } as Options);
  // Drizzle tells each client how it reads dates.
  drizzle(client);
  return {
    client,
    destroy: () => {
      destroyed = true;
      for (const opened of sockets) opened.destroy();
    },
  };
}

/** What is in flight may finish in this time. */
const endOf = ({ client, destroy }: Connections, seconds: number): Promise<void> =>
  client.end({ timeout: seconds }).finally(destroy);

/** The process of Postgres that a statement was sent to; null: it was not sent. Not in the driver's types. */
function backendOf(query: unknown): number | null {
  return (query as { readonly state?: { readonly pid?: number | null } | null }).state?.pid ?? null;
}

/** @throws when Postgres cannot be asked. */
async function isAtWork(pid: number, url: string, options: Options): Promise<boolean> {
  const fresh = open(url, { ...options, max: 1 });
  const limit = setTimeout(() => void endOf(fresh, 0), deadlines.databaseMilliseconds);
  try {
    const found = await fresh.client`select from pg_stat_activity where pid = ${pid} and state <> 'idle'`;
    return found.length > 0;
  } finally {
    clearTimeout(limit);
    await endOf(fresh, 0);
  }
}
