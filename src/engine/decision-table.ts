/**
 * A machine, compiled to a table: for each state and event its arms in order, each with its guard, target and effects.
 *
 * XState's `transition` builds a fresh actor scope at each call, which is most of what a decision costs. The table answers
 * the same from the machine's own arms, and before it is used it is shown to be the same: every state × event × guard outcome
 * is asked of both. A machine that the table cannot say (nested, parallel, `always`, entry actions) is refused there.
 */
import { type AnyStateMachine, transition } from 'xstate';
import { InvariantViolation } from './errors.ts';

type Asked = { readonly context: object; readonly event: { readonly type: string } };
type Guard = (asked: Asked, params: undefined) => boolean;
export type Action = { readonly type: string; readonly params: unknown };
export type Answer = { readonly to: string; readonly actions: readonly Action[] };
type Arm = Answer & { readonly guard: string | null };

export type DecisionTable = {
  readonly answer: (from: string, asked: Asked) => Answer;
};

const tables = new WeakMap<AnyStateMachine, DecisionTable>();

/** @throws InvariantViolation when table and machine differ anywhere. */
export function decisionTableOf(machine: AnyStateMachine): DecisionTable {
  const known = tables.get(machine);
  if (known) return known;
  const cells = compile(machine);
  requireSame(machine, cells);
  const guards = machine.implementations.guards as unknown as Readonly<Record<string, Guard>>;
  const table: DecisionTable = {
    answer: (from, asked) => firstArm(cells, from, asked.event.type, (name) => holds(guards, name, asked)),
  };
  tables.set(machine, table);
  return table;
}

function holds(guards: Readonly<Record<string, Guard>>, name: string, asked: Asked): boolean {
  const guard = guards[name];
  if (!guard) throw new InvariantViolation(`there is no guard ${name}`);
  return guard(asked, undefined);
}

type Cells = ReadonlyMap<string, ReadonlyMap<string, readonly Arm[]>>;

function firstArm(cells: Cells, from: string, event: string, holds: (guard: string) => boolean): Answer {
  const arms = cells.get(from)?.get(event) ?? [];
  // As XState: an event without an arm changes nothing, and says nothing. The engine refuses such silence.
  return arms.find(({ guard }) => guard === null || holds(guard)) ?? { to: from, actions: [] };
}

function compile(machine: AnyStateMachine): Cells {
  return new Map(
    Object.entries(machine.states).map(([state, node]) => [
      state,
      new Map(Object.entries(node.on).map(([event, arms]) => [event, arms.map((arm) => armOf(state, arm))])),
    ]),
  );
}

type XStateArm = AnyStateMachine['states'][string]['on'][string][number];

function armOf(state: string, { guard, target, actions }: XStateArm): Arm {
  if (guard !== undefined && typeof guard !== 'string') throw new InvariantViolation('a guard is not a name');
  return { guard: guard ?? null, to: target?.[0]?.key ?? state, actions: actions.map(actionOf) };
}

function actionOf(action: XStateArm['actions'][number]): Action {
  if (typeof action === 'string') return { type: action, params: undefined };
  if (typeof action === 'object' && 'type' in action) {
    return { type: action.type, params: 'params' in action ? action.params : undefined };
  }
  throw new InvariantViolation('an action is neither a name nor data');
}

/** Guards are answered by hand, so that every outcome is asked, whether some context would lead to it or not. */
function requireSame(machine: AnyStateMachine, cells: Cells): void {
  let outcomes: ReadonlyMap<string, boolean> = new Map();
  const names = Object.keys(machine.implementations.guards);
  const guards = Object.fromEntries(names.map((name) => [name, () => outcomes.get(name) ?? false]));
  const answered = machine.provide({ guards });
  for (const [state, events] of cells) {
    const before = answered.resolveState({ value: state, context: {} });
    for (const [event, arms] of events) {
      const asked = [...new Set(arms.flatMap(({ guard }) => guard ?? []))];
      for (let bits = 0; bits < 2 ** asked.length; bits++) {
        outcomes = new Map(asked.map((name, index) => [name, Boolean((bits >> index) & 1)]));
        const [after, actions] = transition(answered, before, { type: event });
        const machines = { to: after.value, actions: actions.map(({ type, params }) => ({ type, params })) };
        const tables = firstArm(cells, state, event, (name) => outcomes.get(name) ?? false);
        const same = JSON.stringify(machines) === JSON.stringify({ to: tables.to, actions: tables.actions });
        if (!same) throw new InvariantViolation(`${machine.id}: table and machine differ on ${event} in ${state}`);
      }
    }
  }
}
