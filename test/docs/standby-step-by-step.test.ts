/**
 * "Making standbys" and "Failing over" of docs/deploying.md as an operator follows them: a primary and a standby of their own, with TLS
 * and passwords, two nodes that name both, and the primary killed under load. SUBSTITUTIONS has the steps that a machine for tests cannot
 * do as printed.
 */
import { chmodSync, chownSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { rootKeys } from '../../src/crypto/root-secret.ts';
import { placeIn, storedChains } from '../chaos/cluster.ts';
import { judge } from '../chaos/judge.ts';
import { startLoad } from '../chaos/load.ts';
import { waiting } from '../support/child-process.ts';
import { databaseUrl } from '../support/database-url.ts';
import { freePort } from '../support/listening.ts';
import { patient } from '../support/patience.ts';
import { startJanitor } from '../support/postgres.ts';
import { unprivileged } from '../support/postgres-binaries.ts';
import { RemoteBrowser } from '../support/remote-browser.ts';
import { until } from '../support/until.ts';
import { anOperator } from './operator.ts';
import { installedPostgres, startPostgresWithTls } from './own-postgres.ts';
import { Shell } from './shell-blocks.ts';

const RUN = ['First start', 'TLS and proxies', 'Several nodes', 'Making standbys', 'Failing over'];
const REPLICATION_PASSWORD = 'the-password-of-the-standbys';
const CHAINS = 8;
/** A node gives a silent database up soon; the chaos suite has the same. */
const DEADLINES = {
  ...patient,
  databasePerRequestMilliseconds: 4000,
  databaseMilliseconds: 2000,
  statementMilliseconds: 1800,
  connectSeconds: 1.6,
};

// Skipped where Postgres and its commands are not installed.
it.runIf(installedPostgres !== null)('the standby takes over from a primary that is killed under load', async () => {
  if (installedPostgres === null) return;
  const folder = mkdtempSync(join(tmpdir(), 'statehouse-replicated-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const primary = await startPostgresWithTls(folder, { binaries: installedPostgres });
  onTestFinished(primary.stop);
  const standby = await standbyMachine(installedPostgres.folder, primary.authority);

  const operator = await anOperator({
    folder,
    postgres: primary,
    headings: RUN,
    nodeEnvironment: `NODE_OPTIONS='${waiting(DEADLINES).join(' ')}'`,
    substitutions: [
      ['10.0.0.0/24', '127.0.0.1/32'],
      ['db-a.internal port=5432', `localhost port=${primary.port}`],
      ['db-a.internal:5432', `localhost:${primary.port}`],
      ['db-b.internal:5432', `localhost:${standby.port}`],
      // The other standby is away.
      ['db-c.internal:5432', `localhost:${await freePort()}`],
      // Two servers on one machine. The primary got its ports as arguments, which are not in the copy.
      [
        'pg_ctl start',
        `pg_ctl start --options='-c port=${standby.port} -c max_connections=200 -c unix_socket_directories='`,
      ],
    ],
    typed: [
      ['createuser --pwprompt --replication', `${REPLICATION_PASSWORD}\n${REPLICATION_PASSWORD}\n`],
      ['pg_basebackup', `${REPLICATION_PASSWORD}\n`],
    ],
  });
  const { first, second, adapted, succeeds, run, next, signIn, refreshed, refused, serves } = operator;
  await operator.beginsAsPrinted();
  await operator.makeClient('shop');

  // Making standbys.
  await run(next('Making standbys', 'createuser --pwprompt --replication'));
  await run(next('Making standbys', 'pg_basebackup'), { shell: standby.shell });
  const [look = '', turnOn = '', ...more] = next('Making standbys', 'synchronous_standby_names');
  expect(more).toEqual([]);
  await until(async () => /standby_b +\| streaming/.test(await succeeds(look)));
  await succeeds(turnOn);
  await until(async () => /standby_b +\| streaming +\| quorum/.test(await succeeds(look)));
  await run(next('Making standbys', 'export DATABASE_URL'));
  await operator.restartNodes();

  // Chains that continue at both nodes, and an idle one, when the primary is killed.
  const browser = new RemoteBrowser(first);
  const before = await refreshed(second, await signIn(browser));
  const newest = await refreshed(first, before);
  const tokens: string[] = [];
  while (tokens.length < CHAINS) tokens.push(await signIn(browser));
  const head = () => /"segment":(\d+),"digest":"([0-9a-f]{64})"/.exec(operator.logs());
  await until(() => head() !== null);
  const addresses = [first, second].map((url) => {
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    return { name: url, url, agent, inTraffic: true, waiting: 0 };
  });
  const load = startLoad(addresses, { clientId: 'shop', secret: operator.secretOf('shop') }, tokens);
  onTestFinished(load.abandon);
  await load.rotates(2 * CHAINS);
  await primary.crash();
  await load.fails(CHAINS, ['try-again', 'unknown']);
  for (const node of [first, second]) expect((await fetch(`${node}/health/database`)).status).toBe(503);

  // Failing over: the nodes are left alone.
  await run(next('Failing over', 'pg_ctl promote'), { shell: standby.shell });
  await operator.areReady();
  const history = await load.finish();
  const keys = rootKeys([(await succeeds('echo "$STATEHOUSE_SECRET"')).trim()]);
  const stored = await storedChains(databaseUrl(standby.url, 'statehouse'), keys, history.first);
  const promised = { failures: ['try-again', 'unknown'], forgets: false } as const;
  const { problems, answers } = judge(history, stored, (token) => placeIn(keys, token), promised);
  expect(problems, JSON.stringify(answers)).toEqual([]);

  const latest = await refreshed(second, newest);
  await refused(first, before);
  await refused(second, latest);
  for (const node of [first, second]) await serves(node, 'shop');
  await refreshed(second, await signIn());

  const [, segment, digest] = head() ?? [];
  const [verify = ''] = next('Failing over', 'npx statehouse ledger verify');
  const verified = await succeeds(adapted(verify, { 'NUMBER:DIGEST': `${segment}:${digest}` }));
  expect(verified).toContain('nothing was changed, added or removed');
  await operator.stopNodes();
  expect(operator.left()).toEqual([]);
});

/** Another machine, where the user whom Postgres runs as types. The server that is started there ends with the test. */
async function standbyMachine(binaries: string, authority: string) {
  const runAs = unprivileged();
  const folder = mkdtempSync(join(tmpdir(), 'statehouse-standby-'));
  const [home, data] = [join(folder, 'home'), join(folder, 'data')];
  mkdirSync(home);
  copyFileSync(authority, join(home, 'tls.crt'));
  chmodSync(join(home, 'tls.crt'), 0o644);
  if (runAs.uid !== undefined && runAs.gid !== undefined) {
    for (const path of [folder, home]) chownSync(path, runAs.uid, runAs.gid);
  }
  const janitor = startJanitor(folder);
  const port = String(await freePort());
  const env = {
    PATH: `${binaries}:${process.env['PATH']}`,
    HOME: home,
    LC_ALL: 'C',
    PGDATA: data,
    PGHOST: '127.0.0.1',
    PGPORT: port,
    PGUSER: 'postgres',
    PGSSLROOTCERT: join(home, 'tls.crt'),
  };
  const shell = new Shell(home, home, env, runAs);
  onTestFinished(async () => {
    await shell.run('pg_ctl stop --mode=immediate');
    rmSync(folder, { recursive: true, force: true });
    janitor.stdin?.end();
  });
  return { shell, port, url: `postgres://postgres@127.0.0.1:${port}/postgres` };
}
