/** The tests that Stryker asks about the mutants of a room. On Postgres alone: a second driver would ask everything twice. */
import { defineConfig } from 'vitest/config';
import everything from '../../vitest.config.ts';
import { rooms } from './rooms.ts';

export default defineConfig({
  root: process.cwd(),
  test: {
    ...everything.test,
    include: [...(rooms[process.env['MUTANTS_ROOM'] ?? '']?.tests ?? [])],
    provide: { databaseKinds: ['postgres'] },
  },
});
