import { describeRecordProblem } from '../config/problem.ts';
import type { Reading } from '../registration/record-problem.ts';
import { CommandRefused } from './failure.ts';

/** @throws CommandRefused with every problem of the record. */
export function accepted<T>(kind: 'client' | 'user', reading: Reading<T>): Extract<Reading<T>, { readonly ok: true }> {
  if (reading.ok) return reading;
  const problems = reading.problems.map((problem) => `  ${describeRecordProblem(problem)}`).join('\n');
  throw new CommandRefused(`The ${kind} is refused; nothing was changed.\n${problems}`);
}
