/** The entries of an LDIF file (RFC 2849): attributes with lower-case names and lists of values. */
import { Buffer } from 'node:buffer';
import type { TextFile } from './chunks.ts';
import { MAX_RECORD_CHARACTERS } from './lines.ts';

export type Entry = { readonly line: number; readonly value: Readonly<Record<string, readonly string[]>> | null };

export async function* ldifEntries({ read }: TextFile): AsyncGenerator<Entry> {
  let lines: string[] = [];
  let begin = 1;
  let size = 0;
  for await (const { line, text } of rawLines(read())) {
    if (text === '') {
      if (lines.length > 0) yield { line: begin, value: size > MAX_RECORD_CHARACTERS ? null : entryOf(lines) };
      [lines, size] = [[], 0];
      continue;
    }
    if (lines.length === 0) begin = line;
    size += text.length;
    if (size > MAX_RECORD_CHARACTERS) lines = [''];
    // A line that begins with a space continues the one before (RFC 2849, note 2).
    else if (text.startsWith(' ') && lines.length > 0) lines.push((lines.pop() ?? '') + text.slice(1));
    else lines.push(text);
  }
  if (lines.length > 0) yield { line: begin, value: size > MAX_RECORD_CHARACTERS ? null : entryOf(lines) };
}

function entryOf(lines: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const values = new Map<string, string[]>();
  for (const line of lines) {
    const [, name, mark, value = ''] = /^([A-Za-z][^:;]*)(?:;[^:]*)?(::?<?) *(.*)$/.exec(line) ?? [];
    // A comment, or a value in another file.
    if (name === undefined || mark === ':<') continue;
    const key = name.toLowerCase();
    values.set(key, [...(values.get(key) ?? []), mark === '::' ? Buffer.from(value, 'base64').toString() : value]);
  }
  return Object.fromEntries(values);
}

/** With the empty ones, which end an entry. */
async function* rawLines(chunks: AsyncIterable<string>): AsyncGenerator<{ line: number; text: string }> {
  let line = 1;
  let rest = '';
  for await (const chunk of chunks) {
    const parts = (rest + chunk).split('\n');
    rest = (parts.pop() ?? '').slice(0, MAX_RECORD_CHARACTERS + 1);
    for (const text of parts) {
      yield { line, text: text.replace(/\r$/, '') };
      line += 1;
    }
  }
  yield { line, text: rest.replace(/\r$/, '') };
}
