import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Opening the embedded database takes a second or two on a small machine, and files run side by side.
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
