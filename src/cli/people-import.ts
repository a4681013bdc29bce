/**
 * The import of end-users: reads every record first, then imports them in order, in batches. It keeps no record in memory beyond its
 * batch, so it reads the file twice. Imported records stay after a failure: the same file again finds them unchanged and continues.
 */
import { describeRecordProblem } from '../config/problem.ts';
import { verifiedAddressKey } from '../model/user.ts';
import { subKey } from '../oauth/sub.ts';
import { usernameKey } from '../oauth/username.ts';
import type { FoundUser, PlacedUser } from '../registration/import-users.ts';
import type { ImportedUser } from '../registration/imported-user.ts';
import type { Reading } from '../registration/record-problem.ts';
import { settled } from '../registration/sources/settle.ts';
import type { Cli } from './cli.ts';
import { CommandRefused } from './failure.ts';
import { type Imported, NEEDS_PASSWORD, recordProblemsOf, STAYS_DISABLED } from './import-records.ts';
import { type Refusal, refusalsOf, writeLines } from './import-refusals.ts';
import { MANY, resultsTo } from './import-results.ts';
import { summaryLines, summing } from './import-summary.ts';
import { json } from './output.ts';
import { NO_USER, type RecordSource, type SentRecord, UNREADABLE } from './records-file.ts';

/** The steps of an import. */
export type PeopleImport = {
  /** The problems of one record by itself. */
  readonly read: (input: unknown) => Reading<ImportedUser>;
  /** At most `atOnce`; answered in their order. Changes nothing. */
  readonly find: (records: readonly ImportedUser[]) => Promise<readonly FoundUser[]>;
  /** At most `atOnce`; answered in their order. */
  readonly place: (records: readonly ImportedUser[]) => Promise<readonly PlacedUser[]>;
  /** Whether operators.yaml gives a role to this username. Absent: the server knows. */
  readonly isOperator?: (username: string) => boolean;
  /** The host name for which passkeys have to be made. Null: the server has none. */
  readonly rpId: string | null;
  /** Verified addresses are identifiers: a username and a verified address of two end-users differ, and so do two addresses. */
  readonly addressesIdentify: boolean;
  readonly atOnce: number;
};

export type ImportOptions = {
  readonly asJson: boolean;
  /** Reads and checks every record, and changes nothing. */
  readonly dryRun: boolean;
  /** Records that are refused do not stop the others. */
  readonly skipRefused: boolean;
  /** A file for what was refused, as JSON lines; null: none. */
  readonly report: string | null;
  /** A file for username and `sub` of what was imported, as JSON lines; null: none. */
  readonly pairs: string | null;
  /** The first record to place, counted from 1: those before were placed by an earlier run. */
  readonly startAt: number;
};

type Accepted = {
  readonly index: number;
  readonly sent: SentRecord;
  readonly value: ImportedUser;
  readonly warnings: readonly string[];
  readonly leftOut: readonly string[];
};

export async function importPeople(
  cli: Cli,
  people: PeopleImport,
  source: RecordSource,
  options: ImportOptions,
): Promise<void> {
  const refusals = refusalsOf(options.report);
  writeLines(options.pairs, []);
  const { records, wanted, refused, summary } = await check(cli, people, source, options, refusals.add);
  if (options.dryRun) {
    const end = summary.end(refusals.count());
    const words = refusals.count() > 0 ? `\n${refusals.words()}` : '';
    const text = `Dry run: nothing was changed.\n${summaryLines(end, refusals)}`;
    cli.output.print(options.asJson ? json({ dry_run: true, ...end }) : text);
    if (words !== '') cli.output.complain(`${counted(refusals.count(), 'record')} refused.${words}\n`);
    return;
  }
  if (refusals.count() > 0 && !options.skipRefused)
    throw new CommandRefused(`The import is refused; nothing was changed.\n${refusals.words()}`);

  const results = resultsTo(cli.output, options.asJson);
  const end = () => results.end(source.isForeign ? summary.end(refusals.count()) : null);
  const tell = progressOf(cli, options, records, wanted);
  let isStopped = false;
  let before = 0;
  for await (const batch of batches(
    read(people, source, (index) => index + 1 < options.startAt || refused.has(index)),
    people.atOnce,
  )) {
    const placed = await people.place(batch.map(({ value }) => value)).catch((error) => {
      // Imported records stay, and the output lists them before the failure.
      if (results.count() > 0) end();
      throw error;
    });
    const done: Imported[] = [];
    for (const [place, { index, sent, warnings }] of batch.entries()) {
      const outcome = placed[place];
      if (outcome?.kind === 'placed') {
        const { outcome: what, username: name, sub, changed, disabled, notes = [] } = outcome;
        summary.leaveOut(notes);
        // A server has read the record too, and warns of the same.
        const all = [...new Set([...warnings, ...notes, ...(disabled ? [STAYS_DISABLED] : [])])];
        done.push({ name, sub, outcome: what, changed, made: {}, warnings: all });
      } else {
        refusals.add([{ index, sent, reasons: [outcome?.words ?? 'It was not answered.'] }]);
        if (!options.skipRefused) isStopped = true;
      }
    }
    results.add(done);
    writeLines(options.pairs, done.map(pairOf), 'a');
    before += batch.length;
    tell(results.counts(), refusals.count(), before);
    if (isStopped) break;
  }
  // Also before it says why it stopped.
  if (!isStopped || results.count() > 0) end();
  if (isStopped) throw new CommandRefused(stopWords(refusals.words(), results.count()));
  if (source.isForeign && !options.asJson) cli.output.print(summaryLines(summary.end(refusals.count()), refusals));
  if (refusals.count() > 0)
    cli.output.complain(
      `${counted(refusals.count(), 'record')} refused; the others were imported.\n${refusals.words()}\n`,
    );
}

