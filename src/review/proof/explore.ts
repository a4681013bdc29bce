/** Every moment that can be reached within the bounds, nearest first: the first violation that is found has the shortest trace. */
import { type Bounds, beginning } from './beginning.ts';
import type { Happening } from './happening.ts';
import { INVARIANTS, type Invariant } from './invariants.ts';
import { movesFrom } from './moves.ts';
import type { System } from './system.ts';
import { keyOfMoment, keyOfWorld, type World } from './world.ts';

export type Violation = {
  readonly invariant: Invariant;
  readonly words: string;
  /** From the approval on. */
  readonly trace: readonly Happening[];
};

export type Exploration = {
  readonly bounds: Bounds;
  readonly worlds: number;
  readonly moves: number;
  readonly milliseconds: number;
  /** The first of each invariant that is broken. */
  readonly violations: readonly Violation[];
};

type Node = { readonly world: World; readonly before: Node | null; readonly happening: Happening | null };

/** @param stopAtFirst for whoever wants to know only whether there is one. */
export function explore(system: System, bounds: Bounds, stopAtFirst = false): Exploration {
  const began = performance.now();
  const violations = new Map<string, Violation>();
  const note = (invariant: Invariant, words: string | null, node: Node) => {
    if (words !== null && !violations.has(invariant.name))
      violations.set(invariant.name, { invariant, words, trace: traceOf(node) });
  };
  const first: Node = { world: beginning(system.lifetimes, bounds), before: null, happening: null };
  const seen = new Set([keyOfWorld(first.world)]);
  const asked = new Set<string>();
  let moves = 0;
  let ring: Node[] = [first];
  while (ring.length > 0 && !(stopAtFirst && violations.size > 0)) {
    const next: Node[] = [];
    for (const node of ring) {
      for (const move of movesFrom(system, bounds, node.world)) {
        moves++;
        const reached: Node = { world: move.after, before: node, happening: move.happening };
        for (const one of INVARIANTS) note(one, one.brokenBy?.(system, node.world, move) ?? null, reached);
        if (move.broken !== null) continue;
        const key = keyOfWorld(move.after);
        if (seen.has(key)) continue;
        seen.add(key);
        const moment = keyOfMoment(move.after);
        if (!asked.has(moment)) {
          asked.add(moment);
          for (const one of INVARIANTS) note(one, one.brokenAt?.(system, move.after) ?? null, reached);
        }
        next.push(reached);
      }
    }
    ring = next;
  }
  return {
    bounds,
    worlds: seen.size,
    moves,
    milliseconds: performance.now() - began,
    violations: [...violations.values()],
  };
}

function traceOf(node: Node): Happening[] {
  const trace: Happening[] = [];
  for (let at: Node | null = node; at; at = at.before) if (at.happening) trace.unshift(at.happening);
  return trace;
}
