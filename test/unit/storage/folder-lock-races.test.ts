/** The lock of a folder where two processes meet, where the file system fails, and without a /proc that distinguishes processes. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { lockFolder } from '../../../src/storage/folder-lock.ts';

/** The event before the call; it may throw. */
type Before = {
  linkSync: (() => void) | null;
  renameSync: (() => void) | null;
  readFileSync: ((path: unknown) => void) | null;
};
const before = vi.hoisted((): Before => ({ linkSync: null, renameSync: null, readFileSync: null }));
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  return {
    ...real,
    linkSync: (...given: Parameters<typeof real.linkSync>) => {
      before.linkSync?.();
      real.linkSync(...given);
    },
    renameSync: (...given: Parameters<typeof real.renameSync>) => {
      before.renameSync?.();
      real.renameSync(...given);
    },
    readFileSync: (...given: Parameters<typeof real.readFileSync>) => {
      before.readFileSync?.(given[0]);
      return real.readFileSync(...given);
    },
  };
});

const failing = (code: string) => () => {
  throw Object.assign(new Error(code), { code });
};

let folder: string;
let lock: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'statehouse-lock-'));
  lock = join(folder, 'lock');
});
afterEach(() => {
  vi.restoreAllMocks();
  Object.assign(before, { linkSync: null, renameSync: null, readFileSync: null });
  rmSync(folder, { recursive: true, force: true });
});

const DEAD = 2 ** 22 + 1;
const lockOf = (pid: number, startedAt = '') => JSON.stringify({ pid, startedAt });
const inUseBy = (pid: number) => ({ name: 'FolderInUse', pid, message: expect.stringContaining(`process ${pid}.`) });
const failureOf = (): unknown => {
  try {
    lockFolder(folder)();
    return null;
  } catch (error) {
    return error;
  }
};

test('only its owner can read the lock', () => {
  const unlock = lockFolder(folder);
  expect(statSync(lock).mode & 0o777).toBe(0o600);
  unlock();
});

test('a lock of a folder that was removed meanwhile is released', () => {
  const unlock = lockFolder(folder);
  rmSync(folder, { recursive: true });
  expect(unlock).not.toThrow();
});

describe('the lock of a process that died', () => {
  test('that another process has just removed is free', () => {
    writeFileSync(lock, lockOf(DEAD));
    before.renameSync = () => rmSync(lock, { force: true });
    expect(failureOf()).toBeNull();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('that another process has just replaced by its own stays with that process', () => {
    // Without /proc, the only known fact of a process is that it runs.
    const theirs = lockOf(process.ppid);
    before.readFileSync = withoutProc;
    writeFileSync(lock, lockOf(DEAD));
    before.renameSync = () => writeFileSync(lock, theirs);
    expect(failureOf()).toMatchObject(inUseBy(process.ppid));
    expect(readFileSync(lock, 'utf8')).toBe(theirs);
    expect(readdirSync(folder)).toEqual(['lock']);
  });

  test.each(['EPERM', 'EROFS'])('stays where the file system cannot move it (%s), with an error', (code) => {
    writeFileSync(lock, lockOf(DEAD));
    before.renameSync = failing(code);
    expect(failureOf()).toMatchObject({ code });
    expect(readdirSync(folder)).toEqual(['lock']);
  });
});

test('a file system without hard links is reported, and no file is left behind', () => {
  before.linkSync = failing('EPERM');
  expect(failureOf()).toMatchObject({ code: 'EPERM' });
  expect(readdirSync(folder)).toEqual([]);
});

const withoutProc = (path: unknown): void => {
  if (String(path).startsWith('/proc/')) failing('ENOENT')();
};

describe('without a /proc that shows the start of a process', () => {
  beforeEach(() => {
    before.readFileSync = withoutProc;
  });

  test('a running process keeps its lock', () => {
    writeFileSync(lock, lockOf(process.ppid));
    expect(failureOf()).toMatchObject(inUseBy(process.ppid));
    expect(existsSync(lock)).toBe(true);
  });

  test('a running process of another user, which may not be signalled, keeps its lock', () => {
    vi.spyOn(process, 'kill').mockImplementation(failing('EPERM'));
    writeFileSync(lock, lockOf(DEAD));
    expect(failureOf()).toMatchObject(inUseBy(DEAD));
  });

  test('an ended process loses it', () => {
    writeFileSync(lock, lockOf(DEAD));
    expect(failureOf()).toBeNull();
  });

  test('a process that had the pid of this one has ended', () => {
    writeFileSync(lock, lockOf(process.pid));
    expect(failureOf()).toBeNull();
  });
});
