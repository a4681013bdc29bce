/** The records of an import, of clients and of users: the problems, and the report. */
import { CLIENTS_FILE } from '../config/configuration.ts';
import { describeRecordProblem } from '../config/problem.ts';
import { shown } from '../config/shown.ts';
import { isJsonObject, problem } from '../registration/record-problem.ts';
import { warningLines } from './output.ts';
import type { RecordKind } from './records-file.ts';

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

export function asLines(kind: RecordKind, done: readonly Imported[]): string {
  if (done.length === 0) return `The file has no ${kind}; nothing was changed.\n`;
  const lines = done.map(({ name, outcome, changed, made, warnings }) => {
    const changes = changed.length > 0 ? `  (${changed.join(', ')})` : '';
    const secrets = Object.entries(made).map(([field, value]) => `  ${field} (not shown again): ${value}\n`);
    return `${outcome.padEnd(9)}  ${name}${changes}\n${secrets.join('')}${warningLines(warnings)}`;
  });
  return lines.join('');
}
