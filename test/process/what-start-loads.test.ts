/** The modules that a start loads, and above all those that it does not: every package costs time, memory and trust. */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { outputOf, preload, START, startChild } from '../support/child-process.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const MARK = 'loaded: ';

/** Of a start in production whose database is not there, which is found out after everything was loaded. */
async function loadedAtStart(): Promise<string[]> {
  const telling = preload(`
    import { registerHooks } from 'node:module';
    import { writeSync } from 'node:fs';
    registerHooks({
      load(url, context, next) {
        if (url.startsWith('file:')) writeSync(2, '${MARK}' + url + '\\n');
        return next(url, context);
      },
    });
  `);
  const env = {
    PATH: process.env['PATH'],
    NODE_ENV: 'production',
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    STATEHOUSE_ISSUER: 'https://issuer.example',
    STATEHOUSE_SECRET: 'a-secret-of-more-than-32-characters-for-a-test',
  };
  const server = startChild(process.execPath, [...telling, ...START], { env });
  const output = outputOf(server);
  await once(server, 'close');
  expect(output()).toContain('The database cannot be reached');
  return output()
    .split('\n')
    .filter((line) => line.startsWith(MARK))
    .map((line) => relative(ROOT, fileURLToPath(line.slice(MARK.length))));
}

/** The table of docs/dependencies.md, which says why each is loaded. */
function loadedAccordingToDocs(): string[] {
  const text = readFileSync(new URL('docs/dependencies.md', `file://${ROOT}`), 'utf8');
  const [, section = ''] = text.split('## What a start loads');
  return [...section.matchAll(/^\| `([^`]+)` \| \S.* \|$/gm)].map(([, name = '']) => name);
}

it('a start in production loads these packages and rooms, and no others', async () => {
  const loaded = await loadedAtStart();
  const packages = new Set(loaded.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []));
  const rooms = new Set(
    loaded
      .filter((path) => !path.includes('node_modules/'))
      .flatMap((path) => /^(src\/[^/]+|[^/]+)\//.exec(path)?.[1] ?? [])
      .toSorted(),
  );
  // argon2 has a package for each platform.
  const everywhere = [...packages].filter((name) => !name.startsWith('@node-rs/argon2-')).toSorted();
  expect(loadedAccordingToDocs()).toEqual([...rooms, ...everywhere]);
  for (const name of [
    '@electric-sql/pglite',
    'pino-pretty',
    'ajv',
    '@fastify/ajv-compiler',
    '@hpcc-js/wasm-graphviz',
  ]) {
    expect([...packages], name).not.toContain(name);
  }
  const commands = loaded.filter((path) => path.startsWith('src/cli/'));
  expect(commands.toSorted()).toEqual([
    'src/cli/cli.ts',
    'src/cli/command.ts',
    // Why it could not start.
    'src/cli/failure-words.ts',
    'src/cli/failure.ts',
    'src/cli/fast-loading.js',
    'src/cli/input.ts',
    'src/cli/main.ts',
    'src/cli/output.ts',
    'src/cli/program.ts',
    'src/cli/start.ts',
    'src/cli/statehouse.js',
  ]);
  expect(loaded.filter((path) => path.includes('playground'))).toEqual([]);
  // Walks belong to the model check.
  expect(loaded.filter((path) => /^src\/lifecycles\/[^/]+\/walk/.test(path))).toEqual([]);
  // Handlers are loaded for the first request (docs/decisions/0069).
  expect(loaded.filter((path) => path.startsWith('src/console/')).toSorted()).toEqual([
    'src/console/client.ts',
    'src/console/route-names.ts',
    'src/console/routes.ts',
  ]);
  expect(loaded.filter((path) => path.startsWith('src/management/')).toSorted()).toEqual([
    'src/management/addresses.ts',
    'src/management/api.ts',
    'src/management/early-refusals.ts',
    'src/management/operations.ts',
    'src/management/other-methods.ts',
    'src/management/partly-stored.ts',
    'src/management/precondition.ts',
    'src/management/problem.ts',
    'src/management/public-document.ts',
    'src/management/public-pages.ts',
    'src/management/refusal.ts',
    'src/management/request-quota.ts',
    'src/management/routes.ts',
    'src/management/scopes.ts',
    'src/management/send.ts',
    'src/management/who.ts',
  ]);
  expect(loaded.filter((path) => path.startsWith('src/http/account/')).toSorted()).toEqual([
    'src/http/account/route-names.ts',
    'src/http/account/sections.ts',
  ]);
  expect(loaded.filter((path) => /^src\/http\/(email-(pages|routes)|mail|views\/email)/.test(path))).toEqual([]);
  expect(loaded.filter((path) => path.startsWith('src/http/words/'))).toEqual(['src/http/words/languages.ts']);
});
