/** Everything: on a real PostgreSQL and on the embedded database, with a browser. For the fast loop: vitest.fast.config.ts. */
import { defineConfig } from 'vitest/config';

/** The only time limit that tests have. It ends what hangs; a slow machine stays far below it. */
export const HANGS_MILLISECONDS = 15 * 60_000;

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/postgres-template.ts', 'test/support/embedded-template.ts'],
    setupFiles: ['test/support/patience.ts'],
    provide: { databaseKinds: ['postgres', 'embedded'] },
    testTimeout: HANGS_MILLISECONDS,
    hookTimeout: HANGS_MILLISECONDS,
    teardownTimeout: HANGS_MILLISECONDS,
  },
});
