/** Every moment that can be reached within the bounds, nearest first: the first violation that is found has the shortest trace. */
import { type Happening, keyOfMoment, keyOfStanding, type Moment } from './moment.ts';
import { movesFrom } from './moves.ts';
import type { AnyInvariant, AnyWalk, Bounds, InitialState, Invariant, Terms, Walk } from './walk.ts';

export type Violation = {
  readonly walk: AnyWalk;
  readonly invariant: AnyInvariant;
  readonly words: string;
  /** The initial state, in a sentence. */
  readonly begins: string;
  // biome-ignore lint/suspicious/noExplicitAny: of any walk.
  readonly trace: readonly Happening<any>[];
};

export type Exploration = {
  readonly bounds: Bounds;
  readonly moments: number;
  readonly steps: number;
  readonly milliseconds: number;
  /** The first of each invariant that is broken. */
  readonly violations: readonly Violation[];
};

type Node<T extends Terms> = {
  readonly moment: Moment<T>;
  readonly before: Node<T> | null;
  readonly happening: Happening<T> | null;
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
    const standing = keyOfStanding(node.moment);
    const key = keyOfMoment(node.moment, standing);
    if (seen.has(key)) return;
    seen.add(key);
    for (const [invariant, words] of brokenAt(walk, node.moment, standing)) note(invariant, words, node);
    into.push(node);
  };
  for (const one of walk.initialStates) {
    reach({ moment: firstMoment(walk, one, bounds), before: null, happening: null, begins: one.says }, ring);
  }
  while (ring.length > 0 && !(stopAtFirst && violations.size > 0)) {
    const next: Node<T>[] = [];
    for (const node of ring) {
      for (const move of movesFrom(walk, bounds, node.moment)) {
        steps++;
        const { begins } = node;
        const reached = { moment: move.after, before: node, happening: move.happening, begins };
        for (const one of walk.invariants)
          if (one.violation) note(one, one.violation(walk, node.moment, move), reached);
        if (move.broken === null) reach(reached, next);
      }
    }
    ring = next;
  }
  const milliseconds = performance.now() - began;
  return { bounds, moments: seen.size, steps, milliseconds, violations: [...violations.values()] };
}

type BrokenAt<T extends Terms> = readonly (readonly [invariant: Invariant<T>, words: string])[];
const NOTHING_BROKEN: readonly never[] = [];

/** Asked once for each walk: many moments stand alike, within other bounds too. */
const standings = new WeakMap<object, Map<string, BrokenAt<never>>>();

function brokenAt<T extends Terms>(walk: Walk<T>, moment: Moment<T>, standing: string): BrokenAt<T> {
  const known = standings.get(walk) ?? new Map<string, BrokenAt<never>>();
  standings.set(walk, known);
  const before = known.get(standing);
  if (before !== undefined) return before as unknown as BrokenAt<T>;
  const broken = walk.invariants.flatMap((invariant) => {
    const words = invariant.brokenAt?.(walk, moment) ?? null;
    return words === null ? [] : [[invariant, words] as const];
  });
  known.set(standing, broken.length === 0 ? NOTHING_BROKEN : (broken as unknown as BrokenAt<never>));
  return broken;
}

export function firstMoment<T extends Terms>(
  { backups }: Walk<T>,
  { now, stored, known }: InitialState<T>,
  { requests, faults }: Bounds,
): Moment<T> {
  const versions = backups ? [{ stored, known: backups.of(known) }] : [];
  return { now, stored, known, flights: [], delayed: [], versions, draws: 0, left: { requests, faults } };
}

function traceOf<T extends Terms>(node: Node<T>): Happening<T>[] {
  const trace: Happening<T>[] = [];
  for (let at: Node<T> | null = node; at; at = at.before) if (at.happening) trace.unshift(at.happening);
  return trace;
}
