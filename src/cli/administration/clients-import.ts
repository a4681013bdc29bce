/**
 * The import of clients: the server looks at every record before anything is changed. Then the records go one by one, and what has
 * become wrong meanwhile stops the import there. Importing the file again completes it.
 */
import { describeRecordProblem } from '../../config/problem.ts';
import type { Reading } from '../../registration/record-problem.ts';
import { CommandRefused } from '../failure.ts';
import { type Import, type Imported, recordName, recordProblemsOf, refuseImport } from '../import-records.ts';
import { recordProblems } from './refusals.ts';

type Importing<T> = {
  readonly read: (input: unknown) => Reading<T>;
  /** Must be unique within a file. */
  readonly keyOf: (record: T) => string;
  readonly whatIsWrong: (record: T) => Promise<readonly string[]>;
  readonly place: (record: T, warnings: readonly string[]) => Promise<Imported>;
};

/** The field that names a record. */
const idField = 'client_id';

/** @throws CommandRefused with all that is wrong with the records; nothing was changed then. */
export async function importClients<T>(
  { read, keyOf, whatIsWrong, place }: Importing<T>,
  inputs: readonly unknown[],
): Promise<Import> {
  const problems: string[] = [];
  const records: { value: T; warnings: readonly string[] }[] = [];
  const report = (input: unknown, index: number, words: string) =>
    void problems.push(`${recordName(idField, input, index)}: ${words}`);
  const { repeated } = recordProblemsOf(idField, report);
  for (const [index, input] of inputs.entries()) {
    const reading = read(input);
    if (!reading.ok) {
      for (const found of reading.problems) report(input, index, describeRecordProblem(found));
      continue;
    }
    repeated(input, index, keyOf(reading.value));
    for (const words of await whatIsWrong(reading.value)) report(input, index, words);
    records.push(reading);
  }
  refuseImport(problems);

  const done: Imported[] = [];
  for (const [index, { value, warnings }] of records.entries()) {
    try {
      done.push(await place(value, warnings));
    } catch (error) {
      if (!(error instanceof CommandRefused)) throw error;
      const words = (recordProblems(error) ?? [error.message]).map(
        (text) => `  ${recordName(idField, inputs[index], index)}: ${text}`,
      );
      if (done.length === 0)
        return { done, stopped: `The import is refused; nothing was changed.\n${words.join('\n')}` };
      return {
        done,
        stopped: `The import stopped: ${earlier(done.length)} imported, this one and the rest not.\n${words.join('\n')}`,
      };
    }
  }
  return { done, stopped: null };
}

const earlier = (records: number): string =>
  records === 1 ? 'the record before was' : `the ${records} records before were`;