/** Reads every record, and changes nothing. */
async function check(
  cli: Cli,
  people: PeopleImport,
  source: RecordSource,
  { startAt, asJson }: ImportOptions,
  report: (refusals: readonly Refusal[]) => void,
) {
  const refused = new Set<number>();
  const summary = summing(people.rpId);
  let records = 0;
  let wanted = 0;
  let found = new Map<number, { sent: SentRecord; reasons: string[] }>();
  const reject = (index: number, sent: SentRecord, words: string) => {
    refused.add(index);
    const known = found.get(index) ?? { sent, reasons: [] };
    known.reasons.push(words);
    found.set(index, known);
  };
  const once = (name: string) => recordProblemsOf<SentRecord>(name, (sent, index, words) => reject(index, sent, words));
  const [{ repeated }, { repeated: repeatedSub }, { repeated: repeatedPasskey }, { repeated: repeatedName }] = [
    once('username'),
    once('sub'),
    once('credential_id'),
    once('username or email'),
  ];
  for await (const batch of batches(source.records(), people.atOnce)) {
    const accepted: Accepted[] = [];
    for (const sent of batch) {
      if (sent.value === NO_USER) {
        summary.leaveOut(sent.leftOut ?? []);
        continue;
      }
      const index = records;
      records += 1;
      const reading = readingOf(people, source, index, sent);
      if ('reasons' in reading) {
        for (const words of reading.reasons) reject(index, sent, words);
        continue;
      }
      repeated(sent, index, usernameKey(reading.value.username));
      if (reading.value.sub !== null) repeatedSub(sent, index, subKey(reading.value.sub));
      for (const { credentialId } of reading.value.passkeys)
        repeatedPasskey(sent, index, credentialId.toString('base64url'));
      if (!refused.has(index)) accepted.push(reading);
    }
    const stored = await people.find(accepted.map(({ value }) => value));
    for (const [place, { index, sent, value, leftOut }] of accepted.entries()) {
      const one = stored[place] ?? { kind: 'new' };
      if (one.kind === 'refused') reject(index, sent, one.words);
      else if (one.kind === 'new' && needsPassword(value)) reject(index, sent, describeRecordProblem(NEEDS_PASSWORD));
      if (one.kind === 'new' && people.addressesIdentify && !refused.has(index))
        for (const name of namesOf(value)) repeatedName(sent, index, name);
      if (one.kind === 'refused' || refused.has(index)) continue;
      summary.add(value, one.kind, people.isOperator?.(value.username) === true);
      summary.leaveOut(leftOut);
      if (index + 1 >= startAt) wanted += 1;
    }
    report([...found].map(([index, one]) => ({ index, ...one })).sort((one, other) => one.index - other.index));
    found = new Map();
    if (!asJson && records % CHECKED_AT_A_TIME === 0) cli.output.complain(`${records} records checked\n`);
  }
  return { records, wanted, refused, summary };
}

/** Each identifies one end-user. */
const namesOf = (value: ImportedUser): ReadonlySet<string> =>
  new Set([usernameKey(value.username), verifiedAddressKey(value) ?? usernameKey(value.username)]);

const CHECKED_AT_A_TIME = 20_000;

const needsPassword = ({ password, passwordHash, withoutPassword }: ImportedUser): boolean =>
  password === null && passwordHash === null && !withoutPassword;

function readingOf(
  people: PeopleImport,
  source: RecordSource,
  index: number,
  sent: SentRecord,
): Accepted | { readonly reasons: readonly string[] } {
  if (sent.value === UNREADABLE) return { reasons: sent.reasons ?? [] };
  const { reading, leftOut } = source.isForeign
    ? settled(people.read, sent.value)
    : { reading: people.read(sent.value), leftOut: [] };
  if (!reading.ok) return { reasons: reading.problems.map((found) => describeRecordProblem(found)) };
  return { index, sent, ...reading, leftOut: [...(sent.leftOut ?? []), ...leftOut] };
}

/** The accepted records, a second time. */
async function* read(
  people: PeopleImport,
  source: RecordSource,
  isLeft: (index: number) => boolean,
): AsyncGenerator<Accepted> {
  let index = -1;
  for await (const sent of source.records()) {
    if (sent.value === NO_USER) continue;
    index += 1;
    if (isLeft(index)) continue;
    const reading = readingOf(people, source, index, sent);
    if ('reasons' in reading) throw new CommandRefused('The file has changed since it was checked. Import it again.');
    yield reading;
  }
}

async function* batches<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** On standard error, at most once for each hundredth; never beside JSON, which programs read. */
function progressOf({ output }: Cli, { asJson, startAt }: ImportOptions, records: number, wanted: number) {
  let shown = 0;
  return (counts: string, refused: number, placed: number): void => {
    const hundredths = Math.floor((placed * 100) / wanted);
    if (asJson || wanted <= MANY || hundredths === shown) return;
    shown = hundredths;
    const before = startAt > 1 ? `, from record ${startAt}` : '';
    output.complain(`${placed} of ${wanted} (${records} in the file${before}): ${counts}, ${refused} refused\n`);
  };
}

function stopWords(words: string, done: number): string {
  if (done === 0) return `The import is refused; nothing was changed.\n${words}`;
  return `The import stopped: ${counted(done, 'record')} imported, the rest not. Import the file again to continue; --skip-refused leaves out rejected records.\n${words}`;
}

const pairOf = ({ name, sub }: Imported): object => ({ username: name, sub });

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? ' was' : 's were'}`;
