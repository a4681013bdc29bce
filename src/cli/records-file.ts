/** Reads the JSON of an import: one object, a list of them, or `{"clients": […]}`. */
import { constants } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { printable } from '../config/shown.ts';
import { isJsonObject } from '../registration/record-problem.ts';
import { CommandRefused } from './failure.ts';
import { decodeUtf8, type Input } from './input.ts';

export type RecordKind = 'clients' | 'users';

/** @param file a path, or "-" for standard input. @throws CommandRefused */
export async function readRecords(input: Input, file: string, kind: RecordKind): Promise<readonly unknown[]> {
  const { source, text } = await readText(input, file, kind);
  return recordsIn(parseJson(text, source), source, kind);
}

/** A record and, in a file of JSON lines, its line, counted from 1. */
export type SentRecord = { readonly value: unknown; readonly line: number | null };
/** A line that is not JSON; the other lines are still read. */
export const NOT_JSON = Symbol('not JSON');

/** As `readRecords`, and one object on each line. @throws CommandRefused */
export async function readRecordsOrLines(input: Input, file: string, kind: RecordKind): Promise<readonly SentRecord[]> {
  const { source, text } = await readText(input, file, kind);
  const lines = jsonLines(text);
  return lines ?? recordsIn(parseJson(text, source), source, kind).map((value) => ({ value, line: null }));
}

/** Null: it is no file of JSON lines, whose first line is an object, and whose second line begins another. */
function jsonLines(text: string): readonly SentRecord[] | null {
  const lines = text
    .split('\n')
    .map((line, index) => ({ text: line.trim(), line: index + 1 }))
    .filter((line) => line.text !== '');
  const [first, second] = lines;
  if (!first || !second || !isJsonObject(parsedOr(first.text)) || !second.text.startsWith('{')) return null;
  return lines.map(({ text: json, line }) => ({ value: parsedOr(json), line }));
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return NOT_JSON;
  }
}

async function readText(input: Input, file: string, kind: RecordKind): Promise<{ source: string; text: string }> {
  const source = file === '-' ? 'Standard input' : printable(file);
  const bytes = file === '-' ? await input.readAll() : await readFileOrRefuse(file, source);
  if (bytes.length > MAX_BYTES) {
    throw new CommandRefused(
      `${source} has ${Math.ceil(bytes.length / 1e6)} MB; at most ${Math.floor(MAX_BYTES / 1e6)} MB fit in one import. Divide it into several files.`,
    );
  }
  const text = decodeUtf8(bytes, source);
  if (text.trim() === '') throw new CommandRefused(`${source} is empty; a JSON object or list of ${kind} is expected.`);
  return { source, text };
}

/** The longest string of V8. Half a million end-users with hashes have some 200 MB. */
const MAX_BYTES = constants.MAX_STRING_LENGTH;

async function readFileOrRefuse(file: string, source: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new CommandRefused(`${source}: ${READ_WORDS.get(code) ?? `cannot be read (${code})`}.`);
  }
}

const READ_WORDS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'no such file'],
  ['EISDIR', 'is a folder, not a file'],
  ['EACCES', 'may not be read (permission denied)'],
]);

function recordsIn(document: unknown, source: string, kind: RecordKind): readonly unknown[] {
  if (Array.isArray(document)) return document;
  if (!isJsonObject(document)) throw new CommandRefused(`${source}: a JSON object or list of ${kind} is expected.`);
  const other = kind === 'clients' ? 'users' : 'clients';
  if (Array.isArray(document[kind])) return document[kind];
  if (Array.isArray(document[other])) {
    throw new CommandRefused(`${source} has ${other}, not ${kind}: use "statehouse ${other} import".`);
  }
  return [document];
}

/** V8's messages quote the document, which may contain secrets, so only the position is reported. */
function parseJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const before = text.slice(0, positionOf(error, text));
    const line = before.split('\n').length;
    const column = before.length - before.lastIndexOf('\n');
    throw new CommandRefused(`${source} is not JSON: it breaks at line ${line}, column ${column}.`);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '');

/** Some messages name the position. For "Unexpected token" it is the end of the shortest prefix that causes the same error. */
function positionOf(error: unknown, text: string): number {
  const [, position] = /at position (\d+)/.exec(messageOf(error)) ?? [];
  if (position !== undefined) return Number(position);
  if (!isUnexpectedToken(text)) return text.length;
  let [fine, broken] = [0, text.length];
  while (broken - fine > 1) {
    const middle = Math.floor((fine + broken) / 2);
    if (isUnexpectedToken(text.slice(0, middle))) broken = middle;
    else fine = middle;
  }
  return fine;
}

function isUnexpectedToken(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    return messageOf(error).startsWith('Unexpected token');
  }
}
