/**
 * An XState configuration (`machine.config`), or JSON of one, as what can be drawn, compared and asked: states, and for each event of
 * each state its arms in order. Nothing in it is trusted to be there or to be of its type: it may come from another revision.
 */
import { type Call, readCall } from './calls.ts';
import { readGuard } from './guards.ts';
import { wordsOf, wordsOfAll } from './words.ts';

export type Arm = {
  readonly state: string;
  readonly event: string;
  /** The place in the order in which the guards of this event are asked, from 1. */
  readonly place: number;
  /** How many arms the event has in this state. */
  readonly of: number;
  /** In words; null: none. */
  readonly guard: string | null;
  /** The predicates that the guard asks. */
  readonly asks: readonly Call[];
  readonly effects: readonly Call[];
  /** The state that follows; the same one where the arm has no target. */
  readonly to: string;
  readonly description: string;
  readonly spec: string;
  /** Whatever else the arm says, such as `reenter`. */
  readonly also: string;
  /** What was read. */
  readonly written: unknown;
};

export type State = {
  readonly name: string;
  readonly isInitial: boolean;
  /** False: an arm leads there, and the configuration has no such state. */
  readonly exists: boolean;
  readonly description: string;
  readonly spec: string;
  /** Whatever else the state says, such as `type` or `after`. */
  readonly also: string;
  readonly arms: readonly Arm[];
};

export type Machine = {
  readonly name: string;
  readonly initial: string;
  /** In the order of the file, and last those that do not exist. */
  readonly states: readonly State[];
  /** Whatever else the machine says, such as `on`. */
  readonly also: string;
  /** What was read. */
  readonly written: unknown;
};

export function readMachine(written: unknown): Machine {
  // Context and types are the engine's; they say nothing about what happens when.
  const { id, initial, context: _, schemas: __, types: ___, ...others } = objectIn(written);
  const [all, also] = takeObject('states', others);
  const name = typeof id === 'string' ? id : 'machine';
  const begins = targetOf(typeof initial === 'object' ? objectIn(initial)['target'] : initial, name) ?? '';
  const states = Object.entries(all).map(([state, one]) => readState(one, state, { name, initial: begins }));
  return { name, initial: begins, states: [...states, ...missingIn(states)], also: wordsOfAll(also), written };
}

/** None where the state has no arm for the event. */
export const armsOf = (machine: Machine, state: string, event: string): readonly Arm[] =>
  machine.states.filter(({ name }) => name === state).flatMap(({ arms }) => arms.filter((arm) => arm.event === event));

/** The question that an arm asks, in one or two words. */
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

/** A target that is no state must not look as if nothing led there. */
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

/** XState writes `#machine.state` for a state of the machine, wherever the arm stands. */
function targetOf(written: unknown, machine: string): string | null {
  if (written === undefined || written === null) return null;
  const own = `#${machine}.`;
  return listIn(written)
    .map(wordsOf)
    .map((target) => (target.startsWith(own) ? target.slice(own.length) : target))
    .join(', ');
}

/** What is said about a state or an arm, beside what it does. */
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

/** XState takes one where it takes a list. */
const listIn = (written: unknown): readonly unknown[] => (Array.isArray(written) ? written : [written]);

type Plain = Readonly<Record<string, unknown>>;

const isObject = (written: unknown): written is Plain =>
  typeof written === 'object' && written !== null && !Array.isArray(written);

const objectIn = (written: unknown): Plain => (isObject(written) ? written : {});

/** What stands under the key, and the rest; what is no object stays in the rest, where it is seen. */
function takeObject(key: string, { [key]: taken, ...rest }: Plain): readonly [taken: Plain, rest: Plain] {
  return [objectIn(taken), taken === undefined || isObject(taken) ? rest : { ...rest, [key]: taken }];
}
