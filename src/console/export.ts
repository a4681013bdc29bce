/** The ledger as a file, bounded, and read while the server sends it. The last line of an incomplete file says so. */

import { type Asked, type LedgerLine, type Lines, linesFrom } from './ledger-lines.ts';
import type { ManagementApi } from './management-api.ts';

export const MAX_EXPORTED = 50_000;
const LINES_AT_ONCE = 500;

const COLUMNS = [
  'at',
  'machine',
  'event',
  'from',
  'to',
  'reason',
  'client_id',
  'client_name',
  'sub',
  'username',
  'grant_id',
  'generation',
  'interaction_id',
  'session_id',
  'signing_key_id',
  'policy',
  'scope_withheld',
  'actor',
  'actor_sub',
  'actor_username',
  'address_hash',
  'fields',
  'address',
  'account_hash',
  'begun_session_id',
  'user_agent',
] as const satisfies readonly (keyof LedgerLine)[];

const MORE = `There are more than ${MAX_EXPORTED} entries. Choose a shorter time.`;

/** RFC 4180. */
export async function* csvOf(api: ManagementApi, asked: Asked, first: Lines): AsyncGenerator<string> {
  yield `${COLUMNS.join(',')}\r\n`;
  for await (const lines of chunksOf(api, asked, first)) {
    if (lines === 'more') yield `${cell(MORE)}\r\n`;
    else yield lines.map((line) => `${COLUMNS.map((column) => cell(line[column])).join(',')}\r\n`).join('');
  }
}

export async function* jsonLinesOf(api: ManagementApi, asked: Asked, first: Lines): AsyncGenerator<string> {
  for await (const lines of chunksOf(api, asked, first)) {
    if (lines === 'more') yield `${JSON.stringify({ incomplete: MORE })}\n`;
    else
      yield lines
        .map((line) => `${JSON.stringify(Object.fromEntries(COLUMNS.map((name) => [name, line[name]])))}\n`)
        .join('');
  }
}

/** @throws Error when the API refuses a later request: the download breaks off, and looks broken. */
async function* chunksOf(
  api: ManagementApi,
  asked: Asked,
  first: Lines,
): AsyncGenerator<readonly LedgerLine[] | 'more'> {
  let read: Lines = first;
  let sent = 0;
  for (;;) {
    const lines = read.lines.slice(0, MAX_EXPORTED - sent);
    sent += lines.length;
    yield lines;
    if (sent === MAX_EXPORTED && (read.next !== null || lines.length < read.lines.length)) yield 'more';
    if (read.next === null || sent === MAX_EXPORTED) return;
    const answer = await linesFrom(api, asked, read.next, LINES_AT_ONCE);
    if (answer.kind === 'problem') throw new Error(`The export ended early: ${answer.problem.reason}`);
    read = answer;
  }
}

/** A spreadsheet would run text that begins with one of these characters. The apostrophe makes it plain text. */
const FORMULA = /^[=+\-@\t\r\n]/;

function cell(value: unknown): string {
  const text = value === null || value === undefined ? '' : Array.isArray(value) ? value.join(' ') : String(value);
  return `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
}
