/**
 * The fast loop, `npm run test:fast`: unit tests of the server on the embedded database alone. No Postgres server, no browser, no
 * process. `.ci/run` begins with it.
 */
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { SECONDS } from './test/support/slowest-first.ts';
import { loadedByNode, REPLACE_A_MODULE, START_PROCESSES } from './vitest.config.ts';

const ROOMS = [
  'config',
  'crypto',
  'engine',
  'guard',
  'http',
  'lifecycles',
  'machines',
  'model',
  'policies',
  'protocol',
  'registration',
  'storage',
  'system',
];

/** They open a Postgres server. A file that does so for some of its cases asks `databaseKinds` first. */
const NEED_POSTGRES = globSync('test/unit/**/*.test.ts').filter((file) => {
  const source = readFileSync(file, 'utf8');
  return /createEmptyDatabase\(/.test(source) || (source.includes("('postgres'") && !source.includes('databaseKinds'));
});

const NOT_HERE = [...NEED_POSTGRES, ...REPLACE_A_MODULE, ...START_PROCESSES, ...Object.keys(SECONDS)];

export default defineConfig({
  test: {
    ...loadedByNode,
    include: ROOMS.map((room) => `test/unit/${room}/**/*.test.ts`),
    exclude: NOT_HERE,
    globalSetup: ['test/support/embedded-template.ts'],
    // Most of the time goes into loading modules: files of a worker share them.
    isolate: false,
    maxWorkers: availableParallelism() + 1,
    provide: { databaseKinds: ['embedded'] },
  },
});
