/** What a machine answers, asked of XState's pure `transition` for every state × event × outcome of every guard. */
import { createMachine, transition } from 'xstate';
import { effects } from '../../../machines/vocabulary.ts';
import { type Arm, armsOf, type Config, type Subject } from './catalogue.ts';

export type Outcomes = Readonly<Record<string, boolean>>;

export type Answer = {
  readonly state: string;
  readonly event: string;
  readonly outcomes: Outcomes;
  readonly next: string;
  /** As `name` or `name(parameter)`. */
  readonly effects: readonly string[];
  /** Null: XState had no arm for it, and would have stayed silent. */
  readonly arm: Pick<Arm, 'description' | 'meta'> | null;
};

/** In the order in which the machine asks them. */
export function guardsAsked(config: Config, state: string, event: string): readonly string[] {
  return [...new Set(armsOf(config, state, event).flatMap((arm) => arm.guard ?? []))];
}

/**
 * 2^n answers per state and event, n guards being asked there.
 * @param reviewed asks also about the outcomes of the guards that this configuration asks there.
 */
export function allAnswers(
  { config, events }: Pick<Subject, 'config' | 'events'>,
  reviewed: Config = config,
): readonly Answer[] {
  const ask = asking(config);
  return Object.keys(config.states).flatMap((state) =>
    events.flatMap((event) => {
      const names = new Set([...guardsAsked(reviewed, state, event), ...guardsAsked(config, state, event)]);
      return assignmentsOf([...names]).map((outcomes) => ask(state, event, outcomes));
    }),
  );
}

/** Every guard of the machine answers what `outcomes` says; nothing else of the machine is replaced. */
function asking(config: Config): (state: string, event: string, outcomes: Outcomes) => Answer {
  let current: Outcomes = {};
  const names = Object.keys(config.states).flatMap((state) =>
    Object.keys(config.states[state]?.on ?? {}).flatMap((event) => guardsAsked(config, state, event)),
  );
  const machine = createMachine(config as unknown as Parameters<typeof createMachine>[0]).provide({
    guards: Object.fromEntries(names.map((name) => [name, () => current[name] === true])),
    actions: Object.fromEntries(Object.keys(effects).map((name) => [name, () => {}])),
  });
  return (state, event, outcomes) => {
    current = outcomes;
    const before = machine.resolveState({ value: state, context: {} });
    const [taken] = machine.getTransitionData(before, { type: event });
    const [after, actions] = transition(machine, before, { type: event });
    const named = actions.map(({ type, params }) => nameOf(type, params));
    return {
      state,
      event,
      outcomes,
      next: String(after.value),
      effects: named,
      arm: (taken as Arm | undefined) ?? null,
    };
  };
}

function nameOf(type: string, params: unknown): string {
  const values = Object.values((params ?? {}) as object);
  return values.length === 0 ? type : `${type}(${values.join(', ')})`;
}

function assignmentsOf(names: readonly string[]): readonly Outcomes[] {
  const [first, ...rest] = names;
  if (first === undefined) return [{}];
  return [false, true].flatMap((outcome) => assignmentsOf(rest).map((others) => ({ [first]: outcome, ...others })));
}
