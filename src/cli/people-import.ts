/**
 * The import of end-users: reads every record first, then imports them in order, in batches. Imported records stay after a failure: the
 * same file again finds them unchanged and continues.
 */
import { writeFileSync } from 'node:fs';
import { describeRecordProblem } from '../config/problem.ts';
import { printable } from '../config/shown.ts';
import { usernameKey } from '../oauth/username.ts';
import type { PlacedUser } from '../registration/import-users.ts';
import { isJsonObject, type Reading } from '../registration/record-problem.ts';
import type { UserRecord } from '../registration/user-record.ts';
import type { Cli } from './cli.ts';
import { CommandRefused } from './failure.ts';
import {
  asDocument,
  asLines,
  type Imported,
  NEEDS_PASSWORD,
  recordName,
  recordProblemsOf,
  STAYS_DISABLED,
} from './import-records.ts';
import { NOT_JSON, type SentRecord } from './records-file.ts';

/** The steps of an import. */
export type PeopleImport = {
  /** The problems of one record by itself. */
  readonly read: (input: unknown) => Reading<UserRecord>;
  /** The keys of those usernames that end-users have. */
  readonly known: (usernames: readonly string[]) => Promise<ReadonlySet<string>>;
  /** At most `atOnce`; answered in their order. */
  readonly place: (records: readonly UserRecord[]) => Promise<readonly PlacedUser[]>;
  readonly atOnce: number;
};

export type ImportOptions = {
  readonly asJson: boolean;
  /** Records that are refused do not stop the others. */
  readonly skipRefused: boolean;
  /** A file for what was refused, as JSON lines; null: none. */
  readonly report: string | null;
  /** A file for username and `sub` of what was imported, as JSON lines; null: none. */
  readonly pairs: string | null;
  /** The first record to place, counted from 1: those before were placed by an earlier run. */
  readonly startAt: number;
};

type Refused = { readonly index: number; readonly reasons: string[] };
type Accepted = { readonly index: number; readonly value: UserRecord; readonly warnings: readonly string[] };

/** A smaller import lists each record. */
const MANY = 1000;
/** In an error text; the report has all. */
const MAX_SHOWN = 50;

export async function importPeople(
  cli: Cli,
  people: PeopleImport,
  sent: readonly SentRecord[],
  options: ImportOptions,
): Promise<void> {
  const refused = new Map<number, Refused>();
  const refuse = (index: number, words: string) => {
    const known = refused.get(index) ?? { index, reasons: [] };
    known.reasons.push(words);
    refused.set(index, known);
  };
  // Made before anything is changed, so that a report that cannot be written stops the import.
  writeReport(options.report, sent, []);
  writeLines(options.pairs, []);
  const accepted = await check(people, sent, refuse);
  if (refused.size > 0 && !options.skipRefused) {
    writeReport(options.report, sent, [...refused.values()]);
    throw new CommandRefused(`The import is refused; nothing was changed.\n${wordsOf(sent, refused, options)}`);
  }

  const done: Imported[] = [];
  const wanted = accepted.filter(({ index }) => index + 1 >= options.startAt);
  const tell = progressOf(cli, options, sent.length, wanted.length);
  let stoppedAt: number | null = null;
  for (let from = 0; from < wanted.length && stoppedAt === null; from += people.atOnce) {
    const batch = wanted.slice(from, from + people.atOnce);
    const before = done.length;
    const placed = await people.place(batch.map(({ value }) => value)).catch((error) => {
      // Imported records stay, and the output lists them before the failure.
      if (done.length > 0) cli.output.print(results(done, options));
      writeReport(options.report, sent, [...refused.values()]);
      throw error;
    });
    for (const [place, { index, warnings }] of batch.entries()) {
      const outcome = placed[place];
      if (outcome?.kind === 'placed') {
        const { outcome: what, username: name, sub, changed, disabled } = outcome;
        const all = disabled ? [...warnings, STAYS_DISABLED] : warnings;
        done.push({ name, sub, outcome: what, changed, made: {}, warnings: all });
      } else {
        refuse(index, outcome?.words ?? 'It was not answered.');
        if (!options.skipRefused) stoppedAt ??= index;
      }
    }
    writeLines(options.pairs, done.slice(before).map(pairOf), 'a');
    tell(done, refused.size, from + batch.length);
  }
  writeReport(options.report, sent, [...refused.values()]);
  const stopped = stoppedAt === null ? null : stopWords(sent, refused, options, done.length);
  // Also before it says why it stopped.
  if (stopped === null || done.length > 0) cli.output.print(results(done, options));
  if (stopped !== null) throw new CommandRefused(stopped);
  if (refused.size > 0)
    cli.output.complain(
      `${counted(refused.size, 'record')} refused; the others were imported.\n${wordsOf(sent, refused, options)}\n`,
    );
}

