/** The results of an import of end-users: each record as JSON while it comes, or lines, or for many records only their number. */

import { asLines, type Imported } from './import-records.ts';
import type { ImportSummary } from './import-summary.ts';
import type { Output } from './output.ts';

/** A smaller import lists each record. */
export const MANY = 1000;

export function resultsTo({ print }: Output, asJson: boolean) {
  const counts = { created: 0, updated: 0, unchanged: 0 };
  const kept: Imported[] = [];
  let total = 0;
  const add = (done: readonly Imported[]): void => {
    for (const one of done) {
      counts[one.outcome] += 1;
      if (asJson) print(`${total === 0 ? '{\n  "users": [' : ','}\n    ${documentOf(one)}`);
      else if (total < MANY) kept.push(one);
      total += 1;
    }
  };
  const words = () => `${counts.created} created, ${counts.updated} updated, ${counts.unchanged} unchanged`;
  return {
    add,
    count: () => total,
    counts: words,
    /** @param summary of an export of another system; null: of an own file. */
    end: (summary: ImportSummary | null): void => {
      const list = total === 0 ? '{\n  "users": []' : '\n  ]';
      const rest = summary === null ? '' : `,\n  "summary": ${indented(summary, 2)}`;
      if (asJson) print(`${list}${rest}\n}\n`);
      else print(total > MANY ? `${words()}\n` : asLines('users', kept));
    },
  };
}

const documentOf = ({ name, sub, outcome, changed, made, warnings }: Imported): string =>
  indented({ username: name, ...(sub !== undefined && { sub }), outcome, changed, ...made, warnings }, 4);

const indented = (value: object, spaces: number): string =>
  JSON.stringify(value, null, 2).replaceAll('\n', `\n${' '.repeat(spaces)}`);
