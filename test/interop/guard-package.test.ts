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
const STRICT = {
  ...{ module: 'nodenext', target: 'es2022', strict: true, exactOptionalPropertyTypes: true },
  ...{ noEmit: true, skipLibCheck: false },
};
type Manifest = {
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies: object;
  readonly peerDependencies: object;
  readonly peerDependenciesMeta: object;
};
const manifest = (path: string) => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Manifest;

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
    // Its dependency, as npm would put it beside it.
    symlinkSync(join(ROOT, 'node_modules/jose'), join(modules, 'jose'), 'dir');
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const install = (...names: readonly string[]) => {
    for (const name of names) {
      mkdirSync(join(folder, 'node_modules', name, '..'), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name), 'dir');
    }
  };
  const compiled = (name: string, text: string, options: object): string => {
    writeFileSync(join(folder, `${name}.ts`), text);
    const config = { compilerOptions: { ...STRICT, ...options }, files: [`${name}.ts`] };
    writeFileSync(join(folder, `tsconfig.${name}.json`), JSON.stringify(config));
    return run(join(ROOT, 'node_modules/.bin/tsc'), ['--project', `tsconfig.${name}.json`], folder);
  };

  it('loads with jose alone, in plain JavaScript, with import and with require', () => {
    const program = `
      const guard = createGuard({ issuer: 'http://localhost', resource: 'https://api.example' });
      guard.check({ headers: { authorization: 'Bearer a.b.c' } }, { scopes: ['read'] }).then((outcome) =>
        process.stdout.write(outcome.status + ' ' + outcome.reason));
    `;
    writeFileSync(join(folder, 'api.mjs'), `import { createGuard } from 'statehouse/guard';${program}`);
    writeFileSync(join(folder, 'api.cjs'), `const { createGuard } = require('statehouse/guard');${program}`);
    for (const file of ['api.mjs', 'api.cjs'])
      expect(run(process.execPath, [file], folder)).toBe('401 token_malformed');
  });

  it('has an entry point for each framework, and needs none of the others for it', () => {
    const entries = Object.keys(manifest(ROOT).exports).map((path) => path.replace('.', 'statehouse'));
    expect(Object.keys(manifest(installed).exports)).toEqual(Object.keys(manifest(ROOT).exports));
    const frameworks = entries.filter((path) => path.startsWith('statehouse/guard/') && !path.endsWith('/nestjs'));
    expect(frameworks.length).toBeGreaterThan(6);
    const all = `Promise.all(${JSON.stringify(frameworks)}.map((path) => import(path)))`;
    const program = `${all}.then((all) => process.stdout.write(all.flatMap(Object.keys).toSorted().join(' ')))`;
    expect(run(process.execPath, ['--eval', program], folder)).toBe(
      'authInfoOf expressGuard fastifyGuard fetchGuard honoGuard lambdaGuard mcpGuard refusalOf upgradeGuard',
    );
  });

  it('depends on jose alone, in the version of the server, and on no code of the server', () => {
    const { dependencies, peerDependencies, peerDependenciesMeta } = manifest(installed);
    expect(dependencies).toEqual({ jose: (manifest(ROOT).dependencies as { jose: string }).jose });
    expect(peerDependencies).toEqual({ '@nestjs/common': '12', express: '4 || 5', fastify: '5', hono: '4' });
    const optional = Object.keys(peerDependencies).map((name) => [name, { optional: true }]);
    expect(peerDependenciesMeta).toEqual(Object.fromEntries(optional));
    expect(readdirSync(installed).toSorted()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  });

  it('uses nothing of Node, outside the guards of frameworks that run in Node alone', () => {
    const text = `
      import { createGuard } from 'statehouse/guard';
      import { fetchGuard } from 'statehouse/guard/fetch';
      import { lambdaGuard } from 'statehouse/guard/lambda';
      const guard = createGuard({ issuer: 'https://login.example', resource: 'https://api.example' });
      export const { requires } = fetchGuard(guard);
      export const { authorizer } = lambdaGuard(guard);
      export default { fetch: requires({ scopes: ['read'] }, (_request, access) => Response.json(access)) };`;
    expect(compiled('worker', text, { types: [], lib: ['es2022', 'webworker'] })).toBe('');
    const built = readdirSync(join(installed, 'dist')).filter((name) => name.endsWith('.js'));
    for (const name of built) {
      const code = readFileSync(join(installed, 'dist', name), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^ *\/\/.*$/gm, '');
      expect(code, name).not.toMatch(/node:|\b(Buffer|process|require|setImmediate)\b/);
    }
  });

  it('leaves no build output in the repository', () => {
    for (const built of ['dist', 'LICENSE']) expect(existsSync(join(ROOT, 'src/guard', built)), built).toBe(false);
    expect(manifest(join(ROOT, 'src/guard')).peerDependencies).toEqual({ fastify: '5' });
  });

  it('exports no other path', () => {
    const program = `import('statehouse/src/http/app.ts').catch((error) => process.stdout.write(error.code))`;
    expect(run(process.execPath, ['--eval', program], folder)).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  it('has types that a strict compiler accepts, with all of their imports', () => {
    install('@types/node', 'fastify', 'express', '@types/express', 'hono', '@nestjs/common', 'zod', 'ws', '@types/ws');
    install('rxjs', 'reflect-metadata');
    const text = `
      import { createServer } from 'node:http';
      import express from 'express';
      import fastify from 'fastify';
      import { Hono } from 'hono';
      import { type Access, createGuard, type Outcome } from 'statehouse/guard';
      import { expressGuard } from 'statehouse/guard/express';
      import { fastifyGuard } from 'statehouse/guard/fastify';
      import { fetchGuard } from 'statehouse/guard/fetch';
      import { honoGuard } from 'statehouse/guard/hono';
      import { mcpGuard } from 'statehouse/guard/mcp';
      import { nestGuard } from 'statehouse/guard/nestjs';
      import { upgradeGuard } from 'statehouse/guard/websocket';
      import { WebSocketServer } from 'ws';
      import { z } from 'zod';

      declare module 'statehouse/guard/fastify' {
        interface GuardClaims { roles: string[] }
      }
      const claims = z.object({ roles: z.array(z.string()) });
      const options = { issuer: 'https://login.example', resource: 'https://api.example', claims };
      const guard = createGuard(options);
      const needs = { scopes: ['read'] };
      const server = createServer(async (request, response) => {
        const outcome: Outcome = await guard.check(request, { scopes: ['read'] });
        response.end(outcome.kind === 'granted' ? outcome.access.subject : outcome.reason);
      });
      await guard.check(new Request('https://api.example'), { scopes: [] });
      const app = fastify();
      await app.register(fastifyGuard, options);
      app.get('/', { config: { scopes: ['read'] } }, ({ access }): Access | null => access);
      app.get('/roles', { config: { scopes: ['read'] } }, ({ access }): string[] | undefined => access?.claims.roles);

      const web = express();
      web.use(expressGuard(guard).metadata, express.json(), mcpGuard(guard, { ...needs, tools: { add: ['write'] } }).protect);
      web.get('/:id', expressGuard(guard).requires(needs), (request, response) => {
        const roles: string[] = response.locals.access.claims.roles;
        response.json({ roles, id: request.params['id'] });
      });
      new Hono().get('/', honoGuard(guard).requires(needs), (context) => {
        const roles: string[] = context.var.access.claims.roles;
        return context.json(roles);
      });
      fetchGuard(guard).requires(needs, (_request, access): Response => Response.json(access.claims.roles satisfies string[]));
      const sockets = new WebSocketServer({ noServer: true });
      server.on('upgrade', upgradeGuard(guard).requires(needs, (request, socket, head, access) => {
        const roles: string[] = access.claims.roles;
        sockets.handleUpgrade(request, socket, head, (open) => open.send(roles[0] ?? ''));
      }));
      const { Requires } = nestGuard(guard);
      @Requires(needs)
      class Photos {
        @Requires(needs)
        list() {}
      }
      new Photos().list();

      // @ts-expect-error a check says what the request takes
      await guard.check(new Request('https://api.example'));
      // @ts-expect-error resource is missing
      await app.register(fastifyGuard, { issuer: 'https://login.example' });
      // @ts-expect-error scopes are a list
      app.get('/x', { config: { scopes: 'read' } }, () => '');
      // @ts-expect-error scopes are a list
      expressGuard(guard).requires({ scopes: 'read' });`;
    // Hono's own types need those of a browser.
    const lib = ['es2022', 'dom', 'dom.iterable'];
    expect(compiled('api', text, { types: ['node'], experimentalDecorators: true, lib })).toBe('');
  }, 60_000);
});
