/** The proof for one policy: what was walked, and the verdict on each invariant. */
import type { Lifetimes } from '../../model/lifetimes.ts';
import type { Bounds } from './beginning.ts';
import { type Exploration, explore, type Violation } from './explore.ts';
import { INVARIANTS, type Invariant } from './invariants.ts';
import { type System, systemOf } from './system.ts';

/**
 * Two walks: many presentations with one disturbance, fewer with two. Together seconds; whoever wants more gives bounds of their
 * own. What a violation needs is little: no mutant of the suite (test/review) needs more than these.
 */
export const DEFAULT_BOUNDS: readonly Bounds[] = [
  { presentations: 4, inFlight: 3, disturbances: 1 },
  { presentations: 3, inFlight: 2, disturbances: 2 },
];

export type Verdict = { readonly invariant: Invariant; readonly violation: Violation | null };
export type Proof = {
  readonly policy: string;
  readonly explorations: readonly Exploration[];
  readonly verdicts: readonly Verdict[];
};

export const holds = ({ verdicts }: Proof): boolean => verdicts.every(({ violation }) => violation === null);

export function prove(lifetimes: Lifetimes, bounds = DEFAULT_BOUNDS, system: System = systemOf(lifetimes)): Proof {
  const explorations = bounds.map((one) => explore(system, one));
  const violations = explorations.flatMap((one) => one.violations);
  const verdicts = INVARIANTS.map((invariant) => ({
    invariant,
    // The shortest of all walks.
    violation:
      violations
        .filter((one) => one.invariant === invariant)
        .toSorted((one, other) => one.trace.length - other.trace.length)[0] ?? null,
  }));
  return { policy: lifetimes.name, explorations, verdicts };
}
