/**
 * `node test/bench/backtest.ts`: time, CPU and memory of a backtest over a week, with ten refreshes of each chain. `--refreshes N` takes
 * one number of refreshes, `--write` writes the table into docs/performance.md.
 */
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import { backtest } from '../../src/backtest/backtest.ts';
import type { Side } from '../../src/backtest/side.ts';
import type { Configuration } from '../../src/config/configuration.ts';
import { rowMacs } from '../../src/crypto/row-mac.ts';
import { authenticClients } from '../../src/storage/authentic-clients.ts';
import { grantStore } from '../../src/storage/grant-store.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { databaseClock } from '../../src/system/clock.ts';
import { makeClient } from '../support/actors.ts';
import { openTestApp, shippedConfiguration, type TestApp } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { type Databases, openDatabases } from './databases.ts';
import { postgresCpu, postgresCpuBetween } from './postgres-cpu.ts';
import { machine } from './report.ts';
import { columns, format } from './text.ts';
import { writeFigures } from './write.ts';

const { values } = parseArgs({
  options: { refreshes: { type: 'string' }, write: { type: 'boolean', default: false } },
});
const SIZES = values.refreshes === undefined ? [10_000, 100_000, 1_000_000] : [Number(values.refreshes)];
const REFRESHES_OF_CHAIN = 10;
const CLIENTS = 50;
const WEEK_MILLISECONDS = 7 * 86_400_000;
/** Refused for half of the chains: their refreshes are up to 16 hours apart. */
const DRAFT_IDLE_SECONDS = 8 * 3600;
const MEGABYTE = 1024 * 1024;

const databases = await openDatabases();
const rows: string[][] = [['refreshes', 'seconds', 'CPU s, server + Postgres', 'refused', 'more memory, MB']];
try {
  for (const refreshes of SIZES) rows.push(await measured(databases, refreshes));
} finally {
  await databases.close();
}
const table = columns(rows).join('\n');
process.stdout.write(`${table}\n`);
const { cores, cpu, node } = machine();
if (values.write)
  writeFigures(
    `${cores} cores (${cpu}), Node ${node}. One run each.\n\n${table}`,
    'node test/bench/backtest.ts --write',
  );

async function measured({ create, analyze, admin }: Databases, refreshes: number): Promise<string[]> {
  const name = `backtest_${refreshes}`;
  const url = await create(name);
  const database = openPostgres(url, { connections: 2 });
  try {
    await database.migrate();
    const app = await openTestApp(database, { clock: testClock(new Date()) });
    await fill(app, url, refreshes / REFRESHES_OF_CHAIN);
    await analyze(url);
    await app.app.close();
    const macs = rowMacs(app.keys);
    const { loadClient } = grantStore(database.drizzle, databaseClock, authenticClients(macs));
    // Once before, so that compiled code and caches are no part of the growth.
    let most = 0;
    const deps = {
      db: database.drizzle,
      clock: databaseClock,
      macs,
      loadClient: async (clientId: string) => (await loadClient(clientId)).client,
      mayContinue: () => {
        most = Math.max(most, process.memoryUsage().rss);
        return true;
      },
    };
    const before = {
      cpu: process.cpuUsage(),
      rss: process.memoryUsage().rss,
      postgres: await postgresCpu(admin, name),
    };
    const begun = performance.now();
    const document = await backtest(deps, sides(shippedConfiguration), WEEK_MILLISECONDS);
    const seconds = (performance.now() - begun) / 1000;
    const { user, system } = process.cpuUsage(before.cpu);
    const ofPostgres = postgresCpuBetween(before.postgres, await postgresCpu(admin, name));
    const { total, refused } = document.refreshes;
    if (total !== refreshes) throw new Error(`Expected ${refreshes} refreshes, found ${total}.`);
    return [
      format(refreshes, 0),
      format(seconds, 1),
      `${format((user + system) / 1e6, 1)} + ${format(ofPostgres === null ? null : ofPostgres / 1e6, 1)}`,
      format(refused, 0),
      format((most - before.rss) / MEGABYTE, 0),
    ];
  } finally {
    await database.close();
  }
}

function sides(configuration: Configuration): { before: Side; after: Side } {
  const policies = new Map(configuration.policies);
  const policy = policies.get('default');
  if (policy === undefined) throw new Error('There is no policy "default".');
  policies.set('default', { ...policy, refreshIdleLifetimeSeconds: DRAFT_IDLE_SECONDS });
  const side = (of: Configuration): Side => ({ configuration: of, machineOf: (one) => one });
  return { before: side(configuration), after: side({ ...configuration, policies }) };
}

/** Each chain was approved a week ago, and refreshed at even intervals of 1 to 16 hours. */
async function fill(app: TestApp, url: string, chains: number): Promise<void> {
  const clients: string[] = [];
  for (let n = 0; n < CLIENTS; n++) clients.push((await makeClient(app)).clientId);
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    // The triggers refuse rows that no machine has made.
    await sql`set session_replication_role = replica`;
    await sql`set statement_timeout = 0`;
    await sql`insert into users (id, username, username_key, password_hash, claims)
      select gen_random_uuid(), 'user-' || n, 'user-' || n, 'x', '{}' from generate_series(1, ${chains}::int) n`;
    await sql`create temporary table chains as select gen_random_uuid() as id, id as user_id,
        (${clients}::text[])[1 + row_number() over () % ${CLIENTS}] as client_id,
        now() - interval '6 days 23 hours' as begun_at, (1 + row_number() over () % 16) * interval '1 hour' as pause
      from users where username like 'user-%'`;
    await sql`insert into grants (id, code_hash, client_id, user_id, client_epoch, user_epoch, server_epoch, scope, resources, policy,
        code_challenge, redirect_uri, code_ends_at, state, created_at, refresh_generation, refresh_nonce, last_used_at, chain_ends_at)
      select c.id, sha256(uuid_send(c.id)), c.client_id, c.user_id, k.epoch, 0, s.epoch, array['read'], array['https://api.example.com'], 'default',
        'x', 'https://c.test/', c.begun_at + interval '1 minute', 'active', c.begun_at, ${REFRESHES_OF_CHAIN}, '\\x00'::bytea,
        c.begun_at + ${REFRESHES_OF_CHAIN} * c.pause, now() + interval '30 days'
      from chains c join clients k using (client_id) cross join server s`;
    // In the order of time, as they would be recorded.
    await sql`insert into transitions (shard_key, at, machine, grant_id, event, from_state, to_state, generation, client_id, policy)
      select id, at, machine, id, 'presented', 'active', to_state, generation, client_id, 'default' from (
        select id, client_id, begun_at as at, 'interaction' as machine, 'approved' as to_state, null::bigint as generation from chains
        union all select id, client_id, begun_at, 'authorizationCode', 'used', 0 from chains
        union all select id, client_id, begun_at + n * pause, 'refreshToken', 'used', n
          from chains cross join generate_series(1, ${REFRESHES_OF_CHAIN}::int) n
      ) as entry order by at, generation nulls first`;
  } finally {
    await sql.end();
  }
}
