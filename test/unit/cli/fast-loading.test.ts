/** The fast loader loads the same modules. */
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { outputOf, preload, startChild } from '../../support/child-process.ts';

const root = join(import.meta.dirname, '../../..');
const url = (file: string) => pathToFileURL(join(root, file)).href;

type Recorded = {
  /** Specifier, importer, result. */
  readonly found: readonly string[];
  /** Imports inside the package that Node itself resolved. */
  readonly resolvedByNode: number;
};

/** Registered before the hook, so it sees what the hook leaves to Node. */
const COUNT = preload(`
  import { registerHooks } from 'node:module';
  globalThis.resolvedByNode = 0;
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL = '', conditions } = context;
      const isInside = specifier.startsWith('.') && parentURL.includes('/node_modules/drizzle-orm/');
      if (isInside && conditions.includes('import')) globalThis.resolvedByNode += 1;
      return next(specifier, context);
    },
  });
`);
/** Registered after the hook, so it sees what the hook answers. Then loads all of the package that the server needs, and more. */
const LOAD = preload(`
  import { createRequire, registerHooks } from 'node:module';
  const found = new Set();
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      found.add([specifier, context.parentURL, resolved.url, resolved.format].join(' '));
      return resolved;
    },
  });
  for (const file of ${JSON.stringify(globSync('src/storage/**/*.ts', { cwd: root }).map(url))}) await import(file);
  createRequire(${JSON.stringify(url('src/storage/schema.ts'))})('drizzle-orm/pg-core');
  const { resolvedByNode } = globalThis;
  process.stdout.write(JSON.stringify({ found: [...found].sort(), resolvedByNode }));
`);

async function load(...hook: readonly string[]): Promise<Recorded> {
  const args = [...COUNT, ...hook, ...LOAD, '--eval', ''];
  const child = startChild(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = outputOf(child);
  await once(child, 'close');
  if (child.exitCode !== 0) throw new Error(output());
  return JSON.parse(output());
}

it('each module is the file that Node would find, and those inside drizzle-orm need no lookup', async () => {
  const [fast, plain] = await Promise.all([load('--import', url('src/cli/fast-loading.js')), load()]);
  expect(fast.found).toEqual(plain.found);
  expect(plain.resolvedByNode).toBeGreaterThan(100);
  expect(fast.resolvedByNode).toBe(0);
});
