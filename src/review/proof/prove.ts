/** The proof: the extent of the walk, and the verdict on each invariant. */
import type { AnyStateMachine } from 'xstate';
import type { Lifetimes } from '../../model/lifetimes.ts';
import { type Exploration, explore, type Violation } from './explore.ts';
import type { AnyInvariant, AnyWalk, Bounds } from './walk.ts';
import { allInvariants, underEveryPolicy, underPolicy } from './walks.ts';

export type Verdict = { readonly invariant: AnyInvariant; readonly violation: Violation | null };
export type Proof = {
  readonly walk: AnyWalk;
  /** Null: it holds under every policy. */
  readonly policy: string | null;
  readonly explorations: readonly Exploration[];
  readonly verdicts: readonly Verdict[];
};

export const holds = ({ verdicts }: Pick<Proof, 'verdicts'>): boolean =>
  verdicts.every(({ violation }) => violation === null);

/** Which machine decides for a lifecycle; another revision brings its own. */
export type MachineOf = (machine: AnyStateMachine) => AnyStateMachine;

/** The walks that depend on a policy for codes and chains. */
export const prove = (lifetimes: Lifetimes, bounds?: readonly Bounds[], machineOf?: MachineOf): Proof =>
  proofOf(underPolicy(lifetimes), lifetimes.name, bounds, machineOf);

/**
 * The invariants that depend on no policy: proved once.
 * @param about the ids of machines; only walks with one of them are proved. Absent: all.
 */
export const proveForEveryPolicy = (machineOf?: MachineOf, about?: readonly string[]): readonly Proof[] =>
  underEveryPolicy
    .filter(({ machines }) => about === undefined || machines.some((one) => about.includes(one)))
    .map((walk) => proofOf(walk, null, undefined, machineOf));

/** @param policy the one that it depends on. Null: none. */
export function proofOf(walk: AnyWalk, policy: string | null, bounds = walk.bounds, machineOf = walk.machineOf): Proof {
  const proved = { ...walk, machineOf };
  const explorations = bounds.map((one) => explore(proved, one));
  const violations = explorations.flatMap((one) => one.violations);
  const verdicts = walk.invariants.map((invariant) => ({
    invariant,
    // The shortest of all explorations.
    violation:
      violations
        .filter((one) => one.invariant === invariant)
        .toSorted((one, other) => one.trace.length - other.trace.length)[0] ?? null,
  }));
  return { walk, policy, explorations, verdicts };
}

/** The invariants of a machine, by its id. */
export const invariantsAbout = (machine: string): readonly AnyInvariant[] =>
  allInvariants.filter(({ machines }) => machines.includes(machine));
