/**
 * The import on the database itself: all records are read and compared with what is stored, and nothing is written unless all of
 * them are valid. Importing the file again completes an import that a lost connection cut off.
 */
import type { Runtime } from '../../boot/runtime.ts';
import { describeRecordProblem } from '../../config/problem.ts';
import type { Reading } from '../../registration/record-problem.ts';
import { recordName, recordProblemsOf, refuseImport } from '../import-records.ts';
import type { Imported } from '../ports.ts';

type AnyPlan = Pick<Imported, 'outcome' | 'changed'>;

export type Importing<T, Plan extends AnyPlan> = {
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
  readonly made: (plan: Plan) => Readonly<Record<string, string>>;
  /** What is wrong with the record when `plan` throws; null for other errors. */
  readonly wordsOf: (error: unknown) => string | null;
};

type Planned<Plan> = { readonly plan: Plan; readonly warnings: readonly string[] };

/** @throws CommandRefused with all problems of all records. */
export async function importDirectly<T, Plan extends AnyPlan>(
  importing: Importing<T, Plan>,
  inputs: readonly unknown[],
  runtime: Runtime,
): Promise<readonly Imported[]> {
  const planned = await planAll(importing, inputs, runtime);
  for (const { plan } of planned) await importing.apply(runtime, plan);
  return planned.map(({ plan, warnings }) => ({
    name: importing.nameOf(plan),
    outcome: plan.outcome,
    changed: plan.changed,
    made: importing.made(plan),
    warnings,
  }));
}

async function planAll<T, Plan extends AnyPlan>(
  importing: Importing<T, Plan>,
  inputs: readonly unknown[],
  runtime: Runtime,
): Promise<readonly Planned<Plan>[]> {
  const problems: string[] = [];
  const planned: Planned<Plan>[] = [];
  const report = (input: unknown, index: number, words: string) =>
    void problems.push(`${recordName(importing.idField, input, index)}: ${words}`);
  const { repeated } = recordProblemsOf(importing.idField, report);
  for (const [index, input] of inputs.entries()) {
    const reading = importing.read(input, runtime);
    if (!reading.ok) {
      for (const found of reading.problems) report(input, index, describeRecordProblem(found));
      continue;
    }
    repeated(input, index, importing.keyOf(reading.value));
    try {
      const plan = await importing.plan(runtime, reading.value);
      planned.push({ plan, warnings: [...reading.warnings, ...importing.warningsOf(plan)] });
    } catch (error) {
      const words = importing.wordsOf(error);
      if (words === null) throw error;
      report(input, index, words);
    }
  }
  refuseImport(problems);
  return planned;
}
