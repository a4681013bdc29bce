/** `npm run test:mutants`: runs each suite of test/support/unchanged.ts whole, and writes down what it depended on once all have passed. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { digestOf, REPEATABLE, WHOLE_RUNS } from '../support/unchanged.ts';

const digests = Object.fromEntries(REPEATABLE.map((suite) => [suite, digestOf(suite)]));
const { status } = spawnSync('npx', ['vitest', 'run', ...REPEATABLE, ...process.argv.slice(2)], {
  env: { ...process.env, MUTANTS: 'whole' },
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);
const changed = REPEATABLE.filter((suite) => digestOf(suite) !== digests[suite]);
if (changed.length > 0) {
  process.stderr.write(`Files changed while these suites ran: ${changed.join(', ')}. Run them again.\n`);
  process.exit(1);
}
writeFileSync(WHOLE_RUNS, `${JSON.stringify(digests, null, 2)}\n`);
