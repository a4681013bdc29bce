/** The embedded database of a folder. What belongs to any driver is asked of both elsewhere. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { expect, onTestFinished, test } from 'vitest';
import { openEmbedded } from '../../../src/storage/embedded.ts';
import { FolderInUse, lockFolder } from '../../../src/storage/folder-lock.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'statehouse-embedded-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('lives in its folder, which is locked until it is closed', async () => {
  const folder = newFolder();
  const { kind, drizzle, close } = await openEmbedded(folder);
  expect(kind).toBe('embedded');
  expect(() => lockFolder(folder)).toThrow(FolderInUse);
  await close();
  await expect(drizzle.execute(sql`select 1`)).rejects.toThrow();
  expect(() => lockFolder(folder)()).not.toThrow();
  expect(existsSync(join(folder, 'database', 'PG_VERSION'))).toBe(true);
});

test('that cannot be opened gives its folder back, and says why', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'database'), 'no database');
  await expect(openEmbedded(folder)).rejects.toThrow();
  expect(() => lockFolder(folder)()).not.toThrow();
});
