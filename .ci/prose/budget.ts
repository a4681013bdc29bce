/** The number of findings that each rule may have in each folder. Its sum only falls. */
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

/**
 * Lower for each rule, in an order that merges well. A folder may take over from another, as when a file moves: the sum of a rule
 * never rises. Where there are more findings than the sum, no folder rises.
 */
export function lowered(budget: Budget, counts: Budget): Budget {
  const mayMove = (rule: string) => sumOf(counts, rule) <= sumOf(budget, rule);
  const folders = [...new Set([...Object.keys(budget), ...Object.keys(counts)])].toSorted();
  return Object.fromEntries(
    folders.flatMap((folder) => {
      const found = Object.entries(counts[folder] ?? {}).toSorted();
      const left = found.flatMap(([rule, count]) => {
        const allowed = mayMove(rule) ? count : Math.min(count, budget[folder]?.[rule] ?? 0);
        return allowed > 0 ? [[rule, allowed] as const] : [];
      });
      return left.length > 0 ? [[folder, Object.fromEntries(left)] as const] : [];
    }),
  );
}

const sumOf = (budget: Budget, rule: string): number =>
  Object.values(budget).reduce((sum, rules) => sum + (rules[rule] ?? 0), 0);
