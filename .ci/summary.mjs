/**
 * `summary.mjs STATUS REPORT...`: prints what vitest's JSON reports counted, as the last line that CI reads. A later report replaces what
 * an earlier one says of a file. Fails when a test failed or did not end, when none ran, or when vitest itself failed (`STATUS` is its
 * exit code). Runs on whatever Node the machine has.
 */
import { existsSync, readFileSync } from 'node:fs';

const [status, ...reports] = process.argv.slice(2);
const files = new Map();
for (const report of reports.filter(existsSync)) {
  for (const file of JSON.parse(readFileSync(report, 'utf8')).testResults) files.set(file.name, file);
}

const results = [...files.values()];
const tests = results.flatMap((file) => file.assertionResults);
const passed = tests.filter((test) => test.status === 'passed').length;
const broken = tests.filter((test) => test.status === 'failed' || test.status === 'pending').length;
// A file that cannot be loaded has no tests, and has failed.
const brokenFiles = results.filter(
  (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
).length;
let failed = broken + brokenFiles;
if (failed === 0 && (status !== '0' || passed === 0)) failed = 1;

process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
