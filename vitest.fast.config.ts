/**
 * The fast loop, `npm run test:fast`: the rooms that decide, and the main job through the whole app, on the embedded database alone.
 * No Postgres server, no browser, no process. What takes long has a place in `npm test` only.
 */
import { defineConfig } from 'vitest/config';
import everything from './vitest.config.ts';

const ROOMS = ['config', 'crypto', 'engine', 'lifecycles', 'machines', 'model', 'protocol', 'registration', 'system'];

export default defineConfig({
  test: {
    ...everything.test,
    include: [...ROOMS.map((room) => `test/unit/${room}/**/*.test.ts`), 'test/unit/http/main-job.test.ts'],
    // Each arm of each machine broken once, and files that are watched for changes: half of the time of all the others.
    exclude: ['test/unit/machines/mutation.test.ts', 'test/unit/config/live-configuration.test.ts'],
    globalSetup: ['test/support/embedded-template.ts'],
    // Most of the time goes into loading modules: files of a worker share them.
    isolate: false,
    provide: { databaseKinds: ['embedded'] },
  },
});
