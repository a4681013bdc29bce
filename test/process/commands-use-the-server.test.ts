/** The server of an embedded database, and commands in its folder while it runs, after it was stopped, and after it was killed. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEmbedded } from '../../src/storage/embedded.ts';
import { transitions } from '../../src/storage/schema.ts';
import { becomesReady, killChild, outputOf, START, startChild, waiting } from '../support/child-process.ts';
import { giveDatabase } from '../support/embedded-folder.ts';
import { freePort } from '../support/listening.ts';

const PATH = process.env['PATH'] ?? '';
const [LAUNCHER = ''] = START;

let folder: string;
let port: number;
let server: ChildProcess;
const home = () => join(folder, '.statehouse');
const credential = () => join(home(), 'running-server');

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'statehouse-commands-'));
  giveDatabase(home());
  port = await freePort();
});
afterEach(async () => {
  await killChild(server);
  rmSync(folder, { recursive: true, force: true });
});

/** @param reached where it is asked whether it is ready. */
async function start(env: Readonly<Record<string, string>> = {}, reached = `http://127.0.0.1:${port}`): Promise<void> {
  const all = { PATH, PORT: String(port), HOST: '127.0.0.1', LOG_LEVEL: 'info', ...env };
  server = startChild(process.execPath, [...waiting(), ...START], { cwd: folder, env: all });
  const output = outputOf(server);
  await becomesReady(server, reached, output);
}

async function stop(): Promise<void> {
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  expect((await ended)[0]).toBe(0);
}

type Options = { readonly env?: Readonly<Record<string, string>>; readonly uid?: number };

async function statehouse(args: readonly string[], { env = {}, uid }: Options = {}) {
  const child = startChild(process.execPath, [...waiting(), LAUNCHER, ...args], {
    cwd: folder,
    env: { PATH, ...env },
    ...(uid !== undefined && { uid, gid: uid }),
  });
  const [out, err] = [child.stdout, child.stderr].map((stream) => {
    let text = '';
    stream?.on('data', (chunk) => {
      text += String(chunk);
    });
    return () => text;
  });
  child.stdin?.end();
  const [status] = await once(child, 'close');
  return { status, out: out?.() ?? '', err: err?.() ?? '' };
}

const json = async (...args: string[]) => {
  const { status, out, err } = await statehouse([...args, '--json']);
  expect({ status, err }).toEqual({ status: 0, err: '' });
  return JSON.parse(out);
};

