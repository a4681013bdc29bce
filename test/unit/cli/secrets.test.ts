/** `secrets list|set|remove`, on the database and through a server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configuredSecrets } from '../../../src/storage/schema.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type CommandLine, openCommandLine, ways } from './command-line.ts';

const VALUE = 'smtp://relay:correct-horse@mail.example.com?from=a%40example.com';

describe.each(ways)('secrets through the %s', (way) => {
  let opened: TestDatabase;
  let line: CommandLine;
  const folder = mkdtempSync(join(tmpdir(), 'statehouse-secrets-'));
  let printed = '';
  beforeAll(async () => {
    opened = await openTestDatabase(anyDatabase);
    line = await openCommandLine(opened.database, way);
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await opened.close();
  });
  const run = async (args: readonly string[], stdin = '') => {
    const ended = await line.run(['secrets', ...args], { stdin });
    printed += ended.out + ended.err;
    return ended;
  };
  const listed = async () => JSON.parse((await run(['list', '--json'])).out).secrets;

  it('sets a secret from standard input and from a file, and lists it without its value', async () => {
    expect((await run(['list'])).out).toMatch(/^NAME +FROM +STORED +USED BY *\nSTATEHOUSE_SMTP_URL +missing +mails\n$/);
    expect(await run(['set', 'STATEHOUSE_SMTP_URL'], `${VALUE}\n`)).toMatchObject({
      status: 0,
      out: 'set   STATEHOUSE_SMTP_URL\n',
    });
    const path = join(folder, 'secret');
    writeFileSync(path, 'the value of a file\n');
    expect(await run(['set', 'CRM_SECRET', '--file', path])).toMatchObject({ status: 0, out: 'set   CRM_SECRET\n' });
    expect(await listed()).toEqual([
      { name: 'CRM_SECRET', source: 'row', stored_at: expect.any(String), used_by: [], problem: null },
      {
        name: 'STATEHOUSE_SMTP_URL',
        source: 'row',
        stored_at: expect.any(String),
        used_by: [{ file: null, key: null }],
        problem: null,
      },
    ]);
    expect(await opened.database.drizzle.select().from(configuredSecrets)).toHaveLength(2);
  });

  it.each([
    ['an empty value', ['set', 'CRM_SECRET'], '', 'No value'],
    [
      'a value that the mail server does not take',
      ['set', 'STATEHOUSE_SMTP_URL'],
      'http://relay:correct-horse@mail',
      'smtp://',
    ],
    ['a file that is not there', ['set', 'CRM_SECRET', '--file', '/nowhere/correct-horse'], '', 'readable file'],
    ['a value as an argument', ['set', 'CRM_SECRET', 'correct-horse'], '', 'too many arguments'],
    ['the name of no variable', ['set', 'a-name'], 'correct-horse', 'name of an environment variable'],
    ['the root secret', ['set', 'STATEHOUSE_SECRET'], 'correct-horse', 'environment of each node'],
    ['a secret that is not stored', ['remove', 'UNKNOWN'], '', 'UNKNOWN'],
  ])('refuses %s', async (_, args, stdin, words) => {
    const ended = await run(args, stdin);
    expect([ended.status === 0, ended.err]).toEqual([false, expect.stringContaining(words)]);
  });

  it('removes a secret', async () => {
    expect(await run(['remove', 'CRM_SECRET'])).toMatchObject({ status: 0, out: 'removed   CRM_SECRET\n' });
    expect((await listed()).map(({ name }: { name: string }) => name)).toEqual(['STATEHOUSE_SMTP_URL']);
  });

  it('prints no value', () => {
    expect(printed).not.toMatch(/correct-horse|the value of a file/);
  });
});
