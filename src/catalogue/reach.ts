/** The states that can follow a state, by `xstate/graph`. */
import { fromTransition } from 'xstate';
import { getShortestPaths } from 'xstate/graph';
import type { Machine } from './read.ts';

/**
 * Over any number of arms, regardless of guards; includes `from`. XState's graph evaluates guards, and a guard that never holds for
 * its events would hide a path. So each arm becomes an event of its own.
 */
export function statesReachableFrom(machine: Machine, from: string): ReadonlySet<string> {
  const walk = fromTransition((_: { readonly state: string }, { to }: Step) => ({ state: to }), { state: from });
  const paths = getShortestPaths(walk, { events: ({ context }) => stepsFrom(machine, context.state) });
  return new Set(paths.map(({ state }) => state.context.state));
}

type Step = { readonly type: string; readonly to: string };

const stepsFrom = ({ states }: Machine, state: string): readonly Step[] =>
  states.filter(({ name }) => name === state).flatMap(({ arms }) => arms.map(({ event, to }) => ({ type: event, to })));
