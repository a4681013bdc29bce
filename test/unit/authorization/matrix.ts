/** docs/authorization-matrix.md, read as the table that drives the requests of the tests in this folder. */
import { readFileSync } from 'node:fs';

/** By the title of the column, without backticks. */
export type Row = Readonly<Record<string, string>>;

const TEXT = readFileSync(new URL('../../../docs/authorization-matrix.md', import.meta.url), 'utf8');

const cellsOf = (line: string): readonly string[] =>
  line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim().replaceAll('`', ''));

function* tables(): Generator<{ readonly section: string; readonly columns: readonly string[]; readonly rows: Row[] }> {
  let section = '';
  let table: { section: string; columns: readonly string[]; rows: Row[] } | null = null;
  for (const line of TEXT.split('\n')) {
    if (line.startsWith('## ')) section = line.slice(3);
    if (!line.startsWith('|')) {
      if (table) yield table;
      table = null;
    } else if (table === null) table = { section, columns: cellsOf(line), rows: [] };
    else if (!line.startsWith('|---')) {
      const cells = cellsOf(line);
      const { columns } = table;
      if (cells.length !== columns.length) throw new Error(`Not as many cells as columns: ${line}`);
      table.rows.push(Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? ''])));
    }
  }
  if (table) yield table;
}

const TABLES = [...tables()];

/** @param column by which the table is known among those of its section. */
export function rowsWith(section: string, column: string): readonly Row[] {
  const [found, ...more] = TABLES.filter((one) => one.section === section && one.columns.includes(column));
  if (!found || more.length > 0 || found.rows.length === 0)
    throw new Error(`The matrix has no one table "${column}" in "${section}".`);
  return found.rows;
}

/** Every address that the page names, as `GET /path/{parameter}` below the issuer. */
export const addressesOfPage = (): readonly string[] =>
  TABLES.flatMap(({ section, columns, rows }) =>
    rows.flatMap((row) =>
      [...(row[columns[0] ?? ''] ?? '').matchAll(/\b(?:GET|POST|PUT|PATCH|DELETE) \/[^\s,]*/g)].map(([address]) =>
        section === 'Management API' ? address.replace(' /', ' /management/v1/').replace(/\/$/, '') : address,
      ),
    ),
  );

export type Asked = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
};

/** @param address `GET /path`. */
export function askedBy(address: string): Asked {
  const [method = '', path = ''] = address.split(' ');
  return { method: method as Asked['method'], path };
}

export const NONE = '—';
