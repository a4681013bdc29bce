/**
 * The fast loop, `npm run test:fast`: unit tests of the server on the embedded database alone. No Postgres server, no browser, no
 * process. What takes long, and what asks about Postgres or several nodes, has a place in `npm test` only.
 */
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { common, REPLACE_A_MODULE } from './vitest.config.ts';

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
  return /\('postgres'|createEmptyDatabase\(/.test(source) && !source.includes('databaseKinds');
});

const NOT_HERE = [
  ...NEED_POSTGRES,
  ...REPLACE_A_MODULE,
  // Start processes.
  'test/unit/storage/folder-lock.test.ts',
  // Take as long as all others together: every arm broken once, files that are watched, RSA keys, a hundred pages, many rows.
  'test/unit/machines/mutation.test.ts',
  'test/unit/config/live-configuration.test.ts',
  'test/unit/storage/{concurrent-requests,migrations,repair-ledger-default,signing-keys}.test.ts',
  'test/unit/http/{issuer,permissions,signing-keys}.test.ts',
  // Open a database and an app for each test.
  'test/unit/http/{account*,e-mail,full-mail-queue,hostile-authenticators,logout,lost-factors,passkey-after-password}.test.ts',
  'test/unit/http/{second-factor,sign-in-capacity,sign-in-ledger}.test.ts',
];

export default defineConfig({
  test: {
    ...common,
    include: ROOMS.map((room) => `test/unit/${room}/**/*.test.ts`),
    exclude: NOT_HERE,
    globalSetup: ['test/support/embedded-template.ts'],
    // Most of the time goes into loading modules: files of a worker share them.
    isolate: false,
    maxWorkers: availableParallelism(),
    provide: { databaseKinds: ['embedded'] },
  },
});
