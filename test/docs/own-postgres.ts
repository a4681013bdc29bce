/** A Postgres as the guide wants it: on its own, with TLS for all but its superuser, and with passwords. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import postgres from 'postgres';
import { installedTool, toolsAreRequired } from '../support/installed-tool.ts';
import { type PostgresOptions, type PostgresServer, startPostgres } from '../support/postgres.ts';
import type { PostgresBinaries } from '../support/postgres-binaries.ts';

/** Whether Postgres's own commands are installed, which the guide uses. */
export const hasPostgresCommands = ['createuser', 'psql'].every(
  (command) => spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0,
);
if (!hasPostgresCommands && toolsAreRequired)
  throw new Error('TEST_TOOLS asks that the guide is followed: install Debian’s postgresql-client.');

/** Where `pg_basebackup` is from: it copies no Postgres that is newer than itself, as the one of npm may be. */
const [major] = /\d+/.exec(spawnSync('pg_basebackup', ['--version'], { encoding: 'utf8' }).stdout ?? '') ?? ['15'];
const server = installedTool('POSTGRES_PATH', [`/usr/lib/postgresql/${major}/bin/postgres`]);
/** A Postgres of this machine with all its commands; null: none is installed. */
export const installedPostgres: (PostgresBinaries & { readonly folder: string }) | null =
  server !== null && hasPostgresCommands
    ? { postgres: server, initdb: join(dirname(server), 'initdb'), folder: dirname(server) }
    : null;

export type OwnPostgres = PostgresServer & {
  readonly port: string;
  /** The certificate that vouches for itself, as a file. */
  readonly authority: string;
};

/** @param folder for the certificate. */
export async function startPostgresWithTls(folder: string, options: PostgresOptions = {}): Promise<OwnPostgres> {
  const server = await startPostgres(options);
  const admin = postgres(server.url, { max: 1, onnotice: () => {} });
  const [{ data } = { data: '' }] = await admin<{ data: string }[]>`select current_setting('data_directory') as data`;
  const { key, certificate } = selfSigned(folder);
  const { uid, gid } = statSync(data);
  const files = {
    'server.key': readFileSync(key),
    'server.crt': readFileSync(certificate),
    // The superuser of the tests, and no other role, connects without TLS and without a password.
    'pg_hba.conf': 'host all postgres 127.0.0.1/32 trust\nhostssl all all all scram-sha-256\n',
  };
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(data, name), content, { mode: 0o600 });
    chownSync(join(data, name), uid, gid);
  }
  await admin`alter system set ssl = on`;
  await admin`alter system set password_encryption = 'scram-sha-256'`;
  await admin`select pg_reload_conf()`;
  await admin.end();
  return { ...server, port: new URL(server.url).port, authority: certificate };
}

/** For localhost and login.example.com, made for this run. */
export function selfSigned(folder: string): { readonly key: string; readonly certificate: string } {
  const [key, certificate] = [join(folder, 'tls.key'), join(folder, 'tls.crt')];
  const names = 'subjectAltName=DNS:localhost,DNS:login.example.com,IP:127.0.0.1';
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'].concat([
      '-subj',
      '/CN=localhost',
      '-addext',
      names,
      '-keyout',
      key,
      '-out',
      certificate,
    ]),
    { stdio: 'ignore' },
  );
  return { key, certificate };
}
