/** Nodes on one Postgres, on a primary with a standby, or on a cluster of Citus; a proxy on each way in between. */
import postgres from 'postgres';
import { readRefreshToken } from '../../src/crypto/refresh-token.ts';
import { type RootKeys, rootKeys } from '../../src/crypto/root-secret.ts';
import { keepLedgerPartitions } from '../../src/storage/ledger-partitions.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { databaseClock } from '../../src/system/clock.ts';
import { addDatabase, type Citus, inDatabase, portOf, startCitus } from '../cluster/citus.ts';
import {
  authorizeUrl,
  exchange,
  goThrough,
  makeClient,
  makePkce,
  makeUser,
  type TestClient,
} from '../support/actors.ts';
import { openTestApp } from '../support/app.ts';
import { Browser } from '../support/browser.ts';
import { testClock } from '../support/clock.ts';
import { databaseUrl } from '../support/database-url.ts';
import { freePort } from '../support/listening.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { type Balancer, openBalancer } from './balancer.ts';
import type { Place, StoredChain } from './history.ts';
import { makeNode, type Node } from './node.ts';

export const DATABASE = 'chaos';
/** Owns the database and is no superuser. */
const ROLE = 'statehouse';
const STANDBY = 'chaos_standby';

/** Root secrets; nodes begin with the first. */
export const SECRETS = [
  'the-older-root-secret-of-the-chaos-suite',
  'the-newer-root-secret-of-the-chaos-suite',
] as const;

/** `spread`: on a coordinator, which is the primary, and workers; the first worker has a synchronous standby. */
export type Replication = 'none' | 'synchronous' | 'asynchronous' | 'spread';

