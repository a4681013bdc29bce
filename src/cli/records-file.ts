/** Reads the JSON of an import: one object, a list of them, or `{"clients": […]}`. */
import { readFile } from 'node:fs/promises';
import { printable } from '../config/shown.ts';
import { isJsonObject } from '../registration/record-problem.ts';
import { CommandRefused } from './failure.ts';
import { decodeUtf8, type Input } from './input.ts';

export type RecordKind = 'clients' | 'users';

/** @param file a path, or "-" for standard input. @throws CommandRefused */
export async function readRecords(input: Input, file: string, kind: RecordKind): Promise<readonly unknown[]> {
  const source = file === '-' ? 'Standard input' : printable(file);
  const bytes = file === '-' ? await input.readAll() : await readFileOrRefuse(file, source);
  const text = decodeUtf8(bytes, source);
  if (text.trim() === '') throw new CommandRefused(`${source} is empty; a JSON object or list of ${kind} is expected.`);
  return recordsIn(parseJson(text, source), source, kind);
}

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
