import { defineConfig } from 'vitest/config';

/** The only time limit that tests have. It ends what hangs; a slow machine stays far below it. */
const HANGS_MILLISECONDS = 15 * 60_000;

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/patience.ts'],
    provide: { databaseKinds: ['postgres', 'embedded'] },
    testTimeout: HANGS_MILLISECONDS,
    hookTimeout: HANGS_MILLISECONDS,
    teardownTimeout: HANGS_MILLISECONDS,
  },
});
