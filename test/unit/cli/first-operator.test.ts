/** The first operator on the command line: `check` names the operators, and `operators set-up` prints a link. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NOBODY_ADMINISTERS } from '../../../policies/operators-schema.ts';
import { rootKeys } from '../../../src/crypto/root-secret.ts';
import { operatorSetUps } from '../../../src/storage/schema.ts';
import { makeUser } from '../../support/actors.ts';
import { ISSUER, openTestApp, shippedConfiguration, type TestApp } from '../../support/app.ts';
import { Browser } from '../../support/browser.ts';
import { testClock } from '../../support/clock.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type CommandLine, openCommandLine } from './command-line.ts';

const SECRET = 'a-root-secret-of-more-than-32-bytes';
const NONE =
  'no operator exists, so no user administers this server: make a link for the first with "statehouse operators set-up"';
const policies = new URL('../../../policies', import.meta.url).pathname;

let opened: TestDatabase<string>;
let server: TestApp;
let line: CommandLine;
let folder: string;
beforeEach(async () => {
  opened = await openTestDatabase('postgres');
  const configuration = { ...shippedConfiguration, operators: NOBODY_ADMINISTERS };
  const keys = rootKeys([SECRET]);
  server = await openTestApp(opened.database, { configuration, keys, clock: testClock(new Date()) });
  line = await openCommandLine(opened.database, 'database', keys);
  folder = mkdtempSync(join(tmpdir(), 'statehouse-policies-'));
  cpSync(policies, folder, { recursive: true });
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await server.app.close();
  await opened.close();
});

const declare = (...usernames: string[]) =>
  writeFileSync(join(folder, 'operators.yaml'), JSON.stringify({ operators: usernames }));
const run = (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
  line.run(args, {
    env: {
      NODE_ENV: 'production',
      STATEHOUSE_ISSUER: ISSUER,
      DATABASE_URL: opened.url,
      STATEHOUSE_SECRET: SECRET,
      STATEHOUSE_CONFIG: folder,
      ...more,
    },
  });
const checked = async (more: Readonly<Record<string, string>> = {}) => {
  const { status, out } = await run(['check', '--json'], more);
  expect(status).toBe(0);
  const { warnings, operator_by_set_up } = JSON.parse(out);
  const ofOperators = (warnings as string[]).filter((one) => /operator/.test(one));
  return { warnings: ofOperators, operator_by_set_up };
};
const linkOf = async (...more: string[]) => {
  const { status, out, err } = await run(['operators', 'set-up', '--json', ...more]);
  expect({ status, err }).toEqual({ status: 0, err: '' });
  return JSON.parse(out);
};
const use = async (link: string, username = 'ada') => {
  const browser = new Browser(server.app);
  const page = await browser.get(link.slice(ISSUER.length));
  return browser.submit(page, { username, password: `a long and plain passphrase of ${username}` });
};

describe('check', () => {
  it('warns in production that no user may administer, until an end-user has the username of an operator', async () => {
    expect((await checked()).warnings).toEqual([NONE]);
    declare('ada');
    expect((await checked()).warnings).toContain(NONE);
    await makeUser(server, 'ada');
    const { warnings } = await checked();
    expect(warnings).not.toContain(NONE);
    expect(warnings).toEqual([expect.stringContaining('"ada"')]);
  });

  it('does not warn of it outside of production, where a demo user administers', async () => {
    expect((await checked({ NODE_ENV: 'test' })).warnings).not.toContain(NONE);
  });

  it('names who may administer: those of the file, and the operator by a set-up', async () => {
    const { link } = await linkOf();
    expect((await use(link)).url).toBe('/operator/set-up/done');
    expect(await checked()).toEqual({
      warnings: [expect.stringMatching(/^the operator "ada" administers by a set-up alone: name an operator in /)],
      operator_by_set_up: 'ada',
    });
    expect((await run(['check'])).out).toMatch(/by a set-up +ada\n/);
    declare('bob', 'cleo');
    expect((await run(['check'])).out).toMatch(/operators +bob\n +cleo\n|operators +bob, cleo\n/);
  });

  it('knows no operator by a set-up whose account may not sign in', async () => {
    const { link } = await linkOf();
    await use(link);
    expect((await run(['users', 'disable', 'ada'])).status).toBe(0);
    expect(await checked()).toEqual({ warnings: [NONE], operator_by_set_up: null });
  });
});

describe('operators set-up', () => {
  it('prints a link that makes one operator, once, within a day', async () => {
    const { link, ends_at, ...rest } = await linkOf();
    expect(rest).toEqual({ outcome: 'issued', username: null });
    const hours = (new Date(ends_at).getTime() - Date.now()) / 3_600_000;
    expect([hours > 23, hours <= 24.1]).toEqual([true, true]);
    expect((await use(link)).url).toBe('/operator/set-up/done');
    expect((await new Browser(server.app).get(link.slice(ISSUER.length))).status).toBe(410);
  });

  it('prints it in lines for a person, too', async () => {
    const { status, out } = await run(['operators', 'set-up']);
    expect(status).toBe(0);
    expect(out).toMatch(/^issued\n {2}until {4}\d{4}-.*Z\n {2}link {5}https:\/\/as\.test\/operator\/set-up\?t=\S+\n$/);
  });

  it('binds the link to a username', async () => {
    const { link, username } = await linkOf('--username', 'ada');
    expect(username).toBe('ada');
    await use(link, 'eve');
    const [row] = await server.database.drizzle.select().from(operatorSetUps);
    expect(row).toMatchObject({ username: 'ada' });
    expect(await server.deps.users.findForSignIn('eve')).toBeNull();
  });

  it('ends the older link', async () => {
    const [older, newer] = [await linkOf(), await linkOf()];
    expect((await new Browser(server.app).get(older.link.slice(ISSUER.length))).status).toBe(410);
    expect((await use(newer.link)).url).toBe('/operator/set-up/done');
  });

  it('is refused where an operator may sign in', async () => {
    declare('ada');
    await makeUser(server, 'ada');
    const { status, out, err } = await run(['operators', 'set-up', '--json']);
    expect([status, out]).toEqual([1, '']);
    expect(err).toContain('An operator may sign in already: "statehouse check" says who.');
    expect(await server.database.drizzle.select().from(operatorSetUps)).toEqual([]);
  });

  it('works on the database itself, and on no server that STATEHOUSE_URL names', async () => {
    const { status, err } = await run(['operators', 'set-up'], { STATEHOUSE_URL: ISSUER });
    expect(status).toBe(1);
    expect(err).toContain('works on the database itself, not through the server that STATEHOUSE_URL names');
  });
});
