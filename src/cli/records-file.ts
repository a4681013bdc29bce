/** Reads the JSON of an import: one object, a list of them, or `{"clients": […]}`. */
import { constants } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { printable } from '../config/shown.ts';
import { jsonIn } from '../oauth/sent-text.ts';
import { isJsonObject } from '../registration/record-problem.ts';
import { CommandRefused } from './failure.ts';
import { openText, type TextFile, unreadable } from './files/chunks.ts';
import { linesOf, NOT_JSON, TOO_LONG } from './files/lines.ts';
import { decodeUtf8, type Input } from './input.ts';

export type RecordKind = 'clients' | 'users';

/** @param file a path, or "-" for standard input. @throws CommandRefused */
export async function readRecords(input: Input, file: string, kind: RecordKind): Promise<readonly unknown[]> {
  const { source, text } = await readText(input, file, kind);
  return recordsIn(parseJson(text, source), source, kind);
}

/** The whole document, in any form. @throws CommandRefused */
export async function readDocument(input: Input, file: string, kind: RecordKind): Promise<unknown> {
  const { source, text } = await readText(input, file, kind);
  return parseJson(text, source);
}

/** It cannot be read; the other records still are. */
export const UNREADABLE = Symbol('unreadable');
/** It describes no end-user: only the parts that stay behind count. */
export const NO_USER = Symbol('no user');

/**
 * A record and its line, counted from 1, in a file that has lines. `reasons`: why it cannot be read. `leftOut`: the parts that stay behind.
 */
export type SentRecord = {
  readonly value: unknown;
  readonly line: number | null;
  readonly reasons?: readonly string[];
  readonly leftOut?: readonly string[];
};

/** `records`: from the start, each time. `isForeign`: another system has written them. */
export type RecordSource = { readonly records: () => AsyncIterable<SentRecord>; readonly isForeign: boolean };

/** Of our own format: one object, a list, `{"users": […]}`, or an object on each line. @throws CommandRefused */
export async function ownRecords(input: Input, file: string): Promise<RecordSource> {
  const { text } = file === '-' ? { text: null } : { text: await openText(input, file) };
  if (text !== null && (await isJsonLines(text))) return { isForeign: false, records: () => sentLines(text) };
  const { source, text: whole } = await readText(input, file, 'users');
  const records = await listedLines(whole);
  const sent = records ?? recordsIn(parseJson(whole, source), source, 'users').map((value) => ({ value, line: null }));
  return {
    isForeign: false,
    records: async function* () {
      yield* sent;
    },
  };
}

async function* sentLines({ read }: Pick<TextFile, 'read'>): AsyncGenerator<SentRecord> {
  for await (const { line, text } of linesOf(read())) {
    const value = text === null ? undefined : jsonIn(text);
    if (value !== undefined) yield { value, line };
    else yield { value: UNREADABLE, line, reasons: [text === null ? TOO_LONG : NOT_JSON] };
  }
}

/** The first line is an object, and the second begins another. */
async function isJsonLines({ read }: Pick<TextFile, 'read'>): Promise<boolean> {
  const first: string[] = [];
  for await (const { text } of linesOf(read())) {
    first.push(text ?? '');
    if (first.length === 2) break;
  }
  const [one = '', two = ''] = first;
  return isJsonObject(jsonIn(one)) && two.startsWith('{');
}

/** Null: it is no text of JSON lines. */
async function listedLines(text: string): Promise<readonly SentRecord[] | null> {
  const read = async function* () {
    yield text;
  };
  return (await isJsonLines({ read })) ? Array.fromAsync(sentLines({ read })) : null;
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
    throw unreadable(source, error);
  }
}

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
