/**
 * decide: XState's answer to an event in a state, as data: the next state and the effects. The function runs no actors,
 * no timers, no I/O and no clock. `getTransitionData` evaluates the guards and selects the transition in about 0.5 µs.
 * `transition` would also build an actor scope, which takes 12 µs (docs/decisions/0020).
 */
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import type { Effect } from '../../machines/unions.ts';
import { InvariantViolation } from './errors.ts';

export type Decision = {
  readonly machine: string;
  readonly event: string;
  readonly from: string;
  readonly to: string;
  readonly effects: readonly Effect[];
};

/**
 * @throws InvariantViolation when the machine has no arm for the event in this state, or uses features of XState that a
 * transition's target and actions do not show. Both are defects of the machine.
 */
export function decide(
  machine: AnyStateMachine,
  from: string,
  context: object,
  event: { readonly type: string },
): Decision {
  const resolved = statesOf(machine).get(from);
  if (resolved === undefined) throw new InvariantViolation(`${machine.id}: there is no state ${from}`);
  const [transition] = machine.getTransitionData({ ...resolved, context }, event) ?? [];
  if (transition === undefined) throw new InvariantViolation(`${machine.id}: no arm answers ${event.type} in ${from}`);
  const to = transition.target?.[0]?.key ?? from;
  return { machine: machine.id, event: event.type, from, to, effects: transition.actions.map(effectOfAction) };
}

/** The machines' `setup` admits only the effects of the vocabulary, never an inline function. */
function effectOfAction(action: unknown): Effect {
  if (typeof action === 'function') throw new InvariantViolation('an effect is a name with its params, not a function');
  return (typeof action === 'string' ? { type: action } : action) as Effect;
}

export function effectOf<Type extends Effect['type']>(
  { effects }: Pick<Decision, 'effects'>,
  type: Type,
): Extract<Effect, { type: Type }> | undefined {
  return effects.find((effect): effect is Extract<Effect, { type: Type }> => effect.type === type);
}

/** Each state as XState resolves it, without the context. Resolving a state takes longer than deciding. */
type States = ReadonlyMap<string, AnyMachineSnapshot>;
const statesOfMachines = new WeakMap<AnyStateMachine, States>();

/**
 * A transition's target and actions are complete only in a flat machine, without nested states, entry actions or
 * timers.
 */
function statesOf(machine: AnyStateMachine): States {
  const known = statesOfMachines.get(machine);
  if (known !== undefined) return known;
  for (const [name, node] of Object.entries(machine.states)) {
    const isFlat =
      node.type === 'atomic' && [node.entry, node.exit, node.always, node.after, node.invoke].every(isEmpty);
    if (!isFlat) {
      throw new InvariantViolation(
        `${machine.id}: the state ${name} has nested states, timers, entry or exit actions. Expected transitions only.`,
      );
    }
  }
  if (machine.root.transitions.size > 0)
    throw new InvariantViolation(
      `${machine.id}: the machine has transitions outside its states. Expected transitions of states only.`,
    );
  const states = new Map(
    Object.keys(machine.states).map((value) => [value, machine.resolveState({ value, context: {} })]),
  );
  statesOfMachines.set(machine, states);
  return states;
}

const isEmpty = (list: readonly unknown[] | undefined): boolean => (list ?? []).length === 0;
