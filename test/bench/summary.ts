/** The table that comes first: the cost of each server, and the ratios beside the aims. */
import { AIMS, type Aim, operationRow, START_ROWS } from './aims.ts';
import type { Measured } from './rounds.ts';
import type { StartFigures } from './starts.ts';
import { besideAim, columns, format } from './text.ts';

/** Milliseconds of an operation, or what the row's name says. */
type Cost = { readonly server: number; readonly postgres: number | null };

/** By the server's name. */
type Row = { readonly name: string; readonly digits: number; readonly costs: ReadonlyMap<string, Cost> };

/** @param servers in the order of the columns. */
export function summaryTable(
  servers: readonly string[],
  measured: readonly Measured[],
  starts: readonly StartFigures[],
): string[] {
  const rows = [...operationRows(measured), ...startRows(starts)];
  const others = servers.filter((server) => server !== 'statehouse');
  const head = ['', ...servers, ...others.map((other) => `÷ ${other}`)];
  const body = rows.map((row) => [
    row.name,
    ...servers.map((server) => costCell(row, server)),
    ...others.map((other) => ratiosCell(row, other)),
  ]);
  return columns([head, ...body]);
}

function operationRows(measured: readonly Measured[]): Row[] {
  const alike = Map.groupBy(measured, ({ scenario, inFlight }) => operationRow(scenario, inFlight));
  return [...alike].map(([name, all]) => {
    const costs = all.map(({ server, figures: { serverCpu, postgresCpu } }): [string, Cost] => [
      server,
      { server: serverCpu, postgres: postgresCpu },
    ]);
    return { name, digits: 3, costs: new Map(costs) };
  });
}

function startRows(starts: readonly StartFigures[]): Row[] {
  const row = (name: string, digits: number, value: (figures: StartFigures) => number | null): Row[] => {
    const costs = starts.flatMap((one): [string, Cost][] => {
      const cost = value(one);
      return cost === null ? [] : [[one.server, { server: cost, postgres: null }]];
    });
    return costs.length > 0 ? [{ name, digits, costs: new Map(costs) }] : [];
  };
  return [
    ...row(START_ROWS.cpu, 2, ({ cpuSeconds }) => cpuSeconds),
    ...row(START_ROWS.idle, 0, ({ memory }) => memory?.idle ?? null),
    ...row(START_ROWS.after, 0, ({ memory }) => memory?.after ?? null),
  ];
}

function costCell({ name, digits, costs }: Row, server: string): string {
  const cost = costs.get(server);
  if (!cost) return '–';
  const aim = server === 'statehouse' ? aimOf(name, 'server', null) : undefined;
  const own = besideAim(cost.server, aim?.atMost, digits);
  return cost.postgres === null ? own : `${own} + ${format(cost.postgres, digits)}`;
}

function ratiosCell({ name, costs }: Row, other: string): string {
  const ratio = (figure: Aim['figure']): string[] => {
    const [above, below] = [costs.get('statehouse')?.[figure], costs.get(other)?.[figure]];
    return above == null || below == null ? [] : [besideAim(above / below, aimOf(name, figure, other)?.atMost, 2)];
  };
  return [...ratio('server'), ...ratio('postgres')].join(', ') || '–';
}

const aimOf = (row: string, figure: Aim['figure'], than: string | null): Aim | undefined =>
  AIMS.find((aim) => aim.row === row && aim.figure === figure && aim.than === than);
