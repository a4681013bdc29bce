/** Whether this version costs more than another checkout, measured side by side in one run. */
import { operationRow, START_ROWS } from './aims.ts';
import type { Measured } from './rounds.ts';
import type { StartFigures } from './starts.ts';
import { columns, format } from './text.ts';

/** Above the noise of a quiet machine. */
export const GATE_AT_MOST = 1.08;

type Cost = { readonly row: string; readonly ours: number; readonly theirs: number };
export type Gate = { readonly table: readonly string[]; readonly isPassed: boolean };

/** @param measured of `statehouse` and `beside`; other servers are ignored. */
export function gateOf(measured: readonly Measured[], starts: readonly StartFigures[]): Gate {
  const costs = [...operationCosts(measured), ...startCosts(starts)];
  if (costs.length === 0) throw new Error('--gate: there is no row that both versions have.');
  const body = costs.map(({ row, ours, theirs }) => [
    row,
    format(ours, 3),
    format(theirs, 3),
    `${format(ours / theirs, 2)} ${isDearer({ ours, theirs }) ? '>' : '≤'} ${GATE_AT_MOST}`,
  ]);
  return {
    table: columns([['', 'this version', 'beside', '÷'], ...body]),
    isPassed: !costs.some(isDearer),
  };
}

const isDearer = ({ ours, theirs }: Pick<Cost, 'ours' | 'theirs'>): boolean => ours / theirs > GATE_AT_MOST;

const COSTS = [
  ['server', 'serverCpu'],
  ['Postgres', 'postgresCpu'],
] as const;

function operationCosts(measured: readonly Measured[]): Cost[] {
  const rows = [...Map.groupBy(measured, ({ scenario, inFlight }) => operationRow(scenario, inFlight))];
  return rows.flatMap(([row, all]) =>
    COSTS.flatMap(([part, figure]) => {
      const of = (name: string) => all.find(({ server }) => server === name)?.figures[figure] ?? null;
      return pairOf(`${row}, CPU ms of ${part}`, of);
    }),
  );
}

function startCosts(starts: readonly StartFigures[]): Cost[] {
  const of = (value: (figures: StartFigures) => number | null) => (name: string) => {
    const figures = starts.find(({ server }) => server === name);
    return figures ? value(figures) : null;
  };
  return [
    ...pairOf(
      START_ROWS.cpu,
      of(({ cpuSeconds }) => cpuSeconds),
    ),
    ...pairOf(
      START_ROWS.idle,
      of(({ memory }) => memory?.idle ?? null),
    ),
    ...pairOf(
      START_ROWS.after,
      of(({ memory }) => memory?.after ?? null),
    ),
  ];
}

function pairOf(row: string, of: (name: string) => number | null): Cost[] {
  const [ours, theirs] = [of('statehouse'), of('beside')];
  return ours === null || theirs === null ? [] : [{ row, ours, theirs }];
}
