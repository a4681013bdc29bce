/** Everything: on a real PostgreSQL and on the embedded database, with a browser. For the fast loop: vitest.fast.config.ts. */
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import SlowestFirst from './test/support/slowest-first.ts';
import { unchangedSuites } from './test/support/unchanged.ts';

/** The only time limit that tests have. It ends what hangs; a slow machine stays far below it. */
export const HANGS_MILLISECONDS = 15 * 60_000;

/** What every test file gets, in each configuration. */
export const common = {
  setupFiles: ['test/support/patience.ts'],
  // Workers load packages as the program does: drizzle-orm alone would take each half a second.
  execArgv: ['--import', new URL('src/cli/fast-loading.js', import.meta.url).href],
  testTimeout: HANGS_MILLISECONDS,
  hookTimeout: HANGS_MILLISECONDS,
  teardownTimeout: HANGS_MILLISECONDS,
};

/** Node itself loads their modules, as it loads the program's, and keeps what it compiled. */
export const loadedByNode = { ...common, experimental: { viteModuleRunner: false, nodeLoader: false } };

const sourceOf = (file: string) => readFileSync(file, 'utf8');

/** They replace a module, which files that share a worker would share too. Vite loads their modules, since Node cannot replace one. */
export const REPLACE_A_MODULE = globSync('test/unit/**/*.test.ts').filter((file) =>
  sourceOf(file).includes('vi.mock('),
);
/** What was started for a file ends with its worker. */
export const START_PROCESSES = globSync('test/**/*.test.ts').filter((file) =>
  /\/(child|server)-process\.ts'|'\.\/(operator|run)\.ts'/.test(sourceOf(file)),
);
/** They keep hundreds of megabytes until their worker ends, which everything after them would carry along. */
const REMEMBER_MUCH = ['test/unit/{machines,review}/mutation.test.ts', 'test/unit/review/drawing/drawings.test.ts'];

const UNCHANGED = [...unchangedSuites(process.argv.slice(2))];
if (UNCHANGED.length > 0) {
  process.stderr.write(
    `Left out, since nothing that they depend on has changed since they passed: ${UNCHANGED.join(', ')}. All of them: npm run test:mutants\n`,
  );
}

/** All others share their workers: loading modules takes longer than most files. */
const FOR_THEMSELVES = [...START_PROCESSES, ...REMEMBER_MUCH];
export const ALONE = [...REPLACE_A_MODULE, ...FOR_THEMSELVES];

export default defineConfig({
  test: {
    ...common,
    globalSetup: ['test/support/postgres-template.ts', 'test/support/embedded-template.ts'],
    provide: { databaseKinds: ['postgres', 'embedded'] },
    // Tests wait for Postgres, browsers and processes: with a worker more than there are cores, no core is idle meanwhile.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: SlowestFirst },
    projects: [
      { test: { ...common, name: 'replacing', include: REPLACE_A_MODULE } },
      { test: { ...loadedByNode, name: 'alone', include: FOR_THEMSELVES, exclude: UNCHANGED } },
      {
        test: {
          ...loadedByNode,
          name: 'sharing',
          include: ['test/**/*.test.ts'],
          exclude: [...ALONE, ...UNCHANGED],
          isolate: false,
        },
      },
    ],
  },
});
