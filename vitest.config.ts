/** Everything: on a real PostgreSQL and on the embedded database, with a browser. For the fast loop: vitest.fast.config.ts. */
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** The only time limit that tests have. It ends what hangs; a slow machine stays far below it. */
export const HANGS_MILLISECONDS = 15 * 60_000;

/** What every test file gets, in each configuration. */
export const common = {
  setupFiles: ['test/support/patience.ts'],
  testTimeout: HANGS_MILLISECONDS,
  hookTimeout: HANGS_MILLISECONDS,
  teardownTimeout: HANGS_MILLISECONDS,
};

/** They replace a module, which files that share a worker would share too. */
export const REPLACE_A_MODULE = globSync('test/unit/**/*.test.ts').filter((file) =>
  readFileSync(file, 'utf8').includes('vi.mock('),
);

/** Loading modules takes longer than most files: those that neither replace modules nor start processes share their workers. */
const SHARING = ['test/{unit,property,model}/**/*.test.ts'];

export default defineConfig({
  test: {
    ...common,
    globalSetup: ['test/support/postgres-template.ts', 'test/support/embedded-template.ts'],
    provide: { databaseKinds: ['postgres', 'embedded'] },
    // Tests wait for Postgres as often as they compute: as many workers as there are cores, and never only one.
    maxWorkers: Math.max(2, availableParallelism()),
    projects: [
      { test: { ...common, name: 'alone', include: ['test/**/*.test.ts'], exclude: SHARING } },
      { test: { ...common, name: 'alone too', include: REPLACE_A_MODULE } },
      { test: { ...common, name: 'sharing', include: SHARING, exclude: REPLACE_A_MODULE, isolate: false } },
    ],
  },
});
