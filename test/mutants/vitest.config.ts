/** The tests that Stryker asks about the mutants of a room. On Postgres alone: a second driver would ask everything twice. */
import { defineConfig } from 'vitest/config';
import { common } from '../../vitest.config.ts';
import { rooms } from './rooms.ts';

export default defineConfig({
  root: process.cwd(),
  test: {
    ...common,
    setupFiles: [...common.setupFiles, 'test/mutants/same-seed.ts'],
    include: [...(rooms[process.env['MUTANTS_ROOM'] ?? '']?.tests ?? [])],
    globalSetup: ['test/support/postgres-template.ts', 'test/support/embedded-template.ts'],
    provide: { databaseKinds: ['postgres'] },
  },
});
