/** `npm run chaos`: the scenarios, at length; a table at the end. */
import { parseArgs } from 'node:util';
import { citusPath } from '../cluster/citus.ts';
import type { AnswerKind } from './history.ts';
import { problemsOf, type Report, runScenarios } from './run.ts';
import { clusterScenarios, type Scenario, scenarios } from './scenarios.ts';

const HELP = `npm run chaos -- [--only NAME[,NAME]] [--minutes N] [--chains N] [--nodes N] [--list]

  --only NAME[,NAME]  these scenarios, or all whose names begin so
  --minutes N         again and again for so long; without it, once
  --chains N          chains that rotate concurrently; default 300
  --nodes N           server processes; default 3
  --list              names the scenarios, and what happens in each
`;

const KINDS: readonly AnswerKind[] = [
  'issued',
  'refused',
  'try-again',
  'unknown',
  'cut',
  'not-sent',
  'unclear',
  'hung',
];

type Row = { runs: number; problems: string[]; forgotten: number; ended: number; chains: number } & Partial<
  Record<AnswerKind, number>
>;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    minutes: { type: 'string', default: '0' },
    chains: { type: 'string', default: '300' },
    nodes: { type: 'string', default: '3' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const isPossible = ({ replication }: Scenario): boolean => replication !== 'spread' || citusPath !== null;
const isChosen = ({ name }: { readonly name: string }) =>
  values.only?.split(',').some((only) => name.startsWith(only)) ?? true;
const chosen = [...scenarios, ...clusterScenarios].filter(isChosen);
if (values.help) process.stdout.write(HELP);
else if (values.list) for (const { name, happens } of chosen) process.stdout.write(`${name.padEnd(24)}${happens}\n`);
else await runAll();

async function runAll(): Promise<void> {
  const extent = { nodes: Number(values.nodes), chains: Number(values.chains), deadlines: {} };
  if (chosen.length === 0 || !(extent.nodes >= 2) || !(extent.chains >= 1)) {
    process.stderr.write(`Expected scenarios of --list, two nodes or more, and a chain or more.\n${HELP}`);
    process.exitCode = 2;
    return;
  }
  const [possible, others] = [chosen.filter(isPossible), chosen.filter((scenario) => !isPossible(scenario))];
  for (const { name } of others)
    process.stdout.write(`NOT CHECKED ${name}: CITUS_PATH names no Postgres with Citus.\n`);
  const rows = new Map<string, Row>();
  const endsAt = performance.now() + Number(values.minutes) * 60_000;
  do {
    await runScenarios(possible, extent, (report) => add(rows, report));
  } while (performance.now() < endsAt);
  process.stdout.write(`\n${table(rows)}\n`);
  if ([...rows.values()].some(({ problems }) => problems.length > 0)) process.exitCode = 1;
}

function add(rows: Map<string, Row>, report: Report): void {
  const { scenario, verdict } = report;
  const row = rows.get(scenario.name) ?? { runs: 0, problems: [], forgotten: 0, ended: 0, chains: 0 };
  const problems = problemsOf(report);
  row.runs++;
  row.problems.push(...problems);
  row.chains += verdict.chains;
  row.ended += verdict.ended;
  row.forgotten += verdict.forgotten;
  for (const kind of KINDS) row[kind] = (row[kind] ?? 0) + (verdict.answers[kind] ?? 0);
  rows.set(scenario.name, row);
  process.stdout.write(
    `${problems.length === 0 ? 'kept  ' : 'BROKEN'} ${scenario.name} (${report.seconds.toFixed(0)} s): ${scenario.happens}\n`,
  );
  for (const problem of problems.slice(0, 20)) process.stdout.write(`         ${problem}\n`);
}

function table(rows: ReadonlyMap<string, Row>): string {
  const head = ['scenario', 'runs', 'chains', 'forgotten', ...KINDS, 'problems'];
  const lines = [...rows].map(([name, row]) =>
    [name, row.runs, row.chains, row.forgotten, ...KINDS.map((kind) => row[kind] ?? 0), row.problems.length].map(
      String,
    ),
  );
  const widths = head.map((title, column) =>
    Math.max(title.length, ...lines.map((line) => (line[column] ?? '').length)),
  );
  const shown = (line: readonly string[]) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  return [head, ...lines].map(shown).join('\n');
}
