/** "statehouse ledger list", on the database and through a server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type CommandLine, openCommandLine, ways } from './command-line.ts';

describe.each(ways)('ledger list through the %s', (way) => {
  let opened: TestDatabase;
  let line: CommandLine;
  let sub: string;
  beforeAll(async () => {
    opened = await openTestDatabase(anyDatabase);
    line = await openCommandLine(opened.database, way);
    for (const name of ['ada', 'bea'])
      await line.run(['users', 'create', name], { stdin: 'correct horse battery staple' });
    await line.run(['users', 'disable', 'ada']);
    await line.run(['clients', 'create', '--id', 'shop', '--grant-type', 'client_credentials']);
    sub = JSON.parse((await line.run(['users', 'show', 'ada', '--json'])).out).sub;
  });
  afterAll(() => opened.close());

  const run = (...args: string[]) => line.run(['ledger', 'list', ...args]);
  const events = async (...args: string[]) => {
    const { entries } = JSON.parse((await run(...args, '--json')).out) as { entries: { event: string }[] };
    return entries.map(({ event }) => event);
  };

  it('shows the newest first, in words', async () => {
    const { out } = await run('--user', 'ada', '--machine', 'user');
    const [header, newest, oldest] = out.split('\n');
    expect(header).toMatch(/^AT +MACHINE +EVENT +STATE +REASON +OF +BY/);
    expect(newest).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC +user +disableRequested +enabled -> disabled .* user ada +(command_line|client )/,
    );
    expect(oldest).toMatch(/ unregistered -> enabled /);
    expect(out).not.toContain('bea');
  });

  it('filters', async () => {
    expect(await events('--client', 'shop')).toEqual(['registrationRequested']);
    expect(await events('--machine', 'user', '--event', 'disableRequested')).toEqual(['disableRequested']);
    expect(await events('--user', sub, '--machine', 'user', '--to', '2020-01-01')).toEqual([]);
    expect(await events('--user', sub, '--machine', 'user', '--from', '2020-01-01')).toHaveLength(2);
    expect((await run('--by', 'ada')).out).toBe('No such entries.\n');
    expect((await events('--actor', 'nothing')).length).toBe(0);
  });

  it('says that there are more', async () => {
    const { out, err } = await run('--limit', '1');
    expect(out.trim().split('\n')).toHaveLength(2);
    expect(err).toBe('Only the newest 1 are listed; --limit lists more.\n');
  });

  it.each(['--user', '--by'])('names an unknown end-user of %s', async (option) => {
    expect(await run(option, 'adda')).toMatchObject({ status: 1, err: 'No such user: "adda".\n' });
  });

  it('finds a deleted end-user by the sub', async () => {
    await line.run(['users', 'delete', 'ada', '--yes']);
    expect(await run('--user', 'ada')).toMatchObject({ status: 1 });
    expect((await events('--user', sub, '--machine', 'user'))[0]).toBe('deletionRequested');
  });
});
