/** Suites on a cluster of Citus, which `CITUS_PATH` names (test/cluster/README.md): `npm run test:cluster`. */
import { defineConfig } from 'vitest/config';
import SlowestFirst from './test/support/slowest-first.ts';
import { ALONE, common } from './vitest.config.ts';

const SUITES = [
  'test/{cluster,race,property,model}/**/*.test.ts',
  'test/unit/{http,people}/**/*.test.ts',
  'test/unit/cli/{explain,users}.test.ts',
  'test/unit/storage/user-filters.test.ts',
  'test/unit/management/user-lists.test.ts',
];

export default defineConfig({
  test: {
    ...common,
    globalSetup: ['test/cluster/template.ts', 'test/support/embedded-template.ts'],
    provide: { databaseKinds: ['postgres'] },
    maxWorkers: 2,
    sequence: { sequencer: SlowestFirst },
    projects: [
      { extends: true, test: { name: 'alone', include: ALONE, exclude: [] } },
      { extends: true, test: { name: 'sharing', include: SUITES, exclude: ALONE, isolate: false } },
    ],
  },
});
