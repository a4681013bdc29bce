/** The chaos suite in short: real nodes, a real Postgres, fewer chains than `npm run chaos`, and the same judge. */
import { expect, test } from 'vitest';
import { problemsOf, type Report, runScenarios } from './run.ts';
import { scenarios } from './scenarios.ts';

/** Shorter than the server's own, so that what is silent is given up sooner; in the same order (test/unit/system/deadlines.test.ts). */
const DEADLINES = {
  databasePerRequestMilliseconds: 4000,
  databaseMilliseconds: 2000,
  statementMilliseconds: 1800,
  connectSeconds: 1.6,
};
const EXTENT = { nodes: 2, chains: 24, deadlines: DEADLINES };

/** The others are told apart only by more load, or by longer. */
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

test('whatever happens, what was acknowledged is kept, and every failure is clear', async () => {
  const chosen = scenarios.filter(({ name }) => SHORT.has(name));
  expect(chosen).toHaveLength(SHORT.size);
  const reports: Report[] = [];
  await runScenarios(chosen, EXTENT, (report) => void reports.push(report));
  const told = Object.fromEntries(reports.map((report) => [report.scenario.name, problemsOf(report)]));
  expect(told).toEqual(Object.fromEntries(chosen.map(({ name }) => [name, []])));
  // What an asynchronous standby had not received was lost indeed, as docs/deploying.md says.
  const behind = reports.find(({ scenario }) => scenario.name === 'failover-asynchronous');
  expect(behind?.verdict.forgotten).toBeGreaterThan(0);
  // So the judge sees it, on a real database, where it is not what was promised.
  expect(behind?.strictly.problems.map(({ rule }) => rule)).toContain('what was acknowledged is stored');
});
