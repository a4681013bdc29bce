/** The scenarios of a cluster in short, as test/chaos/chaos.test.ts has those of one Postgres. */
import { expect, test } from 'vitest';
import { problemsOf, type Report, runScenarios } from '../chaos/run.ts';
import { clusterScenarios } from '../chaos/scenarios.ts';
import { citusPath } from './citus.ts';

/** Shards move for minutes. */
const LONG = 'worker-added';
const EXTENT = { nodes: 2, chains: 24, deadlines: {} };

test.skipIf(citusPath === null)('a cluster keeps every acknowledged change under any fault of its parts', async () => {
  const chosen = clusterScenarios.filter(({ name }) => name !== LONG);
  const reports: Report[] = [];
  await runScenarios(chosen, EXTENT, (report) => void reports.push(report));
  const problems = Object.fromEntries(reports.map((report) => [report.scenario.name, problemsOf(report)]));
  expect(problems).toEqual(Object.fromEntries(chosen.map(({ name }) => [name, []])));
});
