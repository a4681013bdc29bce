/** The connection of a command to a server: its choice, and the messages for a server that rejects, hangs, or is another program. */
import { chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runningServer } from '../../../src/cli/administration/running-server.ts';
import { runCommand } from '../../../src/cli/program.ts';
import { folderHolder, lockFolder } from '../../../src/storage/folder-lock.ts';
import { readServerCredential, writeServerCredential } from '../../../src/storage/server-credential.ts';
import { withDeadlines } from '../../support/patience.ts';

const TOKEN = 'a-secret.access-token';

const portOf = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });

/** With commands that find a server as they do, and no database. */
async function run(args: readonly string[], env: Readonly<Record<string, string>>) {
  const printed = { out: '', err: '' };
  const status = await runCommand(args, {
    env,
    input: {
      interactive: false,
      readAll: async () => Buffer.from(JSON.stringify([{ client_id: 'one' }, { client_id: 'two' }])),
      readSecret: async () => '',
      confirm: async () => false,
    },
    output: {
      print: (text) => {
        printed.out += text;
      },
      complain: (text) => {
        printed.err += text;
      },
    },
    runningServer,
    openRuntime: () => Promise.reject(new Error('The database was opened.')),
  });
  expect(`${printed.out}${printed.err}`).not.toContain(TOKEN);
  return { status, ...printed };
}

const refused = async (env: Readonly<Record<string, string>>, args: readonly string[] = ['clients', 'list']) => {
  const { status, out, err } = await run(args, env);
  expect({ status, out }).toEqual({ status: 1, out: '' });
  return err;
};

