/** Figures and tables as text. */
export const format = (value: number | null, digits: number): string =>
  value === null ? '–' : value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** With the sign that says whether the aim is reached. @param atMost undefined: there is none. */
export function besideAim(value: number, atMost: number | undefined, digits: number): string {
  const text = format(value, digits);
  return atMost === undefined ? text : `${text} ${value <= atMost ? '≤' : '>'} ${atMost}`;
}

/** A Markdown table that can also be read as it is; the first row is its head. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0), 3));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0))).join(' | ')} |`;
  const rule = `|${widths.map((width, index) => (index === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  const [head = [], ...body] = rows;
  return [line(head), rule, ...body.map(line)];
}
