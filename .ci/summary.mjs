/**
 * Prints what vitest's JSON report counted, as the last line that CI reads. Fails when a test failed, when none ran, or
 * when vitest itself failed. Runs on whatever Node the machine has.
 */
import { existsSync, readFileSync } from 'node:fs';

const [path, status] = process.argv.slice(2);
const report = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : { testResults: [] };

const tests = report.testResults.flatMap((file) => file.assertionResults);
const passed = tests.filter((test) => test.status === 'passed').length;
// A file that cannot be loaded has no tests, and has failed.
const brokenFiles = report.testResults.filter(
  (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
);
let failed = tests.filter((test) => test.status === 'failed').length + brokenFiles.length;
if (failed === 0 && (status !== '0' || passed === 0)) failed = 1;

process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