async function tokenStatus(secret: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`nightly:${secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return response.status;
}

type Place = [words: string, env: Readonly<Record<string, string>>];
const IPV6: Place[] = [
  ['all addresses, IPv6', { HOST: '::' }],
  ['the loopback address of IPv6', { HOST: '::1' }],
];

const NIGHTLY = ['--id', 'nightly', '--grant-type', 'client_credentials', '--scope', 'read'];

describe('commands in the folder of a server', () => {
  it('use the server while it runs, and the database after a stop', async () => {
    await start();
    expect(statSync(credential()).mode & 0o777).toBe(0o600);
    const made = await json('clients', 'create', ...NIGHTLY);
    expect(made).toMatchObject({ outcome: 'created', client: { client_id: 'nightly' } });
    const { client_secret: first } = made.client;
    expect(await tokenStatus(first)).toBe(200);
    const { client_secret: second } = await json('clients', 'rotate-secret', 'nightly');
    expect([await tokenStatus(first), await tokenStatus(second)]).toEqual([401, 200]);

    expect(await json('users', 'create', 'alice', '--generate-password')).toMatchObject({ outcome: 'created' });
    expect(await json('users', 'disable', 'alice')).toEqual({ username: 'alice', outcome: 'disabled' });
    const { changes } = await json('keys', 'rotate', '--alg', 'ES256');
    expect(changes).toMatchObject([
      { alg: 'ES256', from: null, to: 'published' },
      { from: 'signing', to: 'signing' },
    ]);
    expect(await json('grants', 'list')).toEqual({ grants: [], more: false });
    expect(await json('sessions', 'list')).toEqual({ sessions: [], more: false });
    // As README.md says, this command reads the database itself.
    const beside = await statehouse(['check']);
    expect(beside).toMatchObject({ status: 0, err: '' });
    expect(beside.out).toMatch(/The clients cannot be read\. The embedded database .* Stop the server/s);
    expect(beside.out).not.toContain('client nightly');
    const before = readFileSync(credential(), 'utf8');

    await stop();
    expect(existsSync(credential())).toBe(false);
    expect(await json('users', 'show', 'alice')).toMatchObject({ username: 'alice', disabled: true });
    const { keys } = await json('keys', 'list');
    expect(keys.map(({ kid }: { kid: string }) => kid)).toContain(changes[0].kid);

    const database = await openEmbedded(home());
    try {
      const lines = await database.drizzle
        .select({ event: transitions.event, actor: transitions.actor })
        .from(transitions)
        .where(eq(transitions.clientId, 'nightly'));
      expect(lines).toEqual([
        { event: 'registrationRequested', actor: 'command_line' },
        { event: 'secretReplacementRequested', actor: 'command_line' },
      ]);
    } finally {
      await database.close();
    }

    await start();
    expect(readFileSync(credential(), 'utf8')).not.toBe(before);
    expect(await json('clients', 'show', 'nightly')).toMatchObject({ client_id: 'nightly', stored_secrets: 1 });
  });

  it('ignore the leftovers of a killed server', async () => {
    await start();
    await json('users', 'create', 'alice', '--generate-password');
    await killChild(server);
    expect(existsSync(credential())).toBe(true);
    expect((await json('users', 'list')).users).toHaveLength(2);
  });

  const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));

  it.each<Place>([
    ['all addresses', { HOST: '0.0.0.0' }],
    ...(hasIpv6 ? IPV6 : []),
    ['an issuer elsewhere, with a path', { STATEHOUSE_ISSUER: 'https://login.example.com/tenant' }],
  ])('find the server at %s', async (_, env) => {
    const host = env['HOST'] === '::1' ? '[::1]' : '127.0.0.1';
    await start(env, `http://${host}:${port}`);
    expect(await json('clients', 'create', ...NIGHTLY)).toMatchObject({ outcome: 'created' });
    expect((await json('clients', 'list')).clients).toContainEqual(expect.objectContaining({ client_id: 'nightly' }));
  });

  it.runIf(process.getuid?.() === 0)('reject a server of another user of the machine', async () => {
    await start();
    const { status, out, err } = await statehouse(['users', 'list'], { uid: 65_534 });
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toMatch(/permission denied/);
    expect(err).not.toContain(JSON.parse(readFileSync(credential(), 'utf8')).secret);
  });

  it('use the server that the environment names, with the token of its role', async () => {
    const config = join(folder, 'policies');
    cpSync(new URL('../../policies', import.meta.url).pathname, config, { recursive: true });
    const role = 'clients:\n  - client_id: nightly\n    scope: clients:read users:read\n';
    writeFileSync(join(config, 'operators.yaml'), role);
    const issuer = `http://127.0.0.1:${port}`;
    await start({ STATEHOUSE_CONFIG: config, STATEHOUSE_ISSUER: issuer });
    const { client } = await json('clients', 'create', '--id', 'nightly', '--grant-type', 'client_credentials');
    const response = await fetch(`${issuer}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`nightly:${client.client_secret}`).toString('base64')}` },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        scope: 'clients:read',
        resource: `${issuer}/management/v1`,
      }),
    });
    const { access_token: token } = (await response.json()) as { access_token: string };

    // From a folder without a database, so that no other process could answer.
    const elsewhere = mkdtempSync(join(tmpdir(), 'statehouse-elsewhere-'));
    const here = folder;
    folder = elsewhere;
    const env = { STATEHOUSE_URL: issuer, STATEHOUSE_TOKEN: token };
    try {
      expect(JSON.parse((await statehouse(['clients', 'show', 'nightly', '--json'], { env })).out)).toMatchObject({
        client_id: 'nightly',
        stored_secrets: 1,
      });
      expect(await statehouse(['clients', 'delete', 'nightly'], { env })).toEqual({
        status: 1,
        out: '',
        err: expect.stringMatching(/does not allow this: the scope "clients:write" is missing\. .*operators\.yaml/),
      });
      expect((await statehouse(['recover', '--yes'], { env })).err).toMatch(/works on the database itself/);
      expect(existsSync(join(elsewhere, '.statehouse'))).toBe(false);
    } finally {
      folder = here;
      rmSync(elsewhere, { recursive: true });
    }
  });
});
