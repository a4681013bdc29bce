/** `statehouse-token-keeper` as a client gets it: from the archive that npm packs, below node_modules, in plain JavaScript. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outputOf, startChild } from '../support/child-process.ts';

const ROOT = join(import.meta.dirname, '../..');
const REFRESHES = 5;

describe('the package statehouse-token-keeper', () => {
  let folder: string;
  const run = (program: string, args: readonly string[]): string =>
    execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'statehouse-keeper-'));
    execFileSync(process.execPath, [join(ROOT, '.ci/pack-token-keeper.ts'), folder], { stdio: 'pipe' });
    const [packed = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    run('tar', ['-xzf', packed]);
    mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
    run('mv', ['package', 'node_modules/statehouse-token-keeper']);
    symlinkSync(join(ROOT, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'), 'dir');
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('has no dependency, and nothing but code, types, license and a page', () => {
    const installed = join(folder, 'node_modules/statehouse-token-keeper');
    expect(readdirSync(installed).toSorted()).toEqual([
      ...['LICENSE', 'README.md', 'package.json'],
      ...['token-file.d.ts', 'token-file.js', 'token-keeper.d.ts', 'token-keeper.js'],
    ]);
  });

  it('gives two processes that share a file a token of their own at each refresh', async () => {
    writeFileSync(
      join(folder, 'agent.js'),
      `import { tokenKeeper } from 'statehouse-token-keeper';
      import { tokenFile } from 'statehouse-token-keeper/file';
      const store = tokenFile('tokens');
      // Each token is the successor of the one that was presented, and due.
      const keeper = tokenKeeper(store, async (presented) => {
        const next = String(Number(presented) + 1);
        return { accessToken: next, refreshToken: next, expiresAt: 0 };
      });
      for (let time = 0; time < ${REFRESHES}; time++) console.log(await keeper.accessToken());`,
    );
    writeFileSync(
      join(folder, 'begin.js'),
      `import { tokenFile } from 'statehouse-token-keeper/file';
      await tokenFile('tokens').write({ accessToken: '0', refreshToken: '0', expiresAt: 0 });`,
    );
    run(process.execPath, ['begin.js']);
    const agents = [1, 2].map(() => {
      const child = startChild(process.execPath, ['agent.js'], { cwd: folder });
      return { child, output: outputOf(child) };
    });
    await Promise.all(agents.map(({ child }) => once(child, 'exit')));
    const tokens = agents.flatMap(({ output }) => output().trim().split('\n')).map(Number);
    expect(tokens.toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 2 * REFRESHES }, (_, index) => index + 1),
    );
  });

  it('has types that a strict compiler accepts', () => {
    writeFileSync(
      join(folder, 'typed.ts'),
      `import { type Store, tokenKeeper, type Tokens } from 'statehouse-token-keeper';
      import { tokenFile } from 'statehouse-token-keeper/file';
      const store: Store = tokenFile('tokens');
      const refresh = async (refreshToken: string): Promise<Tokens | null> =>
        refreshToken === '' ? null : { accessToken: 'a', refreshToken, expiresAt: 0 };
      export const token: Promise<string | null> = tokenKeeper(store, refresh).accessToken();`,
    );
    const compilerOptions = { module: 'nodenext', target: 'es2024', strict: true, noEmit: true, skipLibCheck: false };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['typed.ts'] }));
    expect(run(join(ROOT, 'node_modules/.bin/tsc'), ['--project', 'tsconfig.json'])).toBe('');
  });
});
