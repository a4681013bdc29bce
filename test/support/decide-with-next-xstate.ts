/**
 * `decide` by the pre-release of XState 6. This file alone has the names of version 6: a machine is made of data, actions are a list,
 * and `and`, `or` and `not` are predicates with a name of their own.
 */
import { type ActionJSON, createMachineFromConfig, type StateNodeJSON, type TransitionJSON, transition } from 'xstate6';
import { callWords, readCall } from '../../src/catalogue/calls.ts';
import { compositionOf, readGuard } from '../../src/catalogue/guards.ts';
import type { Config, WrittenArm } from '../unit/machines/catalogue.ts';
import { effects } from './effects.ts';

type Outcomes = Readonly<Record<string, boolean>>;
type Decided = { readonly next: string; readonly effects: readonly string[] };
type Decide = (state: string, event: string, outcomes: Outcomes) => Decided;

export function nextMachine(config: Config): Decide {
  const guards = new Map<string, unknown>();
  let current: Outcomes = {};
  const states = Object.fromEntries(
    Object.entries(config.states).map(([name, { on }]): [string, StateNodeJSON] => [
      name,
      { on: Object.fromEntries(Object.entries(on).map(([event, arms]) => [event, [arms].flat().map(armOf)])) },
    ]),
  );
  const { id, initial } = config;
  const sources = {
    // Version 6 calls an effect by the name of its function.
    actions: Object.assign({}, ...Object.keys(effects).map((name) => ({ [name]() {} }))),
    guards: Object.fromEntries([...guards].map(([words, written]) => [words, () => holds(written)])),
  };
  const machine = createMachineFromConfig({ id, initial, states }, sources);

  return (state, event, outcomes) => {
    current = outcomes;
    const before = machine.resolveState({ value: state, context: {} });
    const [after, actions] = transition(machine, before, { type: event });
    return {
      next: String(after.value),
      effects: actions.map(wordsOf),
    };
  };

  function armOf({ guard, target, actions }: WrittenArm): TransitionJSON {
    return {
      ...(target === undefined ? {} : { target }),
      ...(guard === undefined ? {} : { guard: { type: named(guard) } }),
      actions: [actions ?? []].flat().map(actionOf),
    };
  }

  function named(guard: unknown): string {
    const { words } = readGuard(guard);
    guards.set(words, guard);
    return words;
  }

  function holds(guard: unknown): boolean {
    const composed = compositionOf(guard);
    if (composed === null) return current[readGuard(guard).words] === true;
    const parts = composed.guards.map(holds);
    if (composed.kind === 'not') return !parts.includes(true);
    return composed.kind === 'and' ? !parts.includes(false) : parts.includes(true);
  }
}

/** Version 6 keeps the params among the arguments of the function. */
const wordsOf = (action: { readonly type: string; readonly args?: readonly unknown[] }): string =>
  callWords(readCall({ type: action.type, params: action.args?.[0] }));

const actionOf = (action: unknown): ActionJSON =>
  typeof action === 'string' ? { type: action } : (action as ActionJSON);
