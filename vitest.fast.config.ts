/**
 * The fast loop, `npm run test:fast`: unit tests of the server on the embedded database alone. No Postgres server, no browser, no
 * process. What takes long, and what asks about Postgres or several nodes, has a place in `npm test` only.
 */
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

const NOT_HERE = [
  // Need a Postgres server.
  'test/unit/http/{client-endpoints,log,round-trips,signing-keys}.test.ts',
  'test/unit/storage/{database-writer,driver,housekeeping,ledger-seals,list-plans,many-at-once,migrations,plans,postgres,postgres-pool,repair-ledger-default,run-alone,runtime-role,what-is-alive-stays}.test.ts',
  // Starts processes.
  'test/unit/storage/folder-lock.test.ts',
  ...REPLACE_A_MODULE,
  // Take as long as all others together: every arm broken once, files that are watched, RSA keys, a hundred pages.
  'test/unit/machines/mutation.test.ts',
  'test/unit/config/live-configuration.test.ts',
  'test/unit/storage/signing-keys.test.ts',
  'test/unit/http/{issuer,permissions}.test.ts',
];

export default defineConfig({
  test: {
    ...common,
    include: ROOMS.map((room) => `test/unit/${room}/**/*.test.ts`),
    exclude: NOT_HERE,
    globalSetup: ['test/support/embedded-template.ts'],
    // Most of the time goes into loading modules: files of a worker share them.
    isolate: false,
    provide: { databaseKinds: ['embedded'] },
  },
});
