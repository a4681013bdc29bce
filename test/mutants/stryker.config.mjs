/** Stryker's settings for one room. test/mutants/run.ts sets the variables. */
const room = process.env.MUTANTS_ROOM;
/** Set for a sample alone. */
const drawn = process.env.MUTANTS_DRAWN;

export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner', ...(drawn ? ['./test/mutants/only-drawn.mjs'] : [])],
  ignorers: drawn ? ['only-drawn'] : [],
  vitest: { configFile: 'test/mutants/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  mutate: JSON.parse(process.env.MUTANTS_FILES),
  // Left out of the copy in which the mutants are made.
  ignorePatterns: ['.statehouse', 'test-results', 'coverage'],
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { reportTests: false, reportScoreTable: false, logTests: false },
  incremental: true,
  incrementalFile: `test-results/mutants/${room}.json`,
  tempDirName: `test-results/mutants/copy-of-${room}`,
  concurrency: Number(process.env.MUTANTS_AT_ONCE),
  // A mutant that hangs is killed by this; tests themselves have no time limit.
  timeoutMS: 60_000,
  // Of all tests of the room, before the first mutant.
  dryRunTimeoutMinutes: 60,
};
