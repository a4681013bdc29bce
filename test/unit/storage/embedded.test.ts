/** The embedded database of a folder. Tests of behaviour that both drivers share are in other files. */
import { existsSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { expect, onTestFinished, test } from 'vitest';
import { wordsFor } from '../../../src/cli/failure-words.ts';
import { FolderDamaged } from '../../../src/storage/damaged-folder.ts';
import { openEmbedded } from '../../../src/storage/embedded.ts';
import { FolderInUse, lockFolder } from '../../../src/storage/folder-lock.ts';
import { giveDatabase } from '../../support/embedded-folder.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'statehouse-embedded-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('an embedded database lives in its folder, which is locked until it is closed', async () => {
  const folder = newFolder();
  const { kind, drizzle, close } = await openEmbedded(folder);
  expect(kind).toBe('embedded');
  expect(() => lockFolder(folder)).toThrow(FolderInUse);
  await close();
  await expect(drizzle.execute(sql`select 1`)).rejects.toThrow();
  expect(() => lockFolder(folder)()).not.toThrow();
  expect(existsSync(join(folder, 'database', 'PG_VERSION'))).toBe(true);
});

test('an embedded database that cannot be opened releases its folder, and reports the cause', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'database'), 'no database');
  await expect(openEmbedded(folder)).rejects.toThrow('is damaged: it is not a folder.');
  expect(() => lockFolder(folder)()).not.toThrow();
});

test.each<[string, (database: string) => void, string]>([
  ['PG_VERSION is gone', (at) => rmSync(join(at, 'PG_VERSION')), 'the file PG_VERSION is missing'],
  [
    'another Postgres made it',
    (at) => writeFileSync(join(at, 'PG_VERSION'), '16\n'),
    'PG_VERSION says "16", expected 18',
  ],
  ['pg_control is gone', (at) => rmSync(join(at, 'global/pg_control')), 'the file global/pg_control is missing'],
  ['pg_control is empty', (at) => truncateSync(join(at, 'global/pg_control')), 'global/pg_control has 0 bytes'],
  [
    'the write-ahead log is gone',
    (at) => rmSync(join(at, 'pg_wal'), { recursive: true }),
    'the folder pg_wal is missing',
  ],
  [
    'the write-ahead log is empty',
    (at) => {
      for (const file of readdirSync(join(at, 'pg_wal')))
        if (file.startsWith('0')) truncateSync(join(at, 'pg_wal', file));
    },
    'Postgres cannot start with what is in it',
  ],
  [
    'tables are overwritten',
    (at) => {
      const tables = join(at, 'base/5');
      for (const file of readdirSync(tables))
        if (/^\d+$/.test(file)) writeFileSync(join(tables, file), Buffer.alloc(8192, 9));
    },
    'Postgres cannot start with what is in it',
  ],
])('a damaged embedded database is neither opened nor overwritten: %s', async (_, damage, words) => {
  const folder = newFolder();
  giveDatabase(folder);
  const database = join(folder, 'database');
  damage(database);
  const before = readdirSync(database).toSorted();
  const failure = await openEmbedded(folder).then(
    () => new Error('opened'),
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(FolderDamaged);
  expect(wordsFor(failure, {})).toContain(`The embedded database in ${database} is damaged: ${words}`);
  expect(wordsFor(failure, {})).not.toMatch(/^\s+at /m);
  expect(readdirSync(database).filter((name) => !before.includes(name) && name !== 'postmaster.pid')).toEqual([]);
  expect(() => lockFolder(folder)()).not.toThrow();
});