describe('STATEHOUSE_URL and STATEHOUSE_TOKEN', () => {
  it.each([
    [{ STATEHOUSE_URL: 'https://login.example.com' }, /STATEHOUSE_TOKEN is not: set an access token/],
    [{ STATEHOUSE_TOKEN: TOKEN }, /STATEHOUSE_URL is not: set the issuer URL/],
    [{ STATEHOUSE_URL: 'http://login.example.com', STATEHOUSE_TOKEN: TOKEN }, /with https \(http only for localhost/],
    [{ STATEHOUSE_URL: 'ftp://localhost', STATEHOUSE_TOKEN: TOKEN }, /with https/],
    [{ STATEHOUSE_URL: 'login', STATEHOUSE_TOKEN: TOKEN }, /found what is not a URL/],
    [{ STATEHOUSE_URL: `https://me:${TOKEN}@login.example.com`, STATEHOUSE_TOKEN: 'x' }, /found a user or a password/],
    [{ STATEHOUSE_URL: 'https://login.example.com/?a', STATEHOUSE_TOKEN: TOKEN }, /found a query or a fragment/],
    [{ STATEHOUSE_URL: 'https://login.example.com', STATEHOUSE_TOKEN: `${TOKEN}\n-` }, /found other characters/],
  ])('%j: no request is sent, and no database is opened instead', async (env, words) => {
    expect(await refused(env as Readonly<Record<string, string>>)).toMatch(words);
  });

  it.each([['recover', '--yes'], ['migrate']])('%s does not use another database', async (...args) => {
    const env = { STATEHOUSE_URL: 'https://login.example.com', STATEHOUSE_TOKEN: TOKEN };
    expect(await refused(env, args)).toMatch(/works on the database itself, not through the server/);
  });
});

describe('a server that', () => {
  let server: Server;
  let answer: RequestListener;
  let asked: { method: string; url: string; key: string | undefined; authorization: string | undefined }[];
  let env: { STATEHOUSE_URL: string; STATEHOUSE_TOKEN: string };
  beforeEach(async () => {
    asked = [];
    server = createServer((request, response) => {
      const { method = '', url = '', headers } = request;
      const key = headers['idempotency-key'] as string | undefined;
      asked.push({ method, url, key, authorization: headers.authorization });
      request.resume().on('end', () => answer(request, response));
    });
    env = { STATEHOUSE_URL: `http://127.0.0.1:${await portOf(server)}`, STATEHOUSE_TOKEN: TOKEN };
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const problem = (status: number, reason: string, more: object = {}): RequestListener => {
    const type = `https://login.example.com/management/v1/problems/${reason}`;
    return (_, response) => {
      response.writeHead(status, { 'content-type': 'application/problem+json' });
      response.end(JSON.stringify({ type, title: 'No', status, detail: 'Some words.', ...more }));
    };
  };

  it('is another program is recognized, and gets no second request', async () => {
    answer = (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello</p>');
    expect(await refused(env)).toMatch(/answers, but not as Statehouse's management API does \(status 200\)/);
    expect(asked).toHaveLength(1);
  });

  it('redirects is not followed: the token is for this server', async () => {
    answer = (_, response) => response.writeHead(302, { location: `${env.STATEHOUSE_URL}/elsewhere` }).end();
    expect(await refused(env)).toMatch(/not as Statehouse's management API does \(status 302\)/);
    expect(asked.map(({ url }) => url)).toEqual(['/management/v1/clients?limit=100']);
  });

  it.each([
    [problem(401, 'invalid_token'), /refuses STATEHOUSE_TOKEN: Some words\. Nothing was changed\./],
    [
      problem(403, 'insufficient_scope', { errors: [{ field: 'scope', detail: '"clients:read" is missing.' }] }),
      /does not allow this: the scope "clients:read" is missing\. .*the role in operators\.yaml/,
    ],
    [problem(503, 'temporarily_unavailable'), /^Some words\.\n$/],
    [problem(404, 'not_found', { detail: 'red \u001b[31m' }), /red \\u\{1b\}\[31m/],
  ])('rejects the request is reported in words (%#)', async (listener, words) => {
    answer = listener;
    expect(await refused(env)).toMatch(words);
  });

  it('does not answer leads to a timeout', async () => {
    answer = () => {};
    const late = () => withDeadlines({ commandMilliseconds: 50 }, () => refused(env, ['clients', 'delete', 'shop']));
    expect(await late()).toMatch(
      /cannot be reached \(it does not answer\)\. It is not known whether the change was made: look before/,
    );
    const reading = () => withDeadlines({ commandMilliseconds: 50 }, () => refused(env));
    expect(await reading()).toMatch(/\(it does not answer\)\.\n$/);
  });

  it('revokes the key that signed the access token: the command reports it, though it cannot query the keys any longer', async () => {
    const kid = 'the key of the token';
    const items = [{ kid, alg: 'ES256', state: 'signing', since: '2026-01-01T00:00:00Z', next: null, reason: null }];
    answer = (request, response) => {
      if (asked.length > 2) return problem(401, 'invalid_token')(request, response);
      if (request.method === 'DELETE') return void response.writeHead(204).end();
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ items, policy: { algorithms: ['ES256'], jwks_max_age_seconds: 300 } }));
    };
    const { status, out, err } = await run(['keys', 'revoke', kid, '--json'], env);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    const changes = [{ kid, alg: 'ES256', from: 'signing', to: 'retired', reason: 'revocation_requested' }];
    expect(JSON.parse(out)).toEqual({ kid, outcome: 'revoked', changes });
    // No other token is available.
    expect(asked.map(({ method }) => method)).toEqual(['GET', 'DELETE', 'GET']);
  });

  it('hangs up during a creation gets one retry, with the same key', async () => {
    answer = (request, response) => {
      if (asked.length === 1) return void request.socket.destroy();
      response.writeHead(201, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ client_id: 'shop', client_name: 'shop', stored_secrets: 1, client_secret: 'new' }));
    };
    const args = ['clients', 'create', '--id', 'shop', '--grant-type', 'client_credentials', '--json'];
    const { status, out } = await run(args, env);
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ outcome: 'created', client: { client_secret: 'new' } });
    expect(asked).toHaveLength(2);
    expect(asked[0]?.key).toMatch(/^".{36}"$/);
    expect(asked[1]?.key).toBe(asked[0]?.key);
  });

  const wrongPolicy = () =>
    problem(422, 'invalid_fields', { errors: [{ field: 'policy', detail: 'Expected "default", found "none".' }] });

  it('rejects a record of an import in the check gets no request for a change', async () => {
    const unseen: (string | undefined)[] = [];
    answer = (request, response) => {
      if (request.method === 'GET') return problem(404, 'not_found')(request, response);
      unseen.push(request.headers['if-match']);
      const refusal = request.url?.endsWith('/two') ? wrongPolicy() : problem(412, 'changed_meanwhile');
      return refusal(request, response);
    };
    expect(await refused(env, ['clients', 'import', '-'])).toBe(
      'The import is refused; nothing was changed.\n' +
        '  record 2 (client_id "two"): policy: Expected "default", found "none".\n',
    );
    // No client has this entity tag.
    expect(unseen).toEqual(['"none"', '"none"']);
  });

  it('rejects a record in the middle of an import: the command prints the created records, with their secrets', async () => {
    answer = (request, response) => {
      if (request.method === 'GET') return problem(404, 'not_found')(request, response);
      if (request.headers['if-match']) return problem(412, 'changed_meanwhile')(request, response);
      if (request.url?.endsWith('/two')) return wrongPolicy()(request, response);
      response.writeHead(201, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ client_id: 'one', client_name: 'one', stored_secrets: 1, client_secret: 'made' }));
    };
    expect(await run(['clients', 'import', '-'], env)).toEqual({
      status: 1,
      out: 'created    one\n  client_secret (not shown again): made\n',
      err:
        'The import stopped: the record before was imported, this one and the rest not.\n' +
        '  record 2 (client_id "two"): policy: Expected "default", found "none".\n',
    });
  });

  it.each(['.', '..'])('does not know client %s gets no request for another resource', async (id) => {
    answer = problem(500, 'server_error');
    expect(await refused(env, ['clients', 'delete', id])).toBe(`No such client: "${id}".\n`);
    expect(asked).toEqual([]);
  });
});

