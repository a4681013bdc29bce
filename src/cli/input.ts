/** What people and pipes hand in. Plain secrets come this way or from the environment, never as arguments. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandRefused } from './failure.ts';

export type Input = {
  /** A person sits at a terminal. */
  readonly interactive: boolean;
  readonly readAll: () => Promise<Buffer>;
  /** Typed unseen at a terminal; the first line otherwise. Empty: nothing was handed in. */
  readonly readSecret: (prompt: string) => Promise<string>;
  readonly confirm: (question: string) => Promise<boolean>;
};

export const systemInput: Input = {
  interactive: process.stdin.isTTY === true,
  readAll: () => allOf(process.stdin),
  readSecret: (prompt) => (process.stdin.isTTY ? ask(prompt, true) : firstLine(process.stdin)),
  confirm: async (question) => /^y(es)?$/i.test((await ask(question, false)).trim()),
};

async function allOf(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const read: Buffer[] = [];
  for await (const chunk of chunks) read.push(chunk);
  return Buffer.concat(read);
}

/** A password is at most 1024 characters; whatever pours in more is no password. */
const LONGEST_LINE_BYTES = 16_384;

/** Leaving the loop closes the stream, so that a writer who never ends does not hold the process. */
export async function firstLine(chunks: AsyncIterable<Buffer>): Promise<string> {
  let bytes: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.includes('\n') || bytes.length > LONGEST_LINE_BYTES) break;
  }
  const end = bytes.indexOf('\n');
  return decodeUtf8(end < 0 ? bytes : bytes.subarray(0, end), 'Standard input').replace(/\r$/, '');
}

/** @throws CommandRefused: replacement characters in a secret would make it another one. */
export function decodeUtf8(bytes: Uint8Array, source: string): string {
  try {
    // A byte order mark at the start is dropped: Windows editors write it.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CommandRefused(`${source} is not UTF-8 text.`);
  }
}

async function ask(prompt: string, hidden: boolean): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({
    input: process.stdin,
    output: hidden ? nowhere : process.stderr,
    terminal: true,
    historySize: 0,
  });
  if (hidden) process.stderr.write(prompt);
  try {
    return await new Promise<string>((resolve, reject) => {
      const stopped = () => reject(new CommandRefused('Stopped; nothing was changed.'));
      reader.on('SIGINT', stopped).on('close', stopped);
      reader.question(hidden ? '' : prompt).then(resolve, reject);
    });
  } finally {
    reader.close();
    if (hidden) process.stderr.write('\n');
  }
}
