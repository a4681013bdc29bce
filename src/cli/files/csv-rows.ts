/** The rows of a CSV file (RFC 4180) as objects, by the names of its header. */
import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { CommandRefused } from '../failure.ts';
import type { TextFile } from './chunks.ts';
import { MAX_RECORD_CHARACTERS } from './lines.ts';

/** `value` null: the row cannot be read, for the reason. */
export type Row = { readonly line: number; readonly value: object | null; readonly reason: string };

const DELIMITERS = [',', ';', '\t'] as const;

/** @param columns of a file without a header. @throws CommandRefused */
export async function* csvRows(
  { source, read }: TextFile,
  columns: readonly string[] | undefined,
): AsyncGenerator<Row> {
  const parser = parse({
    delimiter: await delimiterOf(read()),
    bom: true,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD_CHARACTERS,
  });
  const text = Readable.from(read());
  text.on('error', (error) => parser.destroy(error));
  text.pipe(parser);
  let header = columns;
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      if (header === undefined || isHeader(record, columns)) header = record.map((name) => name.trim());
      else yield rowOf(header, record, info.lines);
    }
  } catch (error) {
    if (error instanceof CommandRefused) throw error;
    throw new CommandRefused(
      `${source} is not CSV: ${wordsOf(error as { readonly code?: string; readonly lines?: number })}.`,
    );
  }
}

/** Some exporters write one although the format has none. */
const isHeader = (record: readonly string[], columns: readonly string[] | undefined): boolean =>
  columns !== undefined && record[0] === columns[0];

const rowOf = (header: readonly string[], record: readonly string[], line: number): Row =>
  record.length > header.length
    ? { line, value: null, reason: `Expected ${header.length} columns, found ${record.length}.` }
    : { line, value: Object.fromEntries(record.map((value, at) => [header[at] ?? '', value])), reason: '' };

/** The messages of the parser quote the text, which may contain secrets. */
const wordsOf = ({ code, lines }: { readonly code?: string; readonly lines?: number }): string =>
  `${code ?? 'it cannot be parsed'}${lines === undefined ? '' : ` at line ${lines}`}`;

/** The one of which the first line has most. */
async function delimiterOf(chunks: AsyncIterable<string>): Promise<string> {
  for await (const chunk of chunks) {
    const first = chunk.split('\n', 1)[0] ?? '';
    const countOf = (delimiter: string) => first.split(delimiter).length;
    return [...DELIMITERS].sort((one, other) => countOf(other) - countOf(one))[0] ?? ',';
  }
  return ',';
}
