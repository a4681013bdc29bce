/** The chaos suite in short: real nodes, a real Postgres, fewer chains than `npm run chaos`, and the same judge. */
import { expect, test } from 'vitest';
import { problemsOf, type Report, runScenarios } from './run.ts';
import { scenarios } from './scenarios.ts';

/** Shorter than the server's own, so that a silent connection is abandoned sooner; in the same order (test/unit/system/deadlines.test.ts). */
const DEADLINES = {
  databasePerRequestMilliseconds: 4000,
  databaseMilliseconds: 2000,
  statementMilliseconds: 1800,
  connectSeconds: 1.6,
};
const EXTENT = { nodes: 2, chains: 24, deadlines: DEADLINES };

/** Only more load, or longer load, distinguishes the others. */
const SHORT: ReadonlySet<string> = new Set([
  'node-killed',
  'node-paused',
  'database-killed',
  'read-only',
  'no-connections',
  'network-cut',
  'answers-lost',
  'clocks-apart',
  'root-secret-fbf',
  'failover-synchronous',
  'failover-asynchronous',
  'switchover',
]);

test('the server keeps every acknowledged change, and reports every failure clearly, under any fault', async () => {
  const chosen = scenarios.filter(({ name }) => SHORT.has(name));
  expect(chosen).toHaveLength(SHORT.size);
  const reports: Report[] = [];
  await runScenarios(chosen, EXTENT, (report) => void reports.push(report));
  const problems = Object.fromEntries(reports.map((report) => [report.scenario.name, problemsOf(report)]));
  expect(problems).toEqual(Object.fromEntries(chosen.map(({ name }) => [name, []])));
  // An asynchronous standby loses the entries that it had not received, as docs/deploying.md says.
  const behind = reports.find(({ scenario }) => scenario.name === 'failover-asynchronous');
  expect(behind?.verdict.forgotten).toBeGreaterThan(0);
  // Proof that the judge notices it, on a real database, where the promise excludes it.
  expect(behind?.strictly.problems.map(({ rule }) => rule)).toContain('what was acknowledged is stored');
});
