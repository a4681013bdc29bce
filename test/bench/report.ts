/** The figures as people read them. */
import { availableParallelism, cpus } from 'node:os';
import { BESIDE_SEALING_AT_MOST, operationRow } from './aims.ts';
import type { BesideSealing } from './beside-sealing.ts';
import type { BesideSignIns } from './beside-sign-ins.ts';
import type { ConstantSpace } from './constant-space.ts';
import type { Options } from './options.ts';
import { ROTATIONS_PER_SECOND } from './paced-rotations.ts';
import type { Figures, Measured } from './rounds.ts';
import type { StartFigures } from './starts.ts';
import { summaryTable } from './summary.ts';
import { besideAim, columns, format } from './text.ts';

export type Report = {
  readonly servers: readonly string[];
  readonly machine: { readonly cpu: string; readonly cores: number; readonly node: string };
  readonly postgres: Readonly<Record<string, string>>;
  readonly extent: Options['extent'];
  readonly measured: readonly Measured[];
  readonly starts: readonly StartFigures[];
  /** Null: not asked for. */
  readonly besideSignIns: BesideSignIns | null;
  readonly besideSealing: BesideSealing | null;
  readonly constantSpace: ConstantSpace | null;
};

export const machine = (): Report['machine'] => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  node: process.version,
});

export function formatReport(report: Report): string {
  const { measured } = report;
  const rows = [...Map.groupBy(measured, ({ scenario, inFlight }) => operationRow(scenario, inFlight))];
  const unknown = measured.some(({ figures }) => figures.postgresCpu === null);
  return [
    'CPU of one operation in ms, server + Postgres. ÷: Statehouse divided by the other, in the server, in Postgres.',
    '≤: an aim that is reached, >: one that is not.',
    ...(unknown ? ['The CPU time of Postgres can be measured on Linux only.'] : []),
    tablesOf(report),
    '',
    ...rows.flatMap(([name, all]) => [...detailTable(name, all), '']),
    ...(report.constantSpace ? [...spaceTable(report.constantSpace), ''] : []),
  ].join('\n');
}

/** The machine, the extent, and the tables that compare: for docs/performance.md too. */
export function tablesOf(report: Report): string {
  const { servers, machine, postgres, extent, measured, starts } = report;
  const { server_version: version, fsync, synchronous_commit: commit } = postgres;
  return [
    `${machine.cores} cores (${machine.cpu}), Node ${machine.node}, Postgres ${version} with fsync ${fsync} and synchronous_commit ${commit}.`,
    `Medians of ${extent.rounds} rounds of ${count(extent.requests)} operations; ${count(extent.grants)} other authorizations in each database.`,
    ...(starts.length > 0
      ? [`Median of ${extent.starts} starts; memory after ${count(extent.operations)} rotations.`]
      : []),
    ...(measured.length + starts.length > 0 ? ['', ...summaryTable(servers, measured, starts)] : []),
    ...(report.besideSignIns ? ['', ...besideSignInsTable(report.besideSignIns)] : []),
    ...(report.besideSealing ? ['', ...besideSealingTable(report.besideSealing)] : []),
  ].join('\n');
}

type Column = readonly [title: string, value: (figures: Figures) => number | null, digits: number];
const COLUMNS: readonly Column[] = [
  ['server CPU ms', (one) => one.serverCpu, 3],
  ['Postgres CPU ms', (one) => one.postgresCpu, 3],
  ['operations/s', (one) => one.perSecond, 0],
  ['p50 ms', (one) => one.p50, 2],
  ['p95 ms', (one) => one.p95, 2],
  ['p99 ms', (one) => one.p99, 2],
];

function detailTable(name: string, all: readonly Measured[]): string[] {
  const statehouse = all.find(({ server }) => server === 'statehouse')?.figures;
  const ratios = all
    .filter(({ server }) => server !== 'statehouse')
    .map(({ server, figures }) => [
      `statehouse ÷ ${server}`,
      ...COLUMNS.map(([, value]) => format(ratio(value, statehouse, figures), 2)),
    ]);
  return columns([
    [name, ...COLUMNS.map(([title]) => title)],
    ...all.map(({ server, figures }) => [
      server,
      ...COLUMNS.map(([, value, digits]) => format(value(figures), digits)),
    ]),
    ...ratios,
  ]);
}

function ratio(value: Column[1], one: Figures | undefined, other: Figures): number | null {
  const [above, below] = [one && value(one), value(other)];
  return above == null || below === null ? null : above / below;
}

const besideSealingTable = ({ alone, sealing, sealedPerSecond }: BesideSealing): string[] =>
  columns([
    [`rotations, ${ROTATIONS_PER_SECOND} a second`, 'p99 ms', '÷ alone', 'entries sealed a second'],
    ['no full segment', format(alone, 2), '', ''],
    [
      'full segments wait',
      format(sealing, 2),
      besideAim(sealing / alone, BESIDE_SEALING_AT_MOST, 2),
      count(sealedPerSecond),
    ],
  ]);

function besideSignInsTable({ alone, others }: BesideSignIns): string[] {
  return columns([
    [`rotations, ${ROTATIONS_PER_SECOND} a second`, 'p99 ms', '÷ alone', 'passwords checked'],
    ['alone', format(alone, 2), '', ''],
    ...others.map(({ beside, p99, hashed, atMost }) => [
      `beside ${beside}`,
      format(p99, 2),
      besideAim(p99 / alone, atMost, 2),
      `${format(hashed * 100, 0)} %`,
    ]),
  ]);
}

function spaceTable({ few, many }: ConstantSpace): string[] {
  const row = (name: string, one: number, other: number, digits = 0) => [
    name,
    format(one, digits),
    format(other, digits),
  ];
  return [
    ...columns([
      row('one chain, after rotations', few.rotations, many.rotations),
      row('bytes of its row', few.rowBytes, many.rowBytes),
      row('bytes of grants (1,002 chains) with indexes', few.tableBytes, many.tableBytes),
      row('bytes of the ledger, by month (not the chain)', few.ledgerBytes, many.ledgerBytes),
      row('ms to end it', few.endMilliseconds, many.endMilliseconds, 3),
    ]),
    `Ending it after ${count(many.rotations)} ÷ after ${count(few.rotations)}: ${(many.endMilliseconds / few.endMilliseconds).toFixed(2)}`,
  ];
}

const count = (value: number): string => format(value, 0);
