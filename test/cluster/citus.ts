/** A cluster of Citus for tests: a coordinator and workers, each a Postgres of its own on this machine. */
import { join } from 'node:path';
import postgres from 'postgres';
import { openPostgres } from '../../src/storage/postgres.ts';
import { type PostgresOptions, type PostgresServer, startPostgres } from '../support/postgres.ts';

/** An installation of Postgres with Citus, such as `/usr/lib/postgresql/15`; null: the tests of this folder do not run. */
export const citusPath = process.env['CITUS_PATH'] ?? null;

/** The role of a cluster whose statements pass the triggers on each node (test/support/unheld.ts). */
export const PAST_TRIGGERS = 'past_triggers';

export type Citus = {
  readonly coordinator: PostgresServer;
  readonly workers: readonly PostgresServer[];
  /** Of the coordinator. @param name of a database that each of them gets, with the extension. @param owner who exists on each. */
  readonly makeDatabase: (name: string, owner?: string) => Promise<string>;
  /** The same with the tables of this server, spread over the workers. */
  readonly makeDistributed: (name: string) => Promise<string>;
  /** One more Postgres, which is no worker yet. */
  readonly makeServer: (options?: PostgresOptions) => Promise<PostgresServer>;
  readonly stop: () => Promise<void>;
};

const SETTINGS = [
  'shared_preload_libraries=citus',
  'wal_level=logical',
  'max_prepared_transactions=200',
  'max_connections=300',
  // The triggers of this server are on the tables that Citus spreads.
  'citus.enable_unsafe_triggers=on',
  'citus.node_connection_timeout=5s',
  // The nodes are on the loopback; libpq would look for certificates in the home of another user.
  'citus.node_conninfo=sslmode=disable',
];

export async function startCitus(workers: number, options: PostgresOptions = {}): Promise<Citus> {
  if (citusPath === null) throw new Error('CITUS_PATH names no installation of Postgres with Citus.');
  const binaries = {
    postgres: join(citusPath, 'bin', 'postgres'),
    initdb: join(citusPath, 'bin', 'initdb'),
  };
  const makeServer = (more: PostgresOptions = {}) =>
    startPostgres({ ...options, ...more, binaries, settings: [...SETTINGS, ...(options.settings ?? [])] });
  const servers = await Promise.all(Array.from({ length: workers + 1 }, () => makeServer()));
  const [coordinator, ...rest] = servers as [PostgresServer, ...PostgresServer[]];
  const makeDatabase: Citus['makeDatabase'] = async (name, owner = 'postgres') => {
    for (const server of servers) await addDatabase(server, name, owner);
    const url = inDatabase(coordinator, name);
    await administer(url, async (sql) => {
      await sql`select citus_set_coordinator_host('127.0.0.1', ${portOf(coordinator)})`;
      for (const worker of rest) await sql`select citus_add_node('127.0.0.1', ${portOf(worker)})`;
    });
    return url;
  };
  return {
    coordinator,
    workers: rest,
    makeServer,
    makeDatabase,
    makeDistributed: async (name) => {
      const url = await makeDatabase(name);
      const owner = openPostgres(url, { connections: 1 });
      await owner.migrate();
      await owner.distribute?.();
      await owner.close();
      return url;
    },
    stop: async () => {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

export async function addDatabase(server: PostgresServer, name: string, owner: string): Promise<void> {
  await administer(server.url, (sql) => sql`create database ${sql(name)} owner ${sql(owner)}`);
  await administer(inDatabase(server, name), (sql) => sql`create extension citus`);
}

export const portOf = ({ url }: PostgresServer): number => Number(new URL(url).port);

export const inDatabase = ({ url }: PostgresServer, name: string): string => {
  const named = new URL(url);
  named.pathname = `/${name}`;
  return named.href;
};

async function administer(url: string, work: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await work(sql).finally(() => sql.end());
}
