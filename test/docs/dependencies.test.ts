/** docs/dependencies.md: the purpose of each package of a production installation, and their number. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

type Package = { dev?: true; devOptional?: true; os?: string[]; cpu?: string[]; libc?: string[] };
const page = read('docs/dependencies.md');
const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Package> };

it('docs/dependencies.md states the purpose of each direct dependency', () => {
  const rows = [...page.matchAll(/^\| `([^`]+)` \| (.+) \| (.+) \|$/gm)];
  expect(rows.map(([, name]) => name)).toEqual(Object.keys(dependencies).toSorted());
});

it('docs/dependencies.md states the correct maximum of packages per platform', () => {
  const [, most] = /at most (\d+) packages/.exec(page) ?? [];
  const installs = (wanted: readonly string[] | undefined, one: string) => !wanted || wanted.includes(one);
  const installed = (os: string, cpu: string, libc: string) =>
    Object.entries(packages).filter(
      ([path, one]) =>
        path.includes('node_modules/') &&
        !one.dev &&
        installs(one.os, os) &&
        installs(one.cpu, cpu) &&
        (os !== 'linux' || installs(one.libc, libc)),
    ).length;
  const counts = [
    installed('linux', 'x64', 'glibc'),
    installed('linux', 'arm64', 'musl'),
    installed('darwin', 'arm64', ''),
    installed('win32', 'x64', ''),
  ];
  expect(Math.max(...counts)).toBeLessThanOrEqual(Number(most));
  // Counted as npm itself does: as many packages as are installed here.
  expect(Math.min(...counts)).toBeGreaterThan(100);
});
