/** The import of clients and users: from a file to the report. */
import { CLIENTS_FILE } from '../config/configuration.ts';
import { describeRecordProblem } from '../config/problem.ts';
import { shown } from '../config/shown.ts';
import { isJsonObject, problem } from '../registration/record-problem.ts';
import type { Cli } from './cli.ts';
import { CommandRefused } from './failure.ts';
import { json, warningLines } from './output.ts';
import { type RecordKind, readRecords } from './records-file.ts';

export type Outcome = 'created' | 'updated' | 'unchanged';

/** A record of an import. */
export type Imported = {
  readonly name: string;
  /** Of an end-user. */
  readonly sub?: string;
  readonly outcome: Outcome;
  readonly changed: readonly string[];
  /** Secrets that the import made; shown once. */
  readonly made: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
};

export type Import = {
  readonly done: readonly Imported[];
  /** Why it stopped after these; null: there are no others. */
  readonly stopped: string | null;
};

type Importer = {
  /** @throws CommandRefused with all that is wrong with the records; nothing was changed then. */
  readonly import: (records: readonly unknown[]) => Promise<Import>;
};
type Reaching = <T>(cli: Cli, use: (importer: Importer) => Promise<T>) => Promise<T>;
type Kind = { readonly kind: RecordKind; readonly idField: string };

export async function importRecords(
  cli: Cli,
  { kind, idField }: Kind,
  {
    reach,
    file,
    asJson,
    records,
  }: {
    readonly reach: Reaching;
    readonly file: string;
    readonly asJson: boolean;
    /** Absent: those of the file. */
    readonly records?: readonly unknown[];
  },
): Promise<void> {
  // Read before the database is opened, so that a wrong file does not occupy the embedded database.
  const inputs = records ?? (await readRecords(cli.input, file, kind));
  const { done, stopped } = await reach(cli, (importer) => importer.import(inputs));
  // Also before it says why it stopped: secrets that were made are shown now or never.
  if (stopped === null || done.length > 0)
    cli.output.print(asJson ? asDocument(kind, idField, done) : asLines(kind, done));
  if (stopped !== null) throw new CommandRefused(stopped);
}

/** With a generated id, each import of the same file would create another client. */
export const NEEDS_ID = problem('client_id', 'nothing', 'an id, so that the import can be repeated');

export const IS_DECLARED = problem(
  'client_id',
  'a declared client',
  `a client that ${CLIENTS_FILE} does not declare (it is changed there)`,
);

export const NEEDS_PASSWORD = problem('password', 'nothing', '1 to 1024 characters for a new user');

/** A record does not enable a disabled end-user. */
export const STAYS_DISABLED = 'is disabled, and stays so ("statehouse users enable")';

/** Gathers what is wrong with the records of a file. */
export function recordProblemsOf<Input>(idField: string, tell: (input: Input, index: number, words: string) => void) {
  const places = new Map<string, number>();
  return {
    /** @param key must be unique within a file. */
    repeated: (input: Input, index: number, key: string) => {
      const earlier = places.get(key);
      places.set(key, earlier ?? index);
      if (earlier === undefined) return;
      const twice = problem(idField, `that of record ${earlier + 1}`, 'a value that no other record has');
      tell(input, index, describeRecordProblem(twice));
    },
  };
}

export function recordName(idField: string, input: unknown, index: number): string {
  const id = isJsonObject(input) ? input[idField] : undefined;
  return `record ${index + 1}${typeof id === 'string' ? ` (${idField} ${shown(id)})` : ''}`;
}

/** @throws CommandRefused for any problem. */
export function refuseImport(problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new CommandRefused(
    `The import is refused; nothing was changed.\n${problems.map((text) => `  ${text}`).join('\n')}`,
  );
}

export function asLines(kind: RecordKind, done: readonly Imported[]): string {
  if (done.length === 0) return `The file has no ${kind}; nothing was changed.\n`;
  const lines = done.map(({ name, outcome, changed, made, warnings }) => {
    const changes = changed.length > 0 ? `  (${changed.join(', ')})` : '';
    const secrets = Object.entries(made).map(([field, value]) => `  ${field} (not shown again): ${value}\n`);
    return `${outcome.padEnd(9)}  ${name}${changes}\n${secrets.join('')}${warningLines(warnings)}`;
  });
  return lines.join('');
}

export const asDocument = (kind: RecordKind, idField: string, done: readonly Imported[]): string =>
  json({
    [kind]: done.map(({ name, sub, outcome, changed, made, warnings }) => ({
      [idField]: name,
      ...(sub !== undefined && { sub }),
      outcome,
      changed,
      ...made,
      warnings,
    })),
  });
