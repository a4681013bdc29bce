/** The meaning of a machine for rows: the states that follow each other, and their effects. */
import type { Call } from '../catalogue/calls.ts';
import type { Machine } from '../catalogue/read.ts';

/** From one state to another. Arms that stay are not moves. */
export type Move = { readonly from: string; readonly to: string; readonly effects: readonly Call[] };

/** One per arm that leaves its state, in the order of the file. */
export const movesOf = ({ states }: Machine): readonly Move[] =>
  states
    .flatMap(({ arms }) => arms)
    .flatMap(({ state, to, effects }) => (to === state ? [] : [{ from: state, to, effects }]));

/** States that no move leaves. */
export const endedStatesOf = (machine: Machine): readonly string[] =>
  machine.states
    .filter(({ name, exists }) => exists && !movesOf(machine).some(({ from }) => from === name))
    .map(({ name }) => name);

/** The states that an arm with this effect leads into. */
export const statesBy = (effect: string, moves: readonly Move[]): readonly string[] =>
  unique(moves.filter(({ effects }) => effects.some(({ name }) => name === effect)).map(({ to }) => to));

/** The states that are one move away from this state. */
export const statesAfter = (state: string, moves: readonly Move[]): readonly string[] =>
  unique(moves.filter(({ from }) => from === state).map(({ to }) => to));

/** Each pair of states once, with the reasons that its arms write with the effect `writing`. */
export function pairsOf(moves: readonly Move[], writing: string) {
  const byPair = Map.groupBy(moves, ({ from, to }) => JSON.stringify([from, to]));
  return [...byPair.values()].map((same) => ({
    from: same[0]?.from ?? '',
    to: same[0]?.to ?? '',
    reasons: unique(
      same.flatMap(({ effects }) =>
        effects.filter(({ name }) => name === writing).map(({ params }) => String(params['reason'])),
      ),
    ),
  }));
}

const unique = (words: readonly string[]): readonly string[] => [...new Set(words)];
