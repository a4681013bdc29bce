/** Every moment that can be reached within the bounds, nearest first: the first violation that is found has the shortest trace. */
import { keyOfMoment, keyOfStanding, type ModelState, type Step } from './moment.ts';
import { movesFrom } from './moves.ts';
import type { AnyInvariant, AnyWalk, Bounds, InitialState, Invariant, Terms, Walk } from './walk.ts';

export type Violation = {
  readonly walk: AnyWalk;
  readonly invariant: AnyInvariant;
  readonly words: string;
  /** The initial state, in a sentence. */
  readonly begins: string;
  // biome-ignore lint/suspicious/noExplicitAny: of any walk.
  readonly trace: readonly Step<any>[];
};

export type Exploration = {
  readonly bounds: Bounds;
  readonly modelStates: number;
  readonly steps: number;
  readonly milliseconds: number;
  /** The first of each invariant that is broken. */
  readonly violations: readonly Violation[];
};

type Node<T extends Terms> = {
  readonly modelState: ModelState<T>;
  readonly before: Node<T> | null;
  readonly modelStep: Step<T> | null;
  readonly begins: string;
};

/** @param stopAtFirst for a caller that wants to know only whether there is one. */
export function explore<T extends Terms>(walk: Walk<T>, bounds: Bounds, stopAtFirst = false): Exploration {
  const began = performance.now();
  const violations = new Map<string, Violation>();
  const note = (invariant: Invariant<T>, words: string | null, node: Node<T>) => {
    if (words === null || violations.has(invariant.name)) return;
    violations.set(invariant.name, { walk, invariant, words, begins: node.begins, trace: traceOf(node) });
  };
  const seen = new Set<string>();
  let steps = 0;
  let ring: Node<T>[] = [];
  /** Reached for the first time: it is asked about, and gone on from. */
  const reach = (node: Node<T>, into: Node<T>[]) => {
    const standing = keyOfStanding(node.modelState);
    const key = keyOfMoment(node.modelState, standing);
    if (seen.has(key)) return;
    seen.add(key);
    for (const [invariant, words] of violationAt(walk, node.modelState, standing)) note(invariant, words, node);
    into.push(node);
  };
  for (const one of walk.initialStates) {
    reach({ modelState: firstMoment(walk, one, bounds), before: null, modelStep: null, begins: one.says }, ring);
  }
  while (ring.length > 0 && !(stopAtFirst && violations.size > 0)) {
    const next: Node<T>[] = [];
    for (const node of ring) {
      for (const move of movesFrom(walk, bounds, node.modelState)) {
        steps++;
        const { begins } = node;
        const reached = { modelState: move.after, before: node, modelStep: move.modelStep, begins };
        for (const one of walk.invariants)
          if (one.violation) note(one, one.violation(walk, node.modelState, move), reached);
        if (move.broken === null) reach(reached, next);
      }
    }
    ring = next;
  }
  const milliseconds = performance.now() - began;
  return { bounds, modelStates: seen.size, steps, milliseconds, violations: [...violations.values()] };
}

type ViolationAt<T extends Terms> = readonly (readonly [invariant: Invariant<T>, words: string])[];
const NOTHING_BROKEN: readonly never[] = [];

/** Asked once for each walk: many moments stand alike, within other bounds too. */
const standings = new WeakMap<object, Map<string, ViolationAt<never>>>();

function violationAt<T extends Terms>(walk: Walk<T>, modelState: ModelState<T>, standing: string): ViolationAt<T> {
  const known = standings.get(walk) ?? new Map<string, ViolationAt<never>>();
  standings.set(walk, known);
  const before = known.get(standing);
  if (before !== undefined) return before as unknown as ViolationAt<T>;
  const broken = walk.invariants.flatMap((invariant) => {
    const words = invariant.violationAt?.(walk, modelState) ?? null;
    return words === null ? [] : [[invariant, words] as const];
  });
  known.set(standing, broken.length === 0 ? NOTHING_BROKEN : (broken as unknown as ViolationAt<never>));
  return broken;
}

export function firstMoment<T extends Terms>(
  { backups }: Walk<T>,
  { now, stored, known }: InitialState<T>,
  { requests, faults }: Bounds,
): ModelState<T> {
  const versions = backups ? [{ stored, known: backups.of(known) }] : [];
  return { now, stored, known, flights: [], delayed: [], versions, draws: 0, left: { requests, faults } };
}

function traceOf<T extends Terms>(node: Node<T>): Step<T>[] {
  const trace: Step<T>[] = [];
  for (let at: Node<T> | null = node; at; at = at.before) if (at.modelStep) trace.unshift(at.modelStep);
  return trace;
}
