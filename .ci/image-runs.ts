/**
 * Runs a container image as production should, but on the network of this machine: a root file system that cannot be written, no capabilities, no new privileges, the image's own user. `node .ci/image-runs.ts FOLDER ROOTFS`, where FOLDER has
 * the configuration of the image in config.json. Ends with status 1 and says what is wrong.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import postgres from 'postgres';
import { startPostgres } from '../test/support/postgres.ts';

const [folder = '', rootfs = ''] = process.argv.slice(2);
type ImageConfig = {
  readonly User: string;
  readonly Env: readonly string[];
  readonly WorkingDir: string;
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly StopSignal: NodeJS.Signals;
  readonly Healthcheck: { readonly Test: readonly string[] };
};
const image = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as ImageConfig;
const [, , uid = '', gid = ''] =
  readFileSync(join(rootfs, 'etc/passwd'), 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === image.User) ?? [];
assert.ok(Number(uid) > 0, `the image runs as ${image.User || 'root'}`);

const listener = createServer().listen(0, '127.0.0.1');
await once(listener, 'listening');
const port = (listener.address() as { port: number }).port;
listener.close();

/** In its own namespaces, except for the network: it shares this machine's loopback. */
const CONTAINER = `
mount --bind "$ROOTFS" "$ROOTFS" && mount -o remount,bind,ro "$ROOTFS"
mount -t proc proc "$ROOTFS/proc"
mount -t tmpfs -o mode=755,size=64k tmpfs "$ROOTFS/dev"
for device in null zero random urandom; do touch "$ROOTFS/dev/$device" && mount --bind "/dev/$device" "$ROOTFS/dev/$device"; done
mount -t tmpfs -o nosuid,nodev,noexec,mode=1777,size=16m tmpfs "$ROOTFS/tmp"
exec chroot "$ROOTFS" setpriv --reuid=${uid} --regid=${gid} --clear-groups --inh-caps=-all --ambient-caps=-all --bounding-set=-all \
  --no-new-privs env --ignore-environment --chdir=${image.WorkingDir} "$@"
`;
function container(args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  const ours = Object.entries(env).map((pair) => pair.join('='));
  const variables = [...image.Env.filter((pair) => !/^(HOST|PORT)=/.test(pair)), ...ours];
  const unshare = [
    '--mount',
    '--pid',
    '--ipc',
    '--uts',
    '--fork',
    '--kill-child',
    'bash',
    '-euc',
    CONTAINER,
    'container',
  ];
  return spawn('unshare', [...unshare, ...variables, ...args], {
    env: { ...process.env, ROOTFS: rootfs },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
/** The first process in it, as this machine numbers it. */
const initOf = ({ pid }: ChildProcess): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
function printed(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (text += chunk));
  return () => text;
}
async function runs(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = container(args, env);
  const text = printed(child);
  const [status] = await once(child, 'close');
  return { status: Number(status), text: text() };
}
const passed = (words: string) => process.stdout.write(`ok: ${words}\n`);

/** Nothing that its user may change, and nothing that it may not read. */
const withinApp = readdirSync(join(rootfs, 'app'), { recursive: true, withFileTypes: true });
for (const entry of withinApp) {
  if (!entry.isFile() && !entry.isDirectory()) continue;
  const { mode, uid: owner } = statSync(join(entry.parentPath, entry.name));
  const needed = entry.isDirectory() ? 0o555 : 0o444;
  const path = join(entry.parentPath, entry.name).slice(rootfs.length);
  assert.equal(mode & needed, needed, `expected every user to be able to read ${path}`);
  assert.equal(owner, 0, `${path} does not belong to root`);
  assert.equal(mode & 0o022, 0, `${path} can be written by others`);
}
passed('all files of a clone under umask 077 can be read, and only root may write them');
for (const absent of ['node_modules/vitest', 'node_modules/typescript', '.git', '.env', 'test']) {
  assert.ok(!withinApp.some((entry) => join(entry.parentPath, entry.name) === join(rootfs, 'app', absent)), absent);
}
passed('no devDependencies, no .git, no .env, no tests');

const refused = await runs([...image.Entrypoint, 'start'], { PORT: String(port) });
assert.equal(refused.status, 1, refused.text);
assert.match(refused.text, /STATEHOUSE_SECRET is not set/);
passed('without issuer, secret and database it refuses to start');

const database = await startPostgres();
let server: ChildProcess | null = null;
try {
  const owner = postgres(database.url, { max: 1 });
  await owner`create role statehouse_server login`;
  await owner.end();
  const asServer = new URL(database.url);
  asServer.username = 'statehouse_server';
  const env = {
    HOST: '127.0.0.1',
    PORT: String(port),
    STATEHOUSE_ISSUER: 'https://login.example.com',
    STATEHOUSE_SECRET: execFileSync('openssl', ['rand', '-base64', '32'], { encoding: 'utf8' }).trim(),
    DATABASE_URL: asServer.href,
  };
  const migrated = await runs([...image.Entrypoint, 'migrate', '--grant-to', 'statehouse_server'], {
    ...env,
    STATEHOUSE_MIGRATIONS_URL: database.url,
  });
  assert.equal(migrated.status, 0, migrated.text);
  passed('migrate');
  const words = 'clients create --json --id job --grant-type client_credentials --scope read'.split(' ');
  const created = await runs([...image.Entrypoint, ...words], env);
  assert.equal(created.status, 0, created.text);
  const secret = /"client_secret": "([^"]+)"/.exec(created.text)?.[1] ?? '';

  const health = async () => {
    const [kind, ...args] = image.Healthcheck.Test;
    assert.equal(kind, 'CMD');
    return (await runs(args, { PORT: String(port) })).status;
  };
  assert.notEqual(await health(), 0);
  server = container([...image.Entrypoint, ...image.Cmd], env);
  const log = printed(server);
  while ((await health()) !== 0) {
    assert.equal(server.exitCode, null, log());
    await setTimeout(200);
  }
  passed('start, and the health check turns green');

  const init = initOf(server);
  const status = readFileSync(`/proc/${init}/status`, 'utf8');
  const field = (key: string) => new RegExp(`^${key}:\\s+(\\S+)`, 'm').exec(status)?.[1];
  assert.equal(field('Uid'), uid);
  for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
    assert.equal(field(set), '0000000000000000', set);
  assert.equal(field('NoNewPrivs'), '1');
  const touched = await runs(['node', '-e', `require('node:fs').writeFileSync('/app/src/x', '')`]);
  assert.match(touched.text, /EROFS/);
  passed(`it runs as ${image.User}, without a capability, on files that it cannot write`);

  const answer = await fetch(`http://127.0.0.1:${port}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`job:${secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  assert.equal(answer.status, 200, await answer.text());
  passed('it issues a token');

  const ended = once(server, 'exit');
  process.kill(init, image.StopSignal);
  assert.equal((await ended)[0], 0, log());
  assert.match(log(), /closing/);
  server = null;
  passed(`${image.StopSignal} ends it well`);
} finally {
  server?.kill('SIGKILL');
  await database.stop();
}
