/** Suites on a cluster of Citus, which `CITUS_PATH` names (test/cluster/README.md): `npm run test:cluster`. */
import { defineConfig } from 'vitest/config';
import SlowestFirst from './test/support/slowest-first.ts';
import { ALONE, common } from './vitest.config.ts';

const SUITES = [
  'test/{cluster,race,property,model}/**/*.test.ts',
  'test/unit/{console,http,management,people}/**/*.test.ts',
  'test/unit/cli/{explain,users}.test.ts',
  'test/unit/storage/{renew-row-macs,user-filters}.test.ts',
  'test/e2e/sign-in-and-consent.test.ts',
];

/** Titles of tests that only one Postgres can pass, each with the reason. */
const OF_ONE_POSTGRES = {
  'a PATCH of username and disabled when the database fails': 'a sequence of one Postgres counts the writes',
};

export default defineConfig({
  test: {
    ...common,
    testNamePattern: new RegExp(`^(?!.*(?:${Object.keys(OF_ONE_POSTGRES).join('|')}))`),
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
