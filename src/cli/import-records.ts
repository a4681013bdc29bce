/**
 * The import of clients and users: all records are read and compared with what is stored, and nothing is written unless all of
 * them are valid. Importing the file again completes an import that a lost connection cut off.
 */

import type { Runtime } from '../boot/runtime.ts';
import { describeRecordProblem } from '../config/problem.ts';
import { shown } from '../config/shown.ts';
import { isJsonObject, problem, type Reading } from '../registration/record-problem.ts';
import { type Cli, withRuntime } from './cli.ts';
import { CommandRefused } from './failure.ts';
import { json, warningLines } from './output.ts';
import { type RecordKind, readRecords } from './records-file.ts';

type AnyPlan = { readonly outcome: string; readonly changed: readonly string[] };

export type Importing<T, Plan extends AnyPlan> = {
  readonly kind: RecordKind;
  /** The field that names a record. */
  readonly idField: string;
  readonly read: (input: unknown, runtime: Runtime) => Reading<T>;
  /** Must be unique within a file. */
  readonly keyOf: (record: T) => string;
  /** @throws PasswordMissing, ClientIdIsSub */
  readonly plan: (runtime: Runtime, record: T) => Promise<Plan>;
  readonly apply: (runtime: Runtime, plan: Plan) => Promise<unknown>;
  readonly nameOf: (plan: Plan) => string;
  readonly warningsOf: (plan: Plan) => readonly string[];
  /** Secrets that the import created; shown only once. */
  readonly made: (plan: Plan) => Readonly<Record<string, string>>;
  /** What is wrong with the record when `plan` throws; null for other errors. */
  readonly wordsOf: (error: unknown) => string | null;
};

export async function importRecords<T, Plan extends AnyPlan>(
  cli: Cli,
  importing: Importing<T, Plan>,
  file: string,
  asJson: boolean,
): Promise<void> {
  // Read before the database is opened, so that a wrong file does not occupy the embedded database.
  const inputs = await readRecords(cli.input, file, importing.kind);
  const done = await withRuntime(cli, async (runtime) => {
    const planned = await planAll(importing, inputs, runtime);
    for (const { plan } of planned) await importing.apply(runtime, plan);
    return planned;
  });
  cli.output.print(asJson ? asDocument(importing, done) : asLines(importing, done));
}

type Planned<Plan> = { readonly plan: Plan; readonly warnings: readonly string[] };

/** @throws CommandRefused with all problems of all records. */
async function planAll<T, Plan extends AnyPlan>(
  importing: Importing<T, Plan>,
  inputs: readonly unknown[],
  runtime: Runtime,
): Promise<Planned<Plan>[]> {
  const problems: string[] = [];
  const planned: Planned<Plan>[] = [];
  const places = new Map<string, number>();
  for (const [index, input] of inputs.entries()) {
    const report = (words: string) => problems.push(`${recordName(importing, input, index)}: ${words}`);
    const reading = importing.read(input, runtime);
    if (!reading.ok) {
      for (const found of reading.problems) report(describeRecordProblem(found));
      continue;
    }
    const key = importing.keyOf(reading.value);
    const earlier = places.get(key);
    if (earlier !== undefined) {
      report(
        describeRecordProblem(
          problem(importing.idField, `that of record ${earlier + 1}`, 'a value that no other record has'),
        ),
      );
    }
    places.set(key, earlier ?? index);
    try {
      const plan = await importing.plan(runtime, reading.value);
      planned.push({ plan, warnings: [...reading.warnings, ...importing.warningsOf(plan)] });
    } catch (error) {
      const words = importing.wordsOf(error);
      if (words === null) throw error;
      report(words);
    }
  }
  if (problems.length === 0) return planned;
  throw new CommandRefused(
    `The import is refused; nothing was changed.\n${problems.map((text) => `  ${text}`).join('\n')}`,
  );
}

function recordName({ idField }: { idField: string }, input: unknown, index: number): string {
  const id = isJsonObject(input) ? input[idField] : undefined;
  return `record ${index + 1}${typeof id === 'string' ? ` (${idField} ${shown(id)})` : ''}`;
}

function asLines<T, Plan extends AnyPlan>(
  { nameOf, made, kind }: Importing<T, Plan>,
  done: readonly Planned<Plan>[],
): string {
  if (done.length === 0) return `The file has no ${kind}; nothing was changed.\n`;
  const lines = done.map(({ plan, warnings }) => {
    const changes = plan.changed.length > 0 ? `  (${plan.changed.join(', ')})` : '';
    const secrets = Object.entries(made(plan)).map(([name, value]) => `  ${name} (not shown again): ${value}\n`);
    return `${plan.outcome.padEnd(9)}  ${nameOf(plan)}${changes}\n${secrets.join('')}${warningLines(warnings)}`;
  });
  return lines.join('');
}

function asDocument<T, Plan extends AnyPlan>(
  { nameOf, made, kind, idField }: Importing<T, Plan>,
  done: readonly Planned<Plan>[],
): string {
  return json({
    [kind]: done.map(({ plan, warnings }) => ({
      [idField]: nameOf(plan),
      outcome: plan.outcome,
      changed: plan.changed,
      ...made(plan),
      warnings,
    })),
  });
}