describe('the credential that a server leaves', () => {
  let around: string;
  let folder: string;
  let unlock: () => void;
  const here = { origin: 'http://127.0.0.1:3000', issuer: 'http://localhost:3000', secret: 'a-secret' };
  const path = () => join(folder, 'running-server');
  beforeEach(() => {
    around = mkdtempSync(join(tmpdir(), 'statehouse-credential-'));
    folder = join(around, '.statehouse');
    mkdirSync(folder);
    unlock = lockFolder(folder);
  });
  afterEach(() => {
    unlock();
    rmSync(around, { recursive: true });
  });
  const holder = () => {
    const found = folderHolder(folder);
    if (found === null) throw new Error('Nobody holds the folder.');
    return found;
  };

  it('is valid while the process that wrote it holds the folder', () => {
    writeServerCredential(folder, here);
    expect(readServerCredential(folder, holder())).toEqual(here);
    expect(readServerCredential(folder, { ...holder(), pid: 1 })).toBeNull();
    // A process of another container may have had the same pid.
    expect(readServerCredential(folder, { ...holder(), startedAt: 'another time' })).toBeNull();
    unlock();
    expect(folderHolder(folder)).toBeNull();
  });

  it('replaces an earlier one, and is readable for its owner alone', () => {
    writeFileSync(path(), 'old', { mode: 0o644 });
    writeServerCredential(folder, here);
    expect(readServerCredential(folder, holder())).toEqual(here);
  });

  it('is ignored when others can read it, or when it is a link', () => {
    writeFileSync(path(), JSON.stringify({ ...holder(), ...here }), { mode: 0o644 });
    expect(() => readServerCredential(folder, holder())).toThrow(/is open to other users/);
    rmSync(path());
    writeFileSync(join(folder, 'elsewhere'), JSON.stringify({ ...holder(), ...here }), { mode: 0o600 });
    symlinkSync(join(folder, 'elsewhere'), path());
    expect(() => readServerCredential(folder, holder())).toThrow(/is a link/);
  });

  it.skipIf(process.getuid?.() !== 0)(
    'is used by root for the owner of the surrounding folder, and for no other user',
    () => {
      const [owner, another] = [65_534, 65_533];
      writeFileSync(path(), JSON.stringify({ ...holder(), ...here }), { mode: 0o600 });
      chownSync(folder, owner, owner);
      chownSync(path(), owner, owner);
      // As in /tmp: the surrounding folder is root's, and every user may create another in it.
      expect(() => readServerCredential(folder, holder())).toThrow(/belongs to another user/);
      chownSync(around, another, another);
      expect(() => readServerCredential(folder, holder())).toThrow(/belongs to another user/);
      chownSync(around, owner, owner);
      expect(readServerCredential(folder, holder())).toEqual(here);
    },
  );

  it('is ignored when it is incomplete or missing', () => {
    expect(readServerCredential(folder, holder())).toBeNull();
    writeFileSync(path(), '{"pid":', { mode: 0o600 });
    expect(readServerCredential(folder, holder())).toBeNull();
  });

  it('is written by the holder of the folder alone', () => {
    const other = join(folder, 'other');
    mkdirSync(other);
    expect(() => writeServerCredential(other, here)).toThrow(/holds the folder/);
  });
});