export type Cluster = {
  readonly nodes: readonly Node[];
  /** In front of the nodes. */
  readonly balancer: Balancer;
  /** From each node, in their order, to the first Postgres. */
  readonly ways: readonly TcpProxy[];
  readonly primary: PostgresServer;
  /** They have the chains; empty: the primary has. */
  readonly workers: readonly PostgresServer[];
  /** Null: there is none. */
  readonly standby: PostgresServer | null;
  /** From the standby to the primary; null: there is none. */
  readonly stream: TcpProxy | null;
  readonly client: TestClient;
  /** First tokens of fresh chains. */
  readonly chains: (count: number) => Promise<string[]>;
  readonly readToken: (token: string) => Place;
  /** By the first token of each. */
  readonly stored: (first: ReadonlyMap<number, string>) => Promise<Map<number, StoredChain>>;
  /** As a superuser. */
  readonly administer: (
    server: Pick<PostgresServer, 'url'>,
    ...statements: readonly string[]
  ) => Promise<postgres.Row[]>;
  /** The standby is the primary from now on, or the first worker. */
  readonly promote: () => Promise<void>;
  /** One more worker, with its share of the chains. */
  readonly grow: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export type ClusterOptions = {
  readonly replication: Replication;
  readonly nodes: number;
  readonly deadlines: Readonly<Record<string, number>>;
};

export async function openCluster({ replication, nodes: count, deadlines }: ClusterOptions): Promise<Cluster> {
  const closes: (() => unknown)[] = [];
  const close = async () => {
    for (const end of closes.splice(0).reverse()) await end();
  };
  const keep = <T>(made: T, end: () => unknown): T => {
    closes.push(end);
    return made;
  };
  const opened = async (url: string) => {
    const proxy = await openTcpProxy(url);
    return keep(proxy, proxy.close);
  };
  try {
    const citus = replication === 'spread' ? await startCitus(WORKERS, { settings: REPLICATED }) : null;
    if (citus !== null) keep(citus, citus.stop);
    const { primary, workers, replicated } = citus
      ? await ofCitus(citus, opened)
      : await ofOne(replication, opened, keep);
    if (replicated !== null) keep(replicated.standby, replicated.standby.stop);
    const failsOver = citus === null ? replicated : null;

    const keys = rootKeys([...SECRETS]);
    const issuer = 'https://login.chaos.test';
    let current = primary;
    const seeds = await openSeeds(roleUrl(primary), issuer, failsOver?.standby ?? null, citus !== null);
    keep(seeds, seeds.close);

    const ways: TcpProxy[] = [];
    const nodes: Node[] = [];
    for (let place = 0; place < count; place++) {
      const way = await opened(roleUrl(primary));
      ways.push(way);
      const others = failsOver === null ? [] : [(await opened(roleUrl(failsOver.standby))).url];
      const node = makeNode({
        name: `node ${place + 1}`,
        port: await freePort(),
        issuer,
        databaseUrl: severalHosts([way.url, ...others]),
        settings: { secret: SECRETS[0] },
        deadlines,
      });
      nodes.push(keep(node, () => node.kill()));
    }
    await Promise.all(nodes.map((node) => node.start()));
    const front = await openBalancer(nodes);
    const balancer = keep(front, front.close);

    return {
      nodes,
      balancer,
      ways,
      primary,
      workers,
      standby: replicated?.standby ?? null,
      stream: replicated?.stream ?? null,
      client: seeds.client,
      chains: seeds.chains,
      readToken: (token) => placeIn(keys, token),
      stored: (first) => storedChains(databaseUrl(current.url, DATABASE), keys, first),
      administer,
      promote: async () => {
        if (replicated === null) throw new Error('There is no standby.');
        const [row] = await administer(replicated.standby, 'select pg_promote() as promoted');
        if (row?.['promoted'] !== true) throw new Error('The standby was not promoted.');
        const [was] = workers;
        if (was === undefined) current = replicated.standby;
        else await administer(spread(primary), instead(was, replicated.standby));
      },
      grow: async () => {
        if (citus === null) throw new Error('There are no workers.');
        const added = await citus.makeServer();
        keep(added, added.stop);
        await administer(added, MAKE_ROLE);
        await addDatabase(added, DATABASE, ROLE);
        await administer(
          spread(primary),
          `select citus_add_node('127.0.0.1', ${portOf(added)})`,
          // The ledger has no key by which a row could change: its rows are only added.
          "select citus_rebalance_start(shard_transfer_mode := 'force_logical')",
          'select citus_rebalance_wait()',
        );
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

type Open = (url: string) => Promise<TcpProxy>;
const REPLICATED = ['wal_keep_size=256MB'];
const MAKE_ROLE = `create role ${ROLE} login`;

async function ofOne(replication: Replication, opened: Open, keep: <T>(made: T, end: () => unknown) => T) {
  const first = await startPostgres({ settings: ['wal_level=replica', ...REPLICATED] });
  const primary = keep(first, first.stop);
  const replicated = replication === 'none' ? null : await startStandby(primary, opened, startPostgres);
  await administer(primary, MAKE_ROLE, `create database ${DATABASE} owner ${ROLE}`);
  if (replicated !== null) await follow(primary, replication);
  return { primary, workers: [], replicated };
}

const WORKERS = 2;

async function ofCitus({ coordinator, workers, makeDatabase, makeServer }: Citus, opened: Open) {
  for (const server of [coordinator, ...workers]) await administer(server, MAKE_ROLE);
  await makeDatabase(DATABASE, ROLE);
  const [first] = workers;
  if (first === undefined) throw new Error('no worker');
  const replicated = await startStandby(first, opened, makeServer);
  await follow(first, 'synchronous');
  return { primary: coordinator, workers, replicated };
}

/** The database of the server, as a superuser. */
const spread = (server: PostgresServer) => ({ url: inDatabase(server, DATABASE) });

const instead = (was: PostgresServer, is: PostgresServer): string =>
  `select citus_update_node(nodeid, '127.0.0.1', ${portOf(is)}, force => true) from pg_dist_node where nodeport = ${portOf(was)}`;

/** A standby begins as a copy. */
async function startStandby(primary: PostgresServer, opened: Open, start: typeof startPostgres) {
  const stream = await opened(primary.url);
  await primary.halt();
  const standby = await start({ standbyOf: { halted: primary, streams: stream.url, name: STANDBY } });
  await primary.restart();
  return { standby, stream };
}

/** When the standby has begun to follow. */
async function follow(primary: PostgresServer, replication: Replication): Promise<void> {
  const state = replication === 'synchronous' ? 'sync' : 'async';
  if (replication === 'synchronous') {
    await administer(
      primary,
      `alter system set synchronous_standby_names = '${STANDBY}'`,
      'alter system set synchronous_commit = on',
      'select pg_reload_conf()',
    );
  }
  await until(async () => {
    const [row] = await administer(primary, `select sync_state from pg_stat_replication where state = 'streaming'`);
    return row?.['sync_state'] === state;
  });
}

async function administer(
  { url }: Pick<PostgresServer, 'url'>,
  ...statements: readonly string[]
): Promise<postgres.Row[]> {
  const admin = postgres(url, { max: 1, onnotice: () => {}, connection: { default_transaction_read_only: false } });
  try {
    let rows: postgres.Row[] = [];
    for (const statement of statements) rows = await admin.unsafe(statement);
    return rows;
  } finally {
    await admin.end();
  }
}

function roleUrl({ url }: PostgresServer): string {
  const own = new URL(databaseUrl(url, DATABASE));
  own.username = ROLE;
  return own.href;
}

/** As docs/deploying.md writes it. */
function severalHosts(urls: readonly string[]): string {
  const [first = '', ...others] = urls;
  if (others.length === 0) return first;
  const { host } = new URL(first);
  const all = urls.map((url) => new URL(url).host);
  return `${first.replace(host, all.join())}?target_session_attrs=read-write`;
}

/** Clients and end-users, whose chains are made by an app in this process. */
async function openSeeds(url: string, issuer: string, standby: PostgresServer | null, isSpread: boolean) {
  const at = standby === null ? url : severalHosts([url, roleUrl(standby)]);
  const owner = openPostgres(at, { connections: 1 });
  await owner.migrate();
  await keepLedgerPartitions(owner.drizzle, databaseClock);
  if (isSpread) await owner.distribute?.();
  await owner.close();
  const database = openPostgres(at, { connections: 4 });
  const first = rootKeys([SECRETS[0]]);
  const app = await openTestApp(database, {
    keys: first,
    issuer,
    clock: { ...testClock(), fixedNow: () => null },
    ownSigningKeys: true,
  });
  const [client, user] = [await makeClient(app), await makeUser(app)];
  const browser = new Browser(app.app);
  const chain = async (): Promise<string> => {
    const pkce = makePkce();
    const { url: to } = await goThrough(browser, authorizeUrl(client, pkce), user);
    const code = URL.canParse(to) ? (new URL(to).searchParams.get('code') ?? '') : '';
    const { json } = await exchange(app, client, { code, verifier: pkce.verifier });
    if (!json.refresh_token) throw new Error(`no refresh token came back: ${json.error}, ${to}`);
    return json.refresh_token;
  };
  return {
    client,
    chains: async (count: number) => {
      const made: string[] = [];
      while (made.length < count) made.push(await chain());
      return made;
    },
    close: async () => {
      await app.app.close();
      await database.close();
    },
  };
}

export function placeIn(keys: RootKeys, token: string): Place & { readonly grantId: string } {
  const read = readRefreshToken(keys, token);
  if (read.kind !== 'authentic') throw new Error(`not a refresh token: ${read.kind}`);
  const { grantId, generation, nonce } = read;
  return { grantId, generation: Number(generation), nonce: Buffer.from(nonce).toString('hex') };
}

/** @param url of the database, as a superuser. @param first token of each chain. */
export async function storedChains(
  url: string,
  keys: RootKeys,
  first: ReadonlyMap<number, string>,
): Promise<Map<number, StoredChain>> {
  const db = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const ids = new Map([...first].map(([chain, token]) => [placeIn(keys, token).grantId, chain]));
    const rows = await db`
      select g.id, g.state, g.revoked_reason, g.refresh_generation::int as generation, encode(g.refresh_nonce, 'hex') as nonce,
        array(select t.generation::int from transitions t where t.shard_key = g.id and t.grant_id = g.id and t.to_state = 'used') as ledger
      from grants g where g.id in ${db([...ids.keys()])}`;
    return new Map(
      rows.map(({ id, state, revoked_reason: reason, generation, nonce, ledger }) => [
        ids.get(id) ?? -1,
        { state, reason, generation, nonce, ledger },
      ]),
    );
  } finally {
    await db.end();
  }
}
