/** The number of findings that each rule may have in each folder. It only falls. */
import type { Finding } from './findings.ts';

/** By folder, then by rule. A folder or rule that is not listed may have no finding. */
export type Budget = { readonly [folder: string]: { readonly [rule: string]: number } };

/** Two levels deep, such as "src/http"; "." is the root. */
export const folderOf = (file: string): string => file.split('/').slice(0, -1).slice(0, 2).join('/') || '.';

export function tally(findings: readonly Finding[]): Budget {
  const counts: Record<string, Record<string, number>> = {};
  for (const { file, rule } of findings) {
    counts[folderOf(file)] ??= {};
    const folder = counts[folderOf(file)] as Record<string, number>;
    folder[rule] = (folder[rule] ?? 0) + 1;
  }
  return counts;
}

export type Excess = {
  readonly folder: string;
  readonly rule: string;
  readonly count: number;
  readonly allowed: number;
};

export const excess = (budget: Budget, counts: Budget): readonly Excess[] =>
  Object.entries(counts).flatMap(([folder, rules]) =>
    Object.entries(rules).flatMap(([rule, count]) => {
      const allowed = budget[folder]?.[rule] ?? 0;
      return count > allowed ? [{ folder, rule, count, allowed }] : [];
    }),
  );

/** Never more than before, in an order that merges well. */
export function lowered(budget: Budget, counts: Budget): Budget {
  const folders = Object.entries(budget).flatMap(([folder, rules]) => {
    const left = Object.entries(rules).flatMap(([rule, allowed]) => {
      const count = Math.min(allowed, counts[folder]?.[rule] ?? 0);
      return count > 0 ? [[rule, count] as const] : [];
    });
    return left.length > 0 ? [[folder, Object.fromEntries(left.toSorted())] as const] : [];
  });
  return Object.fromEntries(folders.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
