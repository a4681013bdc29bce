/** The archive is the commit that it names, wherever the history is here to compare it with. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LEFT_OUT, PACKED, released, unpackPreviousRelease } from './previous-release.ts';

const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

const hasCommit = (): boolean => {
  try {
    git('cat-file', '-e', `${released().commit}^{commit}`);
    return true;
  } catch {
    return false;
  }
};

/** As git names a file's content. */
const blobOf = (content: Buffer): string =>
  createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');

// A shallow clone, or an archive of the sources, has no history: nothing else depends on it.
it.skipIf(!hasCommit())('the package contains the files of the named commit, and no others', () => {
  const { folder, commit, remove } = unpackPreviousRelease();
  onTestFinished(remove);
  const packed = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => `${blobOf(readFileSync(path))} ${relative(folder, path)}`);
  const committed = git('ls-tree', '-r', '--full-tree', commit, '--', ...PACKED)
    .trim()
    .split('\n')
    .map((line) => line.replace(/^\S+ blob (\S+)\t/, '$1 '))
    .filter((line) => !line.endsWith(` ${LEFT_OUT}`));
  expect(packed.sort()).toEqual(committed.sort());
});
