/**
 * Reads an XState configuration (`machine.config`), or its JSON, into states and, for each event of each state, its
 * arms in order. The reader trusts no part of the input to exist or to have its type: the input may come from another
 * revision.
 */
import { type Call, readCall } from './calls.ts';
import { readGuard } from './guards.ts';
import { wordsOf, wordsOfAll } from './words.ts';

export type Arm = {
  readonly state: string;
  readonly event: string;
  /** The arm's position among the arms of this event, from 1. */
  readonly place: number;
  /** The number of arms that the event has in this state. */
  readonly of: number;
  /** As text. Null: none. */
  readonly guard: string | null;
  /** The predicates that the guard uses. */
  readonly asks: readonly Call[];
  readonly effects: readonly Call[];
  /** The next state. It is the same state where the arm has no target. */
  readonly to: string;
  readonly description: string;
  readonly spec: string;
  /** All other properties of the arm, such as `reenter`. */
  readonly also: string;
  /** The input. */
  readonly written: unknown;
};

export type State = {
  readonly name: string;
  readonly isInitial: boolean;
  /** False: an arm leads there, and the configuration has no such state. */
  readonly exists: boolean;
  readonly description: string;
  readonly spec: string;
  /** All other properties of the state, such as `type` or `after`. */
  readonly also: string;
  readonly arms: readonly Arm[];
};

export type Machine = {
  readonly name: string;
  readonly initial: string;
  /** In the order of the file. States that do not exist come last. */
  readonly states: readonly State[];
  /** All other properties of the machine, such as `on`. */
  readonly also: string;
  /** The input. */
  readonly written: unknown;
};

export function readMachine(written: unknown): Machine {
  // Context and types do not affect the behavior.
  const { id, initial, context: _, schemas: __, types: ___, ...others } = objectIn(written);
  const [all, also] = takeObject('states', others);
  const name = typeof id === 'string' ? id : 'machine';
  const begins = targetOf(typeof initial === 'object' ? objectIn(initial)['target'] : initial, name) ?? '';
  const states = Object.entries(all).map(([state, config]) => readState(config, state, { name, initial: begins }));
  return { name, initial: begins, states: [...states, ...missingIn(states)], also: wordsOfAll(also), written };
}

/** Empty where the state has no arm for the event. */
export const armsOf = (machine: Machine, state: string, event: string): readonly Arm[] =>
  machine.states.filter(({ name }) => name === state).flatMap(({ arms }) => arms.filter((arm) => arm.event === event));

/** An arm's guard as text, or `otherwise` or `always`. */
export const questionOf = ({ guard, place, of }: Arm): string =>
  guard ?? (of > 1 && place === of ? 'otherwise' : 'always');

function readState(written: unknown, name: string, machine: Pick<Machine, 'name' | 'initial'>): State {
  const [on, said] = takeObject('on', objectIn(written));
  return {
    name,
    isInitial: name === machine.initial,
    exists: true,
    ...readWords(said, written),
    arms: Object.entries(on).flatMap(([event, arms]) =>
      listIn(arms).map((arm, index, { length: of }) =>
        readArm(arm, { state: name, event, place: index + 1, of }, machine.name),
      ),
    ),
  };
}

/** Targets that are not states, so that they are visible. */
function missingIn(states: readonly State[]): readonly State[] {
  const names = new Set(states.map(({ name }) => name));
  const missing = new Set(states.flatMap(({ arms }) => arms.map(({ to }) => to)).filter((to) => !names.has(to)));
  return [...missing].map((name) => ({
    name,
    isInitial: false,
    exists: false,
    description: '(no such state)',
    spec: '',
    also: '',
    arms: [],
  }));
}

type At = Pick<Arm, 'state' | 'event' | 'place' | 'of'>;

function readArm(written: unknown, at: At, machine: string): Arm {
  const arm = typeof written === 'string' ? { target: written } : written;
  const { guard, target, actions, ...said } = objectIn(arm);
  const asked = guard === undefined ? null : readGuard(guard);
  return {
    ...at,
    guard: asked?.words ?? null,
    asks: asked?.asks ?? [],
    effects: actions === undefined ? [] : listIn(actions).map(readCall),
    to: targetOf(target, machine) ?? at.state,
    ...readWords(said, arm),
    written,
  };
}

/** XState may write `#machine.state` for a state of the same machine. */
function targetOf(written: unknown, machine: string): string | null {
  if (written === undefined || written === null) return null;
  const own = `#${machine}.`;
  return listIn(written)
    .map(wordsOf)
    .map((target) => (target.startsWith(own) ? target.slice(own.length) : target))
    .join(', ');
}

/** Description, references and other properties of a state or an arm. */
function readWords(
  said: Readonly<Record<string, unknown>>,
  written: unknown,
): Pick<State, 'description' | 'spec' | 'also'> {
  const [meta, { description = '', ...others }] = takeObject('meta', said);
  const { spec = '', ...cited } = meta;
  const rest = Object.keys(cited).length === 0 ? others : { ...others, meta: cited };
  return {
    description: wordsOf(description),
    spec: wordsOf(spec),
    also: written === undefined || isObject(written) ? wordsOfAll(rest) : wordsOf(written),
  };
}

/** XState accepts a single value in place of a list. */
const listIn = (written: unknown): readonly unknown[] => (Array.isArray(written) ? written : [written]);

type Plain = Readonly<Record<string, unknown>>;

const isObject = (written: unknown): written is Plain =>
  typeof written === 'object' && written !== null && !Array.isArray(written);

const objectIn = (written: unknown): Plain => (isObject(written) ? written : {});

/** The object under a key, and the rest. A value that is not an object stays in the rest, so that it is visible. */
function takeObject(key: string, { [key]: taken, ...rest }: Plain): readonly [taken: Plain, rest: Plain] {
  return [objectIn(taken), taken === undefined || isObject(taken) ? rest : { ...rest, [key]: taken }];
}
