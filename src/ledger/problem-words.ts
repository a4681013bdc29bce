/** The problems of a verification, in words. */
import type { Problem } from './verify.ts';

/** @param head the name that the caller has for the latest seal from another source. */
export function problemWords(problem: Problem, head = 'the head'): string {
  const where = problem.segment === null ? 'no segment' : `segment ${problem.segment}`;
  switch (problem.problem) {
    case 'line_changed':
      return `${where}: line ${problem.line} (${problem.month}) was changed`;
    case 'line_added':
      return `${where}: line ${problem.line} (${problem.month}) was added`;
    case 'line_removed':
      return `${where}: line ${problem.line} (${problem.month}) was removed`;
    case 'lines_differ':
      return `${where}: lines of ${problem.month} differ; its index was changed too, so they cannot be named`;
    case 'index_changed':
      return `${where}: its index was changed; its lines of ${problem.month} are as they were`;
    case 'month_removed':
      return `${where}: all ${problem.lines} lines of ${problem.month} were removed, though they were to be kept`;
    case 'segment_changed':
      return `${where} was changed, or is not from this server`;
    case 'segment_before_changed':
      return `${where} does not follow the segment before it: one of them was replaced`;
    case 'number_refused':
      return `a row with the number ${problem.number} was added to the closed segments: no server gives such a number`;
    case 'line_ahead':
      return `line ${problem.line} (${problem.month}) names a transaction that has not started: it was added, and is in no segment`;
    case 'segment_removed':
      return `${where} was removed`;
    case 'key_unknown':
      return problem.public_key === null
        ? `${where} cannot be checked: it is signed with a key that is not known here (${problem.key})`
        : `${where} is signed by the key ${problem.key}, which is not among those you trust`;
    case 'head_differs':
      return `${where} is not what ${head} names: it was replaced`;
  }
}
