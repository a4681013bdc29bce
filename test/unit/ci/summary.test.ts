/** Summary of CI (.ci/summary.mjs) over the reports of vitest, and the files that it runs once more (.ci/interrupted.mjs). */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'reports-'));
let written = 0;

const file = (name: string, ...statuses: string[]) => ({
  name,
  status: statuses.includes('failed') ? 'failed' : 'passed',
  assertionResults: statuses.map((status) => ({ status })),
});

function report(...testResults: object[]): string {
  written += 1;
  const path = join(folder, `${written}.json`);
  writeFileSync(path, JSON.stringify({ testResults }));
  return path;
}

function summary(status: number, ...reports: string[]) {
  const run = spawnSync(process.execPath, ['.ci/summary.mjs', String(status), ...reports], { encoding: 'utf8' });
  return [run.status, run.stdout.trim()];
}

const interrupted = (path: string) =>
  execFileSync(process.execPath, ['.ci/interrupted.mjs', path], { encoding: 'utf8' }).split('\n').filter(Boolean);

const PASSED = file('a', 'passed', 'passed', 'skipped');
const ENDED_BY_A_SIGNAL = file('b', 'pending', 'pending');

it.each([
  ['passes a run in which all tests passed', 0, [[PASSED]], [0, '2 passed, 0 failed']],
  ['refuses a test that failed', 1, [[PASSED, file('c', 'passed', 'failed')]], [1, '3 passed, 1 failed']],
  [
    'refuses a file without tests that could not be loaded',
    1,
    [[PASSED, { ...file('c'), status: 'failed' }]],
    [1, '2 passed, 1 failed'],
  ],
  ['refuses a run in which vitest itself failed', 1, [[PASSED]], [1, '2 passed, 1 failed']],
  ['refuses a run without tests', 0, [[]], [1, '0 passed, 1 failed']],
  ['refuses tests that did not end', 0, [[PASSED, ENDED_BY_A_SIGNAL]], [1, '2 passed, 2 failed']],
  [
    'passes tests that ended in the second run',
    0,
    [[PASSED, ENDED_BY_A_SIGNAL], [file('b', 'passed', 'passed')]],
    [0, '4 passed, 0 failed'],
  ],
  [
    'refuses tests that failed in the second run',
    1,
    [[PASSED, ENDED_BY_A_SIGNAL], [file('b', 'passed', 'failed')]],
    [1, '3 passed, 1 failed'],
  ],
] as const)('%s', (_title, status, reports, outcome) => {
  expect(summary(status, ...reports.map((files) => report(...files)))).toEqual(outcome);
});

it('refuses a run that wrote no report', () => {
  expect(summary(1, join(folder, 'none.json'))).toEqual([1, '0 passed, 1 failed']);
});

it.each([
  ['runs a file once more whose process a signal ended', [PASSED, ENDED_BY_A_SIGNAL], ['b']],
  ['runs no file once more when all passed', [PASSED], []],
  ['runs no file once more when a test failed', [ENDED_BY_A_SIGNAL, file('c', 'failed')], []],
  [
    'runs no file once more when a file could not be loaded',
    [ENDED_BY_A_SIGNAL, { ...file('c'), status: 'failed' }],
    [],
  ],
  ['runs no file once more when a signal ended many', ['b', 'c', 'd'].map((name) => file(name, 'pending')), []],
] as const)('%s', (_title, files, again) => {
  expect(interrupted(report(...files))).toEqual(again);
});
