/**
 * Prints the test files of vitest's JSON report whose process a signal ended, one a line: vitest leaves each of their tests pending.
 * Prints none when a test failed, or when there are more than a crash of the engine explains.
 */
import { readFileSync } from 'node:fs';

const MOST = 2;

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const has = (file, status) => file.assertionResults.some((test) => test.status === status);

const interrupted = testResults.filter((file) => has(file, 'pending') && !has(file, 'passed'));
const failed = testResults.some(
  (file) => has(file, 'failed') || (file.status === 'failed' && !interrupted.includes(file)),
);

if (!failed && interrupted.length <= MOST) for (const { name } of interrupted) process.stdout.write(`${name}\n`);
