/**
 * The driver with sockets of our own: they can be destroyed, and they lead to the writable host. The driver itself looks for one only
 * in the parameters that Postgres 14 and later report, where a standby looks writable. It also tries hosts without end.
 */
import { connect, Socket } from 'node:net';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { type DatabaseHost, type DatabaseUrl, readDatabaseUrl } from '../system/database-url.ts';
import { writableHost } from './writable-host.ts';

export type Options = postgres.Options<Record<string, never>>;

export type Connections = {
  readonly client: postgres.Sql;
  /** Where the newest connection leads; null: nowhere yet, or there is only one host. */
  readonly host: () => DatabaseHost | null;
  /** Destroys every socket; nothing connects again. */
  readonly destroy: () => void;
};

const CONNECT_SECONDS = 30;

export const openConnections = (url: string, options: Options): Connections =>
  openTo(readDatabaseUrl(url), options, Number.POSITIVE_INFINITY);

/** @param mostSockets a statement fails when it would take more: the driver tries again, as often as a host hangs up. */
function openTo({ url, candidates }: DatabaseUrl, options: Options, mostSockets: number): Connections {
  const sockets = new Set<Socket>();
  let destroyed = false;
  let opened = 0;
  let host: DatabaseHost | null = null;
  // Asking which host it is and connecting to it share the time.
  const limit = Number(options.connect_timeout ?? CONNECT_SECONDS) / (candidates === null ? 1 : 2);
  const limited = { ...options, connect_timeout: limit };
  const writable = candidates && writableHost(candidates, (to) => canBeWritten({ url, candidates: null }, to, limited));

  function keep<T extends Socket>(opened: T): T {
    for (const known of sockets) if (known.destroyed) sockets.delete(known);
    sockets.add(opened);
    return opened;
  }
  async function toWritable(to: NonNullable<typeof writable>): Promise<Socket> {
    try {
      host = await to.find();
    } catch (error) {
      return keep(failing(error as Error));
    }
    if (destroyed) throw ended();
    const opened = keep(socketTo(host.host, host.port, host.host.startsWith('/') ? socketFile(host) : false));
    return opened.once('close', to.forget);
  }
  const socket = ({ host, port, path }: { host: string[]; port: number[]; path: string | false }) => {
    // The driver tries again even then, for a statement that it had kept.
    if (destroyed || ++opened > mostSockets) throw ended();
    return writable ? toWritable(writable) : keep(socketTo(host[0] ?? 'localhost', port[0] ?? 5432, path));
  };
  // Not in the driver's types: where its sockets come from.
  const client = postgres(url, { ...limited, socket } as Options);
  // Drizzle configures the date parser of each client.
  drizzle(client);
  return {
    client,
    host: () => host,
    destroy: () => {
      destroyed = true;
      for (const opened of sockets) opened.destroy();
    },
  };
}

/** Statements in flight may finish in this time. */
export const endOf = ({ client, destroy }: Connections, seconds: number): Promise<void> =>
  client.end({ timeout: seconds }).finally(destroy);

/** A standby says no, and a server with default_transaction_read_only. @throws when it does not answer in time. */
async function canBeWritten(of: DatabaseUrl, { host, port }: DatabaseHost, options: Options): Promise<boolean> {
  const fresh = openTo(of, { ...options, host, port, max: 1, fetch_types: false }, 1);
  const late = Promise.withResolvers<never>();
  const limit = setTimeout(() => late.reject(noAnswer()), 1000 * Number(options.connect_timeout));
  try {
    const asked = fresh.client`select current_setting('transaction_read_only') = 'off' as writable`;
    const [row] = await Promise.race([asked, late.promise]);
    return row?.['writable'] === true;
  } finally {
    clearTimeout(limit);
    void endOf(fresh, 0);
  }
}

const noAnswer = () => Object.assign(new Error('The host did not answer in time.'), { code: 'CONNECT_TIMEOUT' });
const ended = () => Object.assign(new Error('The connections were ended.'), { code: 'CONNECTION_ENDED' });
const socketFile = ({ host, port }: DatabaseHost) => `${host}/.s.PGSQL.${port}`;
/** The driver takes the name for TLS from the socket. */
const socketTo = (host: string, port: number, path: string | false) =>
  Object.assign(path ? connect(path) : connect(port, host), { host, port });

/** The driver loses a connection for good when it gets no socket, so it gets one that fails once the driver listens. */
function failing(error: Error): Socket {
  const socket = new Socket();
  setImmediate(() => socket.destroy(error));
  return socket;
}
