/** The shipped folders are found wherever the installation is. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'my projects ü % '));
afterAll(() => rmSync(folder, { recursive: true }));

it('the shipped folders are found in a folder whose name a URL would escape', () => {
  symlinkSync(resolve('.'), join(folder, 'statehouse'));
  const under = (path: string) => JSON.stringify(pathToFileURL(join(folder, 'statehouse', path)).href);
  const program = `
    const { MIGRATIONS_FOLDER } = await import(${under('src/storage/database.ts')});
    const { readEnvironment } = await import(${under('src/config/environment.ts')});
    const { existsSync } = await import('node:fs');
    const folders = [MIGRATIONS_FOLDER, readEnvironment({}).configFolder];
    console.log(JSON.stringify(folders.map((path) => [path, existsSync(path)])));`;
  const found = execFileSync(process.execPath, ['--preserve-symlinks', '--input-type=module', '--eval', program], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect(JSON.parse(found)).toEqual([
    [join(folder, 'statehouse/drizzle'), true],
    [join(folder, 'statehouse/policies'), true],
  ]);
});
