/**
 * Dockerfile, .dockerignore and compose.yaml, as far as they can be checked without an engine (.ci/image builds). The test assembles the
 * content of the image from the Dockerfile's own instructions, starts it with its own command, and runs its own health check.
 */
import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join, matchesGlob } from 'node:path';
import connectTo from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import type { Database } from '../../src/storage/database.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { becomesReady, killChild, outputOf, startChild, waiting } from '../support/child-process.ts';
import { createEmptyDatabase, type PostgresDatabase } from '../support/database.ts';
import { databaseUrl } from '../support/database-url.ts';
import { freePort } from '../support/listening.ts';
import { patient } from '../support/patience.ts';
import { dropRole, makeRole, urlAs } from '../support/runtime-role.ts';
import { until } from '../support/until.ts';
import { hasPostgresCommands, startPostgresWithTls } from './own-postgres.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

type Instruction = { readonly name: string; readonly rest: string };

/** One instruction a line, continuation lines joined, comments left out. */
const instructions: readonly Instruction[] = read('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => ({ name: line.split(' ')[0] ?? '', rest: line.slice(line.indexOf(' ') + 1) }));
const all = (name: string) => instructions.filter((one) => one.name === name).map((one) => one.rest);
const only = (name: string): string => {
  const [found, ...more] = all(name);
  if (found === undefined || more.length > 0) throw new Error(`${name} is not there once`);
  return found;
};

/** The files that are copied from the folder of the Dockerfile. */
const copies = all('COPY')
  .filter((rest) => !rest.startsWith('--from'))
  .map((rest) => rest.split(/\s+/))
  .map((words) => ({ sources: words.slice(0, -1), target: words.at(-1) ?? '' }));
const environment = Object.fromEntries(all('ENV').flatMap((rest) => rest.split(' ').map((one) => one.split('='))));

describe('the Dockerfile', () => {
  it('copies only files that exist and that .dockerignore admits', () => {
    const letThrough = read('.dockerignore').split('\n');
    expect(letThrough).toContain('*');
    for (const source of copies.flatMap((one) => one.sources)) {
      expect(existsSync(join(ROOT, source)), source).toBe(true);
      const path = source.replace('./', '');
      expect(
        letThrough.some((line) => line === `!${path}` || path.startsWith(`${line.slice(1)}/`)),
        source,
      ).toBe(true);
    }
  });

  it('uses Node of the major version in package.json, installs without devDependencies, and does not run as root', () => {
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    const major = /\d+/.exec(engines.node)?.[0];
    for (const from of all('FROM')) expect(from).toMatch(/^\$\{BASE\}( AS \w+)?$/);
    expect(only('ARG')).toMatch(new RegExp(`^BASE=node:${major}\\.[\\d.]+-slim@sha256:[0-9a-f]{64}$`));
    expect(all('RUN')[0]).toContain('npm ci --omit=dev');
    expect(only('USER')).toBe('node');
    expect(only('STOPSIGNAL')).toBe('SIGTERM');
  });

  it('contains no secret', () => {
    expect(Object.keys(environment)).toEqual(['NODE_ENV', 'HOST', 'PORT']);
    expect(all('ARG').map((rest) => rest.split('=')[0])).toEqual(['BASE']);
  });
});

describe('the content of the image', () => {
  let folder: string;
  let database: PostgresDatabase;
  let owner: Database;
  let role: string;
  let env: Record<string, string>;
  let server: ChildProcess | null = null;
  let said = '';

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'statehouse-image-'));
    const ignored = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('**'));
    for (const { sources, target } of copies) {
      for (const source of sources) {
        const into = target.endsWith('/') ? join(target, basename(source)) : target;
        const filter = (path: string) => !ignored.some((one) => matchesGlob(path, one));
        cpSync(join(ROOT, source), join(folder, into), { recursive: true, filter });
      }
    }
    // As in a clone that was made under umask 077. The Dockerfile has to mend it, since its server runs as another user.
    execFileSync('chmod', ['-R', 'go=', folder]);
    for (const command of all('RUN').filter((rest) => rest.startsWith('chmod'))) {
      execFileSync('sh', ['-c', command], { cwd: folder });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  beforeEach(async () => {
    database = await createEmptyDatabase();
    // A test drops the database itself.
    owner = openPostgres(databaseUrl(database.url, 'postgres'), { connections: 1 });
    role = await makeRole(owner);
    env = { PATH: dirname(process.execPath), ...environment, HOST: '127.0.0.1', PORT: String(await freePort()) };
  });
  afterEach(async () => {
    if (server) await killChild(server);
    server = null;
    await database.drop();
    await dropRole(owner, role);
    await owner.close();
  });

  const words = (json: string): string[] =>
    (JSON.parse(json) as string[]).map((one) => one.replace('/app/', `${folder}/`));
  function run(args: readonly string[], listen: (chunk: Buffer) => void = () => {}): ChildProcess {
    const [command = '', ...rest] = args;
    const child = startChild(command, rest, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', listen);
    return child;
  }
  const exitOf = async (child: ChildProcess): Promise<number | null> => (await once(child, 'exit'))[0];
  const healthcheck = () => exitOf(run(words(only('HEALTHCHECK').replace(/^.*?CMD /, ''))));
  function start(): ChildProcess {
    said = '';
    return run([...words(only('ENTRYPOINT')), ...words(only('CMD'))], (chunk) => {
      said += chunk;
    });
  }

  async function started(): Promise<ChildProcess> {
    env = {
      ...env,
      STATEHOUSE_ISSUER: 'https://login.example.com',
      STATEHOUSE_SECRET: 'a-root-secret-for-tests-of-more-than-32-bytes',
      DATABASE_URL: urlAs(database.url, role),
      NODE_OPTIONS: waiting(patient, folder).join(' '),
    };
    env = { ...env, STATEHOUSE_MIGRATIONS_URL: database.url };
    expect(await exitOf(run([...words(only('ENTRYPOINT')), 'migrate', '--grant-to', role]))).toBe(0);
    const { STATEHOUSE_MIGRATIONS_URL: _, ...ofServer } = env;
    env = ofServer;
    server = start();
    await becomesReady(server, `http://127.0.0.1:${env['PORT']}`, () => said);
    expect(await healthcheck()).toBe(0);
    return server;
  }

  it('is readable for its user, even from a clone that only its owner can read', () => {
    const unreadable = readdirSync(folder, { recursive: true, withFileTypes: true })
      // The packages are a link here, and come from another stage of the build.
      .filter((entry) => !entry.parentPath.includes('node_modules') && (entry.isFile() || entry.isDirectory()))
      .filter((entry) => {
        const needed = entry.isDirectory() ? 0o555 : 0o444;
        return (statSync(join(entry.parentPath, entry.name)).mode & needed) !== needed;
      });
    expect(unreadable.map(({ name }) => name)).toEqual([]);
    // Only files that were executable are executable.
    expect(statSync(join(folder, 'package.json')).mode & 0o777).toBe(0o644);
  });

  it('refuses to start without issuer, secret and database', async () => {
    server = start();
    expect(await exitOf(server)).toBe(1);
    for (const name of ['STATEHOUSE_ISSUER', 'STATEHOUSE_SECRET', 'DATABASE_URL']) expect(said).toContain(name);
  });

  it('is unhealthy before it runs, healthy while it does, and writes no file outside its volumes', async () => {
    expect(await healthcheck()).toBe(1);
    await started();
    expect(existsSync(join(folder, '.statehouse'))).toBe(false);
  });

  // Proxies and orchestrators take an unhealthy container out of traffic, or start it again: neither helps (decision 0054).
  it('is healthy without its database, which it reports at a path of its own', async () => {
    await started();
    await database.drop();
    expect(await healthcheck()).toBe(0);
    expect((await fetch(`http://127.0.0.1:${env['PORT']}/health/database`)).status).toBe(503);
  });

  it('finishes the request in flight on the stop signal, and exits with status 0', async () => {
    const child = await started();
    const body = 'grant_type=client_credentials';
    const head = `POST /oauth/token HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n`;
    const socket: Socket = connect(Number(env['PORT']), '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk));
    await once(socket, 'connect');
    // Once the head has come through, the request is in flight.
    await new Promise((resolve) => socket.write(head + body.slice(0, 5), resolve));
    await healthcheck();
    child.kill(only('STOPSIGNAL') as NodeJS.Signals);
    await until(() => said.includes('closing'));
    socket.write(body.slice(5));
    expect(await exitOf(child)).toBe(0);
    expect(answer).toMatch(/^HTTP\/1.1 401 /);
    expect(answer).toContain('invalid_client');
  });
});

type Service = {
  readonly environment: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly ports?: readonly string[];
  readonly read_only?: boolean;
  readonly volumes: readonly string[];
};

describe('compose.yaml', () => {
  const text = read('compose.yaml');
  type Services = { readonly statehouse: Service; readonly migrate: Service; readonly database: Service };
  const { services, configs } = parse(text, { merge: true }) as {
    services: Services;
    configs: { readonly roles: { readonly content: string } };
  };

  /** As Compose does it: `${NAME:?words}` refuses, `${NAME:-value}` falls back. */
  const filled = (value: string, env: Readonly<Record<string, string>>): string =>
    value.replaceAll(/\$\{(\w+):([?-])([^}]*)\}/g, (_, name: string, how: string, rest: string) => {
      const given = env[name];
      if (given) return given;
      if (how === '?') throw new Error(`required variable ${name} is missing a value: ${rest}`);
      return rest;
    });
  const given = {
    STATEHOUSE_ISSUER: 'https://login.example.com',
    STATEHOUSE_SECRET: 'a-root-secret-for-tests-of-more-than-32-bytes',
    POSTGRES_PASSWORD: '0123456789abcdef',
    SERVER_PASSWORD: 'fedcba9876543210',
  };

  it.each(Object.keys(given))('refuses to start without %s', (name) => {
    expect(() => filled(text.replaceAll(/^\s*#.*$/gm, ''), { ...given, [name]: '' })).toThrow(`variable ${name}`);
  });

  it('passes the server a valid environment, and Postgres the same password', async () => {
    const { readEnvironment } = await import('../../src/config/environment.ts');
    const [server, migrate, database] = [services.statehouse, services.migrate, services.database].map(
      ({ environment }) =>
        Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, filled(value, given)])),
    );
    const read = readEnvironment({ NODE_ENV: 'production', ...server });
    expect(read.trustedProxies).toEqual(['172.30.33.1']);
    const partsOf = (text = '') => {
      const { username, password, hostname, pathname } = new URL(text);
      return [username, password, hostname, pathname];
    };
    const where = ['database', '/statehouse'];
    expect(partsOf(read.databaseUrl ?? '')).toEqual(['statehouse_server', database?.['SERVER_PASSWORD'], ...where]);
    expect(partsOf(migrate?.['STATEHOUSE_MIGRATIONS_URL'])).toEqual([
      'statehouse',
      database?.['POSTGRES_PASSWORD'],
      ...where,
    ]);
    expect(services.migrate.command).toEqual(['migrate', '--grant-to', 'statehouse_server']);
    expect(server).not.toHaveProperty('STATEHOUSE_MIGRATIONS_URL');
    expect(services.statehouse.volumes).toContain(`./policies:${read.configFolder}:ro`);
  });

  // Skipped where psql is not installed.
  it.runIf(hasPostgresCommands)('creates an owner and a role for the server, neither of them a superuser', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'statehouse-compose-'));
    const postgres = await startPostgresWithTls(folder);
    const connections: ReturnType<typeof connectTo>[] = [];
    const connectedTo = (url: string) => {
      const connection = connectTo(url, { max: 1, onnotice: () => {} });
      connections.push(connection);
      return connection;
    };
    onTestFinished(async () => {
      for (const connection of connections) await connection.end();
      await postgres.stop();
      rmSync(folder, { recursive: true });
    });
    // Where the image has its socket.
    const { PATH = '' } = process.env;
    const env = { ...given, PATH, PGHOST: '127.0.0.1', PGPORT: postgres.port };
    execFileSync('bash', ['-e', '-c', configs.roles.content.replaceAll('$$', '$')], { env, stdio: 'pipe' });

    const urlOf = (role: string, password: string) =>
      `postgres://${role}:${password}@localhost:${postgres.port}/statehouse?sslmode=require`;
    const url = urlOf('statehouse', given.POSTGRES_PASSWORD);
    const migrating = startChild(
      process.execPath,
      [join(ROOT, 'src/cli/statehouse.js'), ...(services.migrate.command ?? [])],
      {
        cwd: folder,
        env: {
          PATH,
          ...given,
          NODE_ENV: 'production',
          STATEHOUSE_MIGRATIONS_URL: url,
          NODE_TLS_REJECT_UNAUTHORIZED: '0',
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const said = outputOf(migrating);
    const [status] = await once(migrating, 'exit');
    expect(status, said()).toBe(0);

    const admin = connectedTo(postgres.url);
    const roles = await admin`
      select rolname, rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as "mayMore",
        (select passwd is not null from pg_shadow where usename = rolname) as "hasPassword"
      from pg_roles where rolname in ('postgres', 'statehouse', 'statehouse_server') order by rolname`;
    expect([...roles]).toEqual([
      { rolname: 'postgres', mayMore: true, hasPassword: false },
      { rolname: 'statehouse', mayMore: false, hasPassword: true },
      { rolname: 'statehouse_server', mayMore: false, hasPassword: true },
    ]);
    const server = connectedTo(urlOf('statehouse_server', given.SERVER_PASSWORD));
    const owners = await server`select distinct tableowner from pg_tables where schemaname = 'public'`;
    expect([...owners]).toEqual([{ tableowner: 'statehouse' }]);
  });

  it('publishes its port on the loopback alone, waits for the database, and has a read-only file system', () => {
    expect(services.statehouse.ports).toEqual(['127.0.0.1:3000:3000']);
    expect(services.database.ports).toBeUndefined();
    expect(services.statehouse.depends_on).toEqual({
      database: { condition: 'service_healthy' },
      migrate: { condition: 'service_completed_successfully' },
    });
    expect(services.statehouse.read_only).toBe(true);
  });
});
