/** `statehouse/guard` as an API gets it: from the package that npm packs, below node_modules, where Node runs no TypeScript. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

describe('the package statehouse/guard', () => {
  let folder: string;
  let installed: string;
  const run = (program: string, args: readonly string[], cwd: string): string =>
    execFileSync(program, args, { cwd, encoding: 'utf8', stdio: 'pipe', env: { ...process.env, NODE_OPTIONS: '' } });

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'statehouse-package-'));
    const modules = join(folder, 'node_modules');
    installed = join(modules, 'statehouse');
    mkdirSync(join(modules, '@types'), { recursive: true });
    run('npm', ['pack', '--workspace', 'src/guard', '--pack-destination', folder], ROOT);
    const [packed = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    run('tar', ['-xzf', packed], folder);
    cpSync(join(folder, 'package'), installed, { recursive: true });
    // Its dependencies, as npm would put them beside it.
    for (const name of ['jose', 'fastify', '@types/node']) {
      symlinkSync(join(ROOT, 'node_modules', name), join(modules, name), 'dir');
    }
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('loads in plain JavaScript, with import and with require', () => {
    const program = `
      const guard = createGuard({ issuer: 'http://localhost', resource: 'https://api.example' });
      guard.check({ headers: { authorization: 'Bearer a.b.c' } }, { scopes: ['read'] }).then((outcome) =>
        process.stdout.write(outcome.status + ' ' + outcome.reason + ' ' + typeof fastifyGuard));
    `;
    writeFileSync(join(folder, 'api.mjs'), `import { createGuard, fastifyGuard } from 'statehouse/guard';${program}`);
    writeFileSync(
      join(folder, 'api.cjs'),
      `const { createGuard, fastifyGuard } = require('statehouse/guard');${program}`,
    );
    for (const file of ['api.mjs', 'api.cjs']) {
      expect(run(process.execPath, [file], folder)).toBe('401 token_malformed function');
    }
  });

  it('depends on jose alone, in the version of the server, and on no code of the server', () => {
    const manifest = (path: string) => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    const { dependencies, peerDependenciesMeta } = manifest(installed);
    expect(dependencies).toEqual({ jose: manifest(ROOT).dependencies.jose });
    expect(peerDependenciesMeta).toEqual({ fastify: { optional: true } });
    expect(readdirSync(installed).toSorted()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  });

  it('leaves no build output in the repository', () => {
    for (const built of ['dist', 'LICENSE']) expect(existsSync(join(ROOT, 'src/guard', built)), built).toBe(false);
  });

  it('exports no other path', () => {
    const program = `import('statehouse/src/http/app.ts').catch((error) => process.stdout.write(error.code))`;
    expect(run(process.execPath, ['--eval', program], folder)).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  it('has types that a strict compiler accepts, with all of their imports', () => {
    writeFileSync(
      join(folder, 'api.ts'),
      `import { createServer } from 'node:http';
      import fastify from 'fastify';
      import { type Access, createGuard, fastifyGuard, type Outcome } from 'statehouse/guard';

      const options = { issuer: 'https://login.example', resource: 'https://api.example' };
      const guard = createGuard(options);
      createServer(async (request, response) => {
        const outcome: Outcome = await guard.check(request, { scopes: ['read'] });
        response.end(outcome.kind === 'granted' ? outcome.access.subject : outcome.reason);
      });
      await guard.check(new Request('https://api.example'), { scopes: [] });
      const app = fastify();
      await app.register(fastifyGuard, options);
      app.get('/', { config: { scopes: ['read'] } }, ({ access }): Access | null => access);
      // @ts-expect-error a check says what the request takes
      await guard.check(new Request('https://api.example'));
      // @ts-expect-error resource is missing
      await app.register(fastifyGuard, { issuer: 'https://login.example' });
      // @ts-expect-error scopes are a list
      app.get('/x', { config: { scopes: 'read' } }, () => '');`,
    );
    const compilerOptions = {
      ...{ module: 'nodenext', target: 'es2022', strict: true, exactOptionalPropertyTypes: true },
      ...{ noEmit: true, skipLibCheck: false, types: ['node'] },
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['api.ts'] }));
    expect(run(join(ROOT, 'node_modules/.bin/tsc'), ['--project', folder], folder)).toBe('');
  });
});
