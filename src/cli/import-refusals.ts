/** The refused records of an import: the first ones for the terminal, and all of them for the report, as they come. */
import { writeFileSync } from 'node:fs';
import { printable } from '../config/shown.ts';
import { isJsonObject } from '../registration/record-problem.ts';
import { CommandRefused } from './failure.ts';
import { recordName } from './import-records.ts';
import type { SentRecord } from './records-file.ts';

/** In an error text; the report has all. */
const MAX_SHOWN = 50;
/** Of a summary; the report has all. */
const MAX_NAMED = 20;

export type Refusal = { readonly index: number; readonly sent: SentRecord; readonly reasons: readonly string[] };
export type Refusals = ReturnType<typeof refusalsOf>;

/** Begins the report, so that a report that cannot be written stops the import. @throws CommandRefused */
export function refusalsOf(report: string | null) {
  const first: Refusal[] = [];
  let count = 0;
  let reasons = 0;
  writeLines(report, []);
  return {
    add: (refused: readonly Refusal[]): void => {
      for (const refusal of refused) {
        count += 1;
        reasons += refusal.reasons.length;
        if (first.length < MAX_SHOWN) first.push({ ...refusal, sent: withoutSecrets(refusal.sent) });
      }
      writeLines(report, refused.map(reportLine), 'a');
    },
    count: () => count,
    /** Where the first of them stand. */
    places: (): readonly string[] => {
      const named = inOrder(first)
        .slice(0, MAX_NAMED)
        .map(({ index, sent: { line } }) => String(line ?? index + 1));
      return count > named.length ? [...named, '…'] : named;
    },
    words: (): string => {
      const lines = inOrder(first).flatMap((refusal) =>
        refusal.reasons.map((words) => `  ${recordName('username', refusal.sent.value, refusal.index)}: ${words}`),
      );
      const shown = lines.slice(0, MAX_SHOWN);
      const left = reasons - shown.length;
      const where = report === null ? 'with --report FILE they are all written' : `all are in ${printable(report)}`;
      return left > 0 ? `${shown.join('\n')}\n  … and ${left} more: ${where}` : lines.join('\n');
    },
  };
}

/** In the order of the file. */
const inOrder = (refused: readonly Refusal[]): Refusal[] => [...refused].sort((one, other) => one.index - other.index);

const usernameIn = (value: unknown): string | null =>
  isJsonObject(value) && typeof value['username'] === 'string' ? value['username'] : null;

const withoutSecrets = ({ value, ...sent }: SentRecord): SentRecord => {
  const username = usernameIn(value);
  return { ...sent, value: username === null ? null : { username } };
};

/** Where it is, whom it names, and why. */
const reportLine = ({ index, sent: { value, line }, reasons }: Refusal): object => ({
  record: index + 1,
  ...(line !== null && { line }),
  username: usernameIn(value),
  reasons,
});

/** @throws CommandRefused */
export function writeLines(file: string | null, lines: readonly object[], flag: 'w' | 'a' = 'w'): void {
  if (file === null) return;
  try {
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600, flag });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'no reason given';
    throw new CommandRefused(`${printable(file)}: the report cannot be written (${code}).`);
  }
}