/** Reads every record, and changes nothing. */
async function check(
  people: PeopleImport,
  sent: readonly SentRecord[],
  refuse: (index: number, words: string) => void,
): Promise<readonly Accepted[]> {
  const accepted: Accepted[] = [];
  const wrong = new Set<number>();
  const reject = (index: number, words: string) => {
    wrong.add(index);
    refuse(index, words);
  };
  const { repeated } = recordProblemsOf('username', (_, index, words) => reject(index, words));
  const { repeated: repeatedSub } = recordProblemsOf('sub', (_, index, words) => reject(index, words));
  for (const [index, { value: input }] of sent.entries()) {
    if (input === NOT_JSON) {
      reject(index, 'Expected a JSON object, found a line that is not JSON.');
      continue;
    }
    const reading = people.read(input);
    if (!reading.ok) {
      for (const found of reading.problems) reject(index, describeRecordProblem(found));
      continue;
    }
    repeated(input, index, usernameKey(reading.value.username));
    if (reading.value.sub !== null) repeatedSub(input, index, reading.value.sub);
    accepted.push({ index, value: reading.value, warnings: reading.warnings });
  }
  const withoutPassword = accepted.filter(({ value }) => value.password === null && value.passwordHash === null);
  for (let from = 0; from < withoutPassword.length; from += people.atOnce) {
    const batch = withoutPassword.slice(from, from + people.atOnce);
    const known = await people.known(batch.map(({ value }) => value.username));
    for (const { index, value } of batch)
      if (!known.has(usernameKey(value.username))) reject(index, describeRecordProblem(NEEDS_PASSWORD));
  }
  return accepted.filter(({ index }) => !wrong.has(index));
}

/** On standard error, at most once for each hundredth; never beside JSON, which programs read. */
function progressOf({ output }: Cli, { asJson, startAt }: ImportOptions, records: number, wanted: number) {
  let shown = 0;
  return (done: readonly Imported[], refused: number, placed: number): void => {
    const hundredths = Math.floor((placed * 100) / wanted);
    if (asJson || wanted <= MANY || hundredths === shown) return;
    shown = hundredths;
    const before = startAt > 1 ? `, from record ${startAt}` : '';
    output.complain(
      `${placed} of ${wanted} (${records} in the file${before}): ${countsOf(done)}, ${refused} refused\n`,
    );
  };
}

function countsOf(done: readonly Imported[]): string {
  const count = (wanted: Imported['outcome']) => done.filter(({ outcome }) => outcome === wanted).length;
  return `${count('created')} created, ${count('updated')} updated, ${count('unchanged')} unchanged`;
}

const results = (done: readonly Imported[], { asJson }: ImportOptions): string => {
  if (asJson) return asDocument('users', 'username', done);
  return done.length > MANY ? `${countsOf(done)}\n` : asLines('users', done);
};

function stopWords(
  sent: readonly SentRecord[],
  refused: ReadonlyMap<number, Refused>,
  options: ImportOptions,
  done: number,
): string {
  const words = wordsOf(sent, refused, options);
  if (done === 0) return `The import is refused; nothing was changed.\n${words}`;
  return `The import stopped: ${counted(done, 'record')} imported, the rest not. Import the file again to continue; --skip-refused leaves out rejected records.\n${words}`;
}

/** In the order of the file. */
const inOrder = (refused: Iterable<Refused>): Refused[] => [...refused].sort((one, other) => one.index - other.index);

function wordsOf(
  sent: readonly SentRecord[],
  refused: ReadonlyMap<number, Refused>,
  { report }: ImportOptions,
): string {
  const lines = inOrder(refused.values()).flatMap(({ index, reasons }) =>
    reasons.map((words) => `  ${recordName('username', sent[index]?.value, index)}: ${words}`),
  );
  const left = lines.length - MAX_SHOWN;
  const where = report === null ? 'with --report FILE they are all written' : `all are in ${printable(report)}`;
  return left > 0 ? `${lines.slice(0, MAX_SHOWN).join('\n')}\n  … and ${left} more: ${where}` : lines.join('\n');
}

/** One line for each record that was refused: where it is, whom it names, and why. @throws CommandRefused */
function writeReport(file: string | null, sent: readonly SentRecord[], refused: readonly Refused[]): void {
  if (file === null) return;
  const lines = inOrder(refused).map(({ index, reasons }) => {
    const { value, line } = sent[index] ?? { value: null, line: null };
    const username = isJsonObject(value) && typeof value['username'] === 'string' ? value['username'] : null;
    return { record: index + 1, ...(line !== null && { line }), username, reasons };
  });
  writeLines(file, lines);
}

const pairOf = ({ name, sub }: Imported): object => ({ username: name, sub });

/** @throws CommandRefused */
function writeLines(file: string | null, lines: readonly object[], flag: 'w' | 'a' = 'w'): void {
  if (file === null) return;
  try {
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600, flag });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'no reason given';
    throw new CommandRefused(`${printable(file)}: the report cannot be written (${code}).`);
  }
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? ' was' : 's were'}`;
