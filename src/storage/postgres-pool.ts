/**
 * The driver's pool of connections, with a limit for each statement. The driver waits for an answer for ever, and sends further
 * statements on a connection that has fallen silent. So the pool of a statement without an answer is replaced: what is in flight on
 * its other connections may finish, then all its sockets are destroyed, and no late answer reaches anybody.
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
  let current = open(url, options);
  const retiring = new Set<Promise<void>>();

  function retire(silent: Connections): void {
    if (silent !== current) return;
    current = open(url, options);
    const retired = endOf(silent, deadlines.databaseMilliseconds / 1000).finally(() => retiring.delete(retired));
    retiring.add(retired);
  }

  /** @param ask starts the statement. */
  function limited<T>(ask: (client: postgres.Sql) => PromiseLike<T>, statements = 1): Promise<T> {
    const asked = current;
    const limit = deadlines.databaseMilliseconds * statements;
    const left = Math.min(limit, millisecondsLeft());
    return new Promise((resolve, reject) => {
      let timer = setTimeout(() => {
        reject(new NoAnswer());
        // A request that ran out of time says nothing about the connection yet.
        timer = setTimeout(() => retire(asked), limit - left);
        timer.unref();
      }, left);
      timer.unref();
      ask(asked.client)
        .then(resolve, reject)
        .then(() => clearTimeout(timer));
    });
  }

  type Begin = Parameters<postgres.Sql['begin']>[1];
  const delegate = {
    options: current.client.options,
    unsafe: (...statement: Parameters<postgres.Sql['unsafe']>) => {
      let asArrays = false;
      return {
        values() {
          asArrays = true;
          return this;
        },
        // biome-ignore lint/suspicious/noThenProperty: a statement of the driver starts when it is awaited.
        then: (...told: Parameters<Promise<unknown>['then']>) =>
          limited<unknown>((client) => {
            const query = client.unsafe(...statement);
            return asArrays ? query.values() : query;
          }).then(...told),
      };
    },
    begin: (work: Begin) => limited((client) => client.begin(work), STATEMENTS_IN_A_TRANSACTION),
  };
  return {
    drizzle: drizzle(delegate as unknown as postgres.Sql),
    close: async () => {
      await Promise.all([endOf(current, CLOSE_SECONDS), ...retiring]);
    },
  };
}

function open(url: string, options: Options): Connections {
  const sockets = new Set<Socket>();
  let destroyed = false;
  let next = 0;
  const socket = ({ host, port, path }: { host: string[]; port: number[]; path: string | false }): Socket => {
    if (destroyed) throw new Error('These connections were replaced.');
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
