/** Input from people and pipes. Secrets come this way or from the environment, never as arguments. */
import { createInterface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';
import { CommandRefused } from './failure.ts';

export type Input = {
  /** Standard input is a terminal. */
  readonly interactive: boolean;
  readonly readAll: () => Promise<Buffer>;
  /** Typed at a terminal without being shown; otherwise the first line. Empty: there was no input. */
  readonly readSecret: (prompt: string) => Promise<string>;
  readonly confirm: (question: string) => Promise<boolean>;
};

export const systemInput: Input = {
  interactive: process.stdin.isTTY === true,
  readAll: () => allOf(process.stdin),
  readSecret: (prompt) => (process.stdin.isTTY ? askUnseen(prompt) : firstLine(process.stdin)),
  confirm: async (question) => /^y(es)?$/i.test((await ask(question)).trim()),
};

async function allOf(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const read: Buffer[] = [];
  for await (const chunk of chunks) read.push(chunk);
  return Buffer.concat(read);
}

/** Far more than a password (1024 characters) or a token needs. */
const MAX_LINE_BYTES = 16_384;

/** Leaving the loop closes the stream, so that an endless writer does not keep the process alive. */
export async function firstLine(chunks: AsyncIterable<Buffer>): Promise<string> {
  let bytes: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.includes('\n') || bytes.length > MAX_LINE_BYTES) break;
  }
  const end = bytes.indexOf('\n');
  return decodeUtf8(end < 0 ? bytes : bytes.subarray(0, end), 'Standard input').replace(/\r$/, '');
}

/** @throws CommandRefused for invalid UTF-8: replacement characters would change a secret. */
export function decodeUtf8(bytes: Uint8Array, source: string): string {
  const utf16 = utf16Words(bytes, source);
  if (utf16 !== null) throw new CommandRefused(utf16);
  try {
    // A byte order mark at the start is dropped: Windows editors write it.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CommandRefused(`${source} is not UTF-8 text.`);
  }
}

/** Null: the text does not begin as UTF-16. */
export const utf16Words = (bytes: Uint8Array, source: string): string | null =>
  isUtf16(bytes)
    ? `${source} is UTF-16 text; UTF-8 is expected. Save it as UTF-8 (in PowerShell: Set-Content -Encoding utf8).`
    : null;

type Terminal = { readonly keyboard: Readable; readonly screen: Writable };
const systemTerminal: Terminal = { keyboard: process.stdin, screen: process.stderr };

/** By its byte order mark; without one, by the zero byte of the first character, since JSON begins with an ASCII character. */
const isUtf16 = ([first, second]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || (first === 0) !== (second === 0);

/** Readline echoes what is typed to its output, so it gets an output that discards it. */
export async function askUnseen(prompt: string, { keyboard, screen }: Terminal = systemTerminal): Promise<string> {
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  screen.write(prompt);
  try {
    return await ask('', { keyboard, screen: unseen });
  } finally {
    screen.write('\n');
  }
}

/** @throws CommandRefused after Ctrl-C, Ctrl-D, or when the terminal is closed. */
export async function ask(prompt: string, { keyboard, screen }: Terminal = systemTerminal): Promise<string> {
  const reader = createInterface({ input: keyboard, output: screen, terminal: true, historySize: 0 });
  try {
    return await new Promise<string>((resolve, reject) => {
      const stopped = () => reject(new CommandRefused('Stopped; nothing was changed.'));
      // Without this, Ctrl-D leaves the question unanswered for ever.
      reader.on('SIGINT', stopped).on('close', stopped);
      reader.question(prompt).then(resolve, reject);
    });
  } finally {
    reader.close();
  }
}
