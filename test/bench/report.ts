/** The figures as people read them. */
import { availableParallelism, cpus } from 'node:os';
import type { ConstantSpace } from './constant-space.ts';
import type { Figures, Measured } from './rounds.ts';

export type Report = {
  readonly machine: { readonly cpu: string; readonly cores: number; readonly node: string };
  readonly postgres: Readonly<Record<string, string>>;
  readonly extent: {
    readonly others: number;
    readonly rounds: number;
    readonly requests: number;
    readonly inFlight: number;
  };
  readonly measured: readonly Measured[];
  readonly constantSpace: ConstantSpace;
};

export const machine = (): Report['machine'] => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  node: process.version,
});

export function formatReport({ machine, postgres, extent, measured, constantSpace }: Report): string {
  const { server_version: version, fsync, synchronous_commit: commit } = postgres;
  const scenarios = [...new Set(measured.map((one) => one.scenario))];
  return [
    `${machine.cores} cores (${machine.cpu}), Node ${machine.node}, Postgres ${version} with fsync ${fsync} and synchronous_commit ${commit}`,
    `medians of ${extent.rounds} rounds of ${extent.requests} requests, ${extent.inFlight} in flight, beside ${extent.others} other authorizations; CPU is that of one request`,
    '',
    ...scenarios.flatMap((scenario) => [...scenarioTable(scenario, measured), '']),
    ...(measured.some((one) => one.figures.postgresCpu === null)
      ? ['The CPU time of Postgres can be measured on Linux only.', '']
      : []),
    ...spaceTable(constantSpace),
    '',
  ].join('\n');
}

type Column = readonly [title: string, value: (figures: Figures) => number | null, digits: number];
const COLUMNS: readonly Column[] = [
  ['server CPU ms', (one) => one.serverCpu, 3],
  ['Postgres CPU ms', (one) => one.postgresCpu, 3],
  ['requests/s', (one) => one.perSecond, 0],
  ['p50 ms', (one) => one.p50, 2],
  ['p95 ms', (one) => one.p95, 2],
  ['p99 ms', (one) => one.p99, 2],
];

function scenarioTable(scenario: string, measured: readonly Measured[]): string[] {
  const own = measured.filter((one) => one.scenario === scenario);
  const row = (name: string, cells: readonly string[]) =>
    `  ${name.padEnd(28)}${cells.map((cell, index) => cell.padStart((COLUMNS[index]?.[0].length ?? 0) + 3)).join('')}`;
  const figures = new Map(own.map((one) => [one.server, one.figures]));
  const [statehouse] = own;
  const ratios = own.slice(1).map(({ server }) => {
    const other = figures.get(server);
    return row(
      `${statehouse?.server} ÷ ${server}`,
      COLUMNS.map(([, value]) => format(ratio(value, statehouse?.figures, other), 2)),
    );
  });
  return [
    row(
      scenario,
      COLUMNS.map(([title]) => title),
    ),
    ...own.map((one) =>
      row(
        one.server,
        COLUMNS.map(([, value, digits]) => format(value(one.figures), digits)),
      ),
    ),
    ...ratios,
  ];
}

function ratio(value: Column[1], one: Figures | undefined, other: Figures | undefined): number | null {
  const [above, below] = [one && value(one), other && value(other)];
  return above == null || below == null ? null : above / below;
}

function spaceTable({ few, many }: ConstantSpace): string[] {
  const row = (name: string, one: string | number, other: string | number) =>
    `  ${name.padEnd(44)}${String(one).padStart(14)}${String(other).padStart(14)}`;
  const count = (value: number) => value.toLocaleString('en');
  return [
    row('one chain, after rotations:', count(few.rotations), count(many.rotations)),
    row('bytes of its row', count(few.rowBytes), count(many.rowBytes)),
    row('bytes of grants (1,002 chains) with indexes', count(few.tableBytes), count(many.tableBytes)),
    row('bytes of the ledger, by month (not the chain)', count(few.ledgerBytes), count(many.ledgerBytes)),
    row('ms to end it', few.endMilliseconds.toFixed(3), many.endMilliseconds.toFixed(3)),
    `  ending it after ${count(many.rotations)} ÷ after ${count(few.rotations)}: ${(many.endMilliseconds / few.endMilliseconds).toFixed(2)}`,
  ];
}

const format = (value: number | null, digits: number): string =>
  value === null ? '–' : value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
