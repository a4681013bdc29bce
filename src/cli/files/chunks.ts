/** A file as texts, one after another: the command keeps no whole export in memory. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { printable } from '../../config/shown.ts';
import { CommandRefused } from '../failure.ts';
import { type Input, utf16Words } from '../input.ts';

/** `read`: from the start, each time. */
export type TextFile = { readonly source: string; readonly read: () => AsyncIterable<string> };

const READ_WORDS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'no such file'],
  ['EISDIR', 'is a folder, not a file'],
  ['EACCES', 'may not be read (permission denied)'],
]);

export const unreadable = (source: string, error: unknown): CommandRefused => {
  const code = (error as NodeJS.ErrnoException).code ?? 'unreadable';
  return new CommandRefused(`${source}: ${READ_WORDS.get(code) ?? `cannot be read (${code})`}.`);
};

/** @param file a path, or "-" for standard input, which stays in memory: it cannot be read twice. @throws CommandRefused */
export async function openText(input: Input, file: string): Promise<TextFile> {
  if (file === '-') {
    const bytes = await input.readAll();
    return { source: 'Standard input', read: () => decoded('Standard input', [bytes]) };
  }
  const source = printable(file);
  const before = await stat(file).catch((error) => Promise.reject(unreadable(source, error)));
  if (before.isDirectory()) throw unreadable(source, { code: 'EISDIR' });
  return {
    source,
    read: async function* () {
      const now = await stat(file).catch((error) => Promise.reject(unreadable(source, error)));
      if (now.size !== before.size || now.mtimeMs !== before.mtimeMs)
        throw new CommandRefused(`${source} has changed since it was checked. Import it again.`);
      yield* decoded(source, createReadStream(file, { highWaterMark: CHUNK_BYTES }));
    },
  };
}

const CHUNK_BYTES = 256 * 1024;

/** @throws CommandRefused for invalid UTF-8, as `decodeUtf8`. */
async function* decoded(
  source: string,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (bytes: Uint8Array | undefined, stream: boolean): string => {
    try {
      return decoder.decode(bytes, { stream });
    } catch {
      throw new CommandRefused(`${source} is not UTF-8 text.`);
    }
  };
  let isFirst = true;
  try {
    for await (const chunk of chunks) {
      if (isFirst && chunk.length >= 2) {
        const words = utf16Words(chunk, source);
        if (words !== null) throw new CommandRefused(words);
        isFirst = false;
      }
      const text = decode(chunk, true);
      if (text !== '') yield text;
    }
  } catch (error) {
    throw error instanceof CommandRefused ? error : unreadable(source, error);
  }
  const rest = decode(undefined, false);
  if (rest !== '') yield rest;
}
