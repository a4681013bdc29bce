/**
 * The fast loop, `npm run test:fast`: what one process can ask, on the embedded database alone. No Postgres server, no browser, no
 * server process. It says nothing about several nodes, nor about Postgres: `npm test` does.
 */
import { defineConfig } from 'vitest/config';
import everything from './vitest.config.ts';

/** What a Postgres server is needed for, or another process. */
const NOT_HERE = [
  // Several nodes, or what only Postgres does.
  'test/unit/http/{log,signing-keys,round-trips}.test.ts',
  'test/unit/storage/{driver,many-at-once,migrations,plans}.test.ts',
  'test/unit/cli/{check-example,server}.test.ts',
  // Processes of their own.
  'test/unit/cli/launcher.test.ts',
  'test/unit/storage/folder-lock.test.ts',
];

export default defineConfig({
  test: {
    ...everything.test,
    include: ['test/unit/**/*.test.ts'],
    exclude: NOT_HERE,
    globalSetup: ['test/support/embedded-template.ts'],
    provide: { databaseKinds: ['embedded'] },
  },
});
