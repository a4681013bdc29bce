/** The records of the export of another system, whatever the form of its file: JSON lists, JSON lines, CSV or LDIF. */
import { jsonIn } from '../../oauth/sent-text.ts';
import { isJsonObject } from '../../registration/record-problem.ts';
import { type Adapter, type Source, type SourceOptions, SourceRefused } from '../../registration/sources/source.ts';
import { CommandRefused } from '../failure.ts';
import type { Input } from '../input.ts';
import { NO_USER, type RecordSource, type SentRecord, UNREADABLE } from '../records-file.ts';
import { openText, type TextFile } from './chunks.ts';
import { csvRows } from './csv-rows.ts';
import { listRecords } from './json-lists.ts';
import { ldifEntries } from './ldif-entries.ts';
import { linesOf, NOT_JSON, TOO_LONG } from './lines.ts';

/** A record of a file. `reason`: why it cannot be read; null: it can. */
type Raw = {
  readonly list: string;
  readonly value: unknown;
  readonly line: number | null;
  readonly reason: string | null;
};

/** @throws CommandRefused */
export async function exportedRecords(
  input: Input,
  files: readonly string[],
  source: Source,
  options: SourceOptions,
): Promise<RecordSource> {
  const opened: { text: TextFile; form: Form }[] = [];
  for (const file of files) {
    const text = await openText(input, file);
    opened.push({ text, form: await formOf(text, source) });
  }
  async function* raw(): AsyncGenerator<Raw> {
    for (const { text, form } of opened) yield* READERS[form](text, source);
  }
  const adapter = adapterOf(source, options);
  if (adapter.prepare !== undefined)
    for await (const { list, value } of raw()) if (isJsonObject(value)) adapter.prepare({ list, value });
  return { isForeign: true, records: () => converted(adapter, raw()) };
}

function adapterOf(source: Source, options: SourceOptions): Adapter {
  try {
    return source.open(options);
  } catch (error) {
    throw error instanceof SourceRefused ? new CommandRefused(error.message) : error;
  }
}

async function* converted(adapter: Adapter, records: AsyncIterable<Raw>): AsyncGenerator<SentRecord> {
  for await (const { list, value, line, reason } of records) {
    if (reason !== null || !isJsonObject(value)) {
      yield { value: UNREADABLE, line, reasons: [reason ?? 'Expected an object.'] };
      continue;
    }
    const one = adapter.convert({ list, value });
    if (one.kind === 'user') yield { value: one.record, line, leftOut: one.leftOut };
    else if (one.kind === 'refused') yield { value: UNREADABLE, line, reasons: one.reasons };
    else if (one.leftOut !== undefined) yield { value: NO_USER, line, leftOut: one.leftOut };
  }
}

type Form = 'lists' | 'lines' | 'csv' | 'ldif';

/** By its first characters. One JSON object on the first line, and another on the next: JSON lines. */
async function formOf(text: TextFile, { isLdif, lists }: Source): Promise<Form> {
  if (isLdif) return 'ldif';
  const begin = await beginOf(text);
  if (begin === '') throw new CommandRefused(`${text.source} is empty.`);
  if (begin === '[') return 'lists';
  if (begin !== '{') return 'csv';
  if (lists === undefined) return 'lines';
  const first: (string | null)[] = [];
  for await (const line of linesOf(text.read())) {
    first.push(line.text);
    if (first.length === 2) break;
  }
  const [one, two] = first;
  // A line that is too long for a record is a whole document.
  const object = jsonIn((one ?? '').replace(/^\uFEFF/, ''));
  if (!isJsonObject(object)) return 'lists';
  const hasList = lists.some((path) => Object.hasOwn(object, path.split('.')[0] ?? ''));
  return two === undefined && hasList ? 'lists' : 'lines';
}

const READERS: Readonly<Record<Form, (text: TextFile, source: Source) => AsyncGenerator<Raw>>> = {
  async *lists(text, { lists = [], members = [], areDocuments = false }) {
    const isList = (await beginOf(text)) === '[';
    const inDocument = lists.map((path) => `${isList ? '$.*' : '$'}.${path}.*`);
    const paths = isList && !areDocuments ? ['$.*'] : inDocument;
    // Of several documents in one file, nothing says to which of them a member belongs.
    for await (const { list, value } of listRecords(text, paths, isList ? [] : members))
      yield { list, value, line: null, reason: null };
  },
  async *lines({ read }) {
    for await (const { line, text } of linesOf(read())) {
      const value = text === null ? undefined : jsonIn(text);
      yield { list: '', value, line, reason: text === null ? TOO_LONG : value === undefined ? NOT_JSON : null };
    }
  },
  async *csv(text, { columns }) {
    for await (const { line, value, reason } of csvRows(text, columns))
      yield { list: '', value, line, reason: value === null ? reason : null };
  },
  async *ldif(text) {
    for await (const { line, value } of ldifEntries(text))
      yield { list: '', value, line, reason: value === null ? TOO_LONG : null };
  },
};

/** The first character that is no space. Empty: there is none. */
async function beginOf({ read }: TextFile): Promise<string> {
  for await (const chunk of read()) {
    const text = chunk.replace(/^\uFEFF/, '').trim();
    if (text !== '') return text.charAt(0);
  }
  return '';
}
