import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openEmbedded } from '../../../src/storage/embedded.ts';
import { FolderInUse, lockFolder } from '../../../src/storage/folder-lock.ts';
import { killChild, startChild } from '../../support/child-process.ts';
import { giveDatabase } from '../../support/embedded-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'statehouse-lock-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** @returns the process, and what it said: `locked`, or the error's name. */
async function startHolder(): Promise<{ process: ChildProcess; said: string }> {
  const script = join(import.meta.dirname, 'folder-lock-holder.ts');
  const holder = startChild(process.execPath, [script, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [said] = await once(holder.stdout as Readable, 'data');
  return { process: holder, said: String(said).trim() };
}

test('a running holder rejects the next one, and names itself', async () => {
  const { process: holder, said } = await startHolder();
  expect(said).toBe('locked');
  expect(() => lockFolder(folder)).toThrow(FolderInUse);
  expect(() => lockFolder(folder)).toThrow(String(holder.pid));
});

test('a paused holder keeps its lock, however old the lock is', async () => {
  const { process: holder } = await startHolder();
  holder.kill('SIGSTOP');
  const longAgo = new Date(0);
  utimesSync(join(folder, 'lock'), longAgo, longAgo);
  expect(() => lockFolder(folder)).toThrow(FolderInUse);
});

test('the lock of a killed holder is taken over', async () => {
  const { process: holder } = await startHolder();
  await killChild(holder);
  const unlock = lockFolder(folder);
  expect((await startHolder()).said).toBe('FolderInUse');
  unlock();
});

test('one of many processes takes over the lock of a dead holder', async () => {
  const { process: holder } = await startHolder();
  await killChild(holder);
  const all = await Promise.all(Array.from({ length: 5 }, startHolder));
  expect(all.map(({ said }) => said).sort()).toEqual([...Array(4).fill('FolderInUse'), 'locked']);
});

test('a released lock is free, and leaves no file behind', async () => {
  lockFolder(folder)();
  expect(readdirSync(folder)).toEqual([]);
  expect((await startHolder()).said).toBe('locked');
});

test('the same process cannot hold it twice', () => {
  const unlock = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(FolderInUse);
  unlock();
  lockFolder(folder)();
});

test("a second release does not release the next holder's lock", async () => {
  const unlock = lockFolder(folder);
  unlock();
  expect((await startHolder()).said).toBe('locked');
  unlock();
  expect(() => lockFolder(folder)).toThrow(FolderInUse);
});

test.each([
  ['a process that has ended', JSON.stringify({ pid: 2 ** 22 + 1, startedAt: '1' })],
  ['a process whose pid another one has got since', JSON.stringify({ pid: process.ppid, startedAt: '1' })],
  ['another process with this pid, before a restart', JSON.stringify({ pid: process.pid, startedAt: '1' })],
  ['no process, since the power was lost while it was written', ''],
])('the lock of %s is taken over', (_, content) => {
  writeFileSync(join(folder, 'lock'), content);
  expect(() => lockFolder(folder)()).not.toThrow();
  expect(readdirSync(folder)).toEqual([]);
});

test('an embedded database belongs to one holder at a time', async () => {
  giveDatabase(folder);
  const database = await openEmbedded(folder);
  await expect(openEmbedded(folder)).rejects.toThrow(FolderInUse);
  await database.close();
  await (await openEmbedded(folder)).close();
});
