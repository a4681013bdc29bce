/**
 * A real Postgres server for tests. It is made in a temporary folder, in memory where nothing has to be durable, on a free port of the
 * loopback, and is removed afterwards.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PostgresBinaries, postgresBinaries, type RunAs, unprivileged } from './postgres-binaries.ts';
import { roomyFolder } from './roomy-folder.ts';

export type PostgresServer = {
  /** Its maintenance database, as a superuser. */
  readonly url: string;
  readonly folder: string;
  /** Ends it as a crash would: no checkpoint, connections cut. The data stays for `restart`. */
  readonly crash: () => Promise<void>;
  /** Ends it as an operator would, with the data that it has written to disk. The data stays for `restart`. */
  readonly halt: () => Promise<void>;
  /** On the same port, with the same data. */
  readonly restart: () => Promise<void>;
  /** Stops all its processes where they are, as a frozen virtual machine does; new connections are accepted by the kernel alone. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** For good: the data goes too. */
  readonly stop: () => Promise<void>;
};

export type PostgresOptions = {
  /** Flush to disk at each commit, as production does. Off by default: tests that crash nothing need not wait for it. */
  readonly durable?: boolean;
  /** Further settings, as of postgresql.conf. */
  readonly settings?: readonly string[];
  /** Instead of those that npm has installed. */
  readonly binaries?: PostgresBinaries | undefined;
  /** Begins as a copy of this halted server, and follows what it streams to the standby of this name. */
  readonly standbyOf?: { readonly halted: PostgresServer; readonly streams: string; readonly name: string };
};

export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const runAs = unprivileged();
  const prefix = 'statehouse-postgres-';
  const folder = options.durable ? mkdtempSync(join(tmpdir(), prefix)) : roomyFolder(prefix);
  if (runAs.uid !== undefined && runAs.gid !== undefined) chownSync(folder, runAs.uid, runAs.gid);
  const janitor = startJanitor(folder);
  try {
    const binaries = options.binaries ?? (await postgresBinaries(runAs, folder));
    if (options.standbyOf === undefined) await initialize(binaries, runAs, folder);
    else copy(options.standbyOf.halted.folder, folder, runAs);
    return await serve(binaries, runAs, folder, janitor, options);
  } catch (error) {
    janitor.stdin?.end();
    throw error;
  }
}

async function serve(
  binaries: PostgresBinaries,
  runAs: RunAs,
  folder: string,
  janitor: ChildProcess,
  options: PostgresOptions,
): Promise<PostgresServer> {
  const port = await freePort();
  const start = () => launch(binaries, runAs, folder, settings(port, options));
  let server = await start();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    folder,
    crash: () => end(server, 'SIGQUIT'),
    halt: () => end(server, 'SIGINT'),
    restart: async () => {
      server = await start();
    },
    pause: () => signalAll(server, 'SIGSTOP'),
    resume: () => signalAll(server, 'SIGCONT'),
    stop: async () => {
      await end(server, 'SIGINT');
      await rm(folder, { recursive: true, force: true });
      janitor.stdin?.end();
    },
  };
}

/** Ends the server whose data is in `data` of that folder, and removes the folder, when its standard input ends. */
export function startJanitor(folder: string): ChildProcess {
  const script = join(import.meta.dirname, 'postgres-janitor.ts');
  // Detached: an interrupt from the terminal goes to the tests, and must not take their janitor with them.
  const janitor = spawn(process.execPath, [script, folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  janitor.unref();
  return janitor;
}

/** Loopback only, so `trust` admits only users of this machine, and only while the tests run. */
async function initialize({ initdb }: PostgresBinaries, runAs: RunAs, folder: string): Promise<void> {
  const how = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  const child = spawn(initdb, [`--pgdata=${join(folder, 'data')}`, ...how], { ...runAs, ...quiet(folder) });
  let log = '';
  child.stdout.on('data', (chunk) => {
    log += chunk;
  });
  child.stderr.on('data', (chunk) => {
    log += chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`initdb failed:\n${log}`);
}

const READY = /database system is ready to accept (read-only )?connections/;

/** As it would be after pg_basebackup, which not every installation of Postgres has. */
function copy(from: string, to: string, runAs: RunAs): void {
  const copied = spawnSync('cp', ['-a', join(from, 'data'), join(to, 'data')], { ...runAs, cwd: to });
  if (copied.status !== 0) throw new Error(`The data could not be copied: ${copied.stderr}`);
  writeFileSync(join(to, 'data', 'standby.signal'), '');
}

function launch({ postgres }: PostgresBinaries, runAs: RunAs, folder: string, args: string[]): Promise<ChildProcess> {
  const server = spawn(postgres, ['-D', join(folder, 'data'), ...args], { ...runAs, ...quiet(folder) });
  return new Promise((resolve, reject) => {
    let log = '';
    server.stdout.resume();
    server.stderr.on('data', (chunk) => {
      log = (log + chunk).slice(-10_000);
      if (READY.test(log)) resolve(server);
    });
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`Postgres did not start:\n${log}`)));
  });
}

async function end(server: ChildProcess, signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  server.kill(signal);
  await ended;
}

function signalAll({ pid }: ChildProcess, signal: 'SIGSTOP' | 'SIGCONT'): void {
  if (pid === undefined) return;
  // The postmaster first: it makes no child while it is stopped.
  process.kill(pid, signal);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  for (const child of children) process.kill(Number(child), signal);
}

/** A folder that the server's user may enter, and messages in English whatever the machine speaks. */
const quiet = (folder: string) => ({ cwd: folder, env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' } });

function settings(port: number, { durable = false, settings = [], standbyOf }: PostgresOptions): string[] {
  const primary = standbyOf && new URL(standbyOf.streams);
  const flush = durable ? 'on' : 'off';
  return [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    'shared_buffers=64MB',
    'max_parallel_workers_per_gather=0',
    `fsync=${flush}`,
    `full_page_writes=${flush}`,
    ...(primary && standbyOf
      ? [
          `primary_conninfo=host=${primary.hostname} port=${primary.port} user=${primary.username} application_name=${standbyOf.name}`,
          'wal_retrieve_retry_interval=100ms',
        ]
      : []),
    ...settings,
  ].flatMap((setting) => ['-c', setting]);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
