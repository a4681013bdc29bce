/** A Postgres with an untrusted certificate: each command reports it, with the reason of each host, and without a stack or a secret. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnPostgres, startPostgresWithTls } from '../docs/own-postgres.ts';
import { outputOf, START, startChild } from '../support/child-process.ts';
import { freePort } from '../support/listening.ts';

const PASSWORD = 's3cret-of-the-database';
const LAUNCHER = START.slice(0, 1);

describe('an untrusted certificate', () => {
  let folder: string;
  let postgres: OwnPostgres;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'statehouse-untrusted-'));
    postgres = await startPostgresWithTls(folder);
  });
  afterAll(async () => {
    await postgres.stop();
    rmSync(folder, { recursive: true });
  });

  const run = async (hosts: string, ...command: string[]) => {
    const env = {
      PATH: process.env['PATH'],
      DATABASE_URL: `postgres://someone:${PASSWORD}@${hosts}/statehouse?sslmode=verify-full`,
      STATEHOUSE_SECRET: 'a-root-secret-for-tests-of-more-than-32-bytes',
    };
    const child = startChild(process.execPath, [...LAUNCHER, ...command], { cwd: folder, env });
    const output = outputOf(child);
    const [status] = await once(child, 'close');
    expect(output()).not.toMatch(new RegExp(`${PASSWORD}|someone|^\\s+at |Unexpected`, 'm'));
    return { status, output: output() };
  };
  const UNTRUSTED =
    /cannot be trusted: its certificate is signed by itself \(DEPTH_ZERO_SELF_SIGNED_CERT: self-signed certificate\b/;

  it.each([['start'], ['migrate'], ['check'], ['users', 'list']])(
    'is reported by %s %s, with a remedy',
    async (...command) => {
      const { status, output } = await run(`localhost:${postgres.port}`, ...command);
      expect(output).toMatch(UNTRUSTED);
      expect(output).toContain('NODE_EXTRA_CA_CERTS');
      // Without a readable database, check continues and warns.
      expect(status).toBe(command[0] === 'check' ? 0 : 1);
    },
  );

  it('is reported for its own host, out of several', async () => {
    const silent = await freePort();
    const { status, output } = await run(`127.0.0.1:${silent},localhost:${postgres.port}`, 'migrate');
    expect(status).toBe(1);
    expect(output).toMatch(/^The database has no host that can be written to \(/m);
    expect(output).toContain('NODE_EXTRA_CA_CERTS');
    expect(output).toContain(`127.0.0.1:${silent} cannot be reached: nothing listens there`);
    expect(output).toMatch(new RegExp(`localhost:${postgres.port} ${UNTRUSTED.source}`));
  });
});
