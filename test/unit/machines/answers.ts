/** The answers of a machine, from XState's pure `transition`, for every state × event × outcome of every guard. */
import { createMachine, transition } from 'xstate';
import { type Call, callWords } from '../../../src/catalogue/calls.ts';
import { type Arm, armsOf, type Machine } from '../../../src/catalogue/read.ts';
import { effects } from '../../support/effects.ts';
import type { Subject } from './catalogue.ts';

export type Outcomes = Readonly<Record<string, boolean>>;

export type Answer = {
  readonly state: string;
  readonly event: string;
  readonly outcomes: Outcomes;
  readonly next: string;
  /** As `name` or `name(parameter)`. */
  readonly effects: readonly string[];
  /** Null: XState had no arm for it, and would have stayed silent. */
  readonly arm: Pick<Arm, 'description' | 'spec'> | null;
};

/** The predicates, by their words, in the order in which the machine asks them. */
export function guardsAsked(machine: Machine, state: string, event: string): readonly string[] {
  return [...new Set(armsOf(machine, state, event).flatMap(({ asks }) => asks.map(callWords)))];
}

/** To one event in one state. All mutants that leave its arms alone have the same list, and not a copy. */
export type Answers = readonly Answer[];

/**
 * 2^n answers per state and event, n guards being asked there.
 * @param reviewed asks also about the outcomes of the guards that this configuration asks there.
 * @param isKept the machine is no mutant. The answers of all mutants together do not fit into memory.
 */
export function allAnswers(
  { machine, events }: Pick<Subject, 'machine' | 'events'>,
  reviewed: Machine = machine,
  isKept: boolean = machine === reviewed,
): readonly Answers[] {
  const ask = onceAsked(() => asking(machine));
  const known = knownWith(surroundingsOf(machine));
  return statesOf(machine).flatMap((state) =>
    events.map((event) => {
      const names = new Set([...guardsAsked(reviewed, state, event), ...guardsAsked(machine, state, event)]);
      const about = [state, event, [...names], armsOf(machine, state, event).map(saidBy)];
      return once(known, about, isKept, () => answersOf(ask(), state, event, [...names]));
    }),
  );
}

/** A machine that is made only when something is asked of it: often all answers are known. */
function onceAsked<Made>(make: () => Made): () => Made {
  let made: Made | null = null;
  return () => {
    made ??= make();
    return made;
  };
}

/** The facts behind an answer besides the arms: everything of machine and states that is not an arm. */
const surroundingsOf = ({ name, initial, also, states }: Machine): readonly unknown[] => [
  name,
  initial,
  also,
  states.map(({ arms: _, ...state }) => state),
];

const saidBy = ({ written: _, ...said }: Arm) => said;

type Known = Map<string, Answers>;
const knownAnswers = new Map<string, Known>();

function knownWith(surroundings: readonly unknown[]): Known {
  const key = JSON.stringify(surroundings);
  const known: Known = knownAnswers.get(key) ?? new Map();
  knownAnswers.set(key, known);
  return known;
}

/**
 * A mutant differs from its machine in one place: XState is asked about the others once, not for each mutant.
 */
function once(known: Known, about: readonly unknown[], isKept: boolean, answers: () => Answers): Answers {
  const key = JSON.stringify(about);
  const found = known.get(key) ?? answers();
  if (isKept) known.set(key, found);
  return found;
}

type Said = Omit<Answer, 'state' | 'event' | 'outcomes'>;
/** With the outcomes that XState asked for before it said this. */
type Decision = { readonly asked: Outcomes; readonly said: Said };
type Ask = (state: string, event: string, outcomes: Outcomes) => Decision;

/**
 * XState stops at the first arm whose guard holds. Combinations that agree in all evaluated guards get the same answer. So n
 * guards take n + 1 questions, where every arm has a guard of its own, and not 2^n.
 */
function answersOf(ask: Ask, state: string, event: string, names: readonly string[]): Answers {
  const decisions: Decision[] = [];
  return assignmentsOf(names).map((outcomes) => {
    const known = decisions.find(({ asked }) => Object.keys(asked).every((guard) => asked[guard] === outcomes[guard]));
    const decision = known ?? ask(state, event, outcomes);
    if (!known) decisions.push(decision);
    return { state, event, outcomes, ...decision.said };
  });
}

/** Every guard of the machine answers what `outcomes` says; nothing else of the machine is replaced. */
function asking(asked: Machine): Ask {
  let current: Outcomes = {};
  let heard: Record<string, boolean> = {};
  const arms = asked.states.flatMap((state) => state.arms);
  const outcomeOf = (name: string) => (_: unknown, params: unknown) => {
    const guard = callWords({ name, params: (params ?? {}) as Call['params'] });
    heard[guard] = current[guard] === true;
    return heard[guard];
  };
  const machine = createMachine(asked.written as Parameters<typeof createMachine>[0]).provide({
    guards: Object.fromEntries(arms.flatMap(({ asks }) => asks.map(({ name }) => [name, outcomeOf(name)]))),
    actions: Object.fromEntries(Object.keys(effects).map((name) => [name, () => {}])),
  });
  return (state, event, outcomes) => {
    current = outcomes;
    heard = {};
    const before = machine.resolveState({ value: state, context: {} });
    const [taken] = machine.getTransitionData(before, { type: event });
    const [after, actions] = transition(machine, before, { type: event });
    const named = actions.map(({ type, params }) =>
      callWords({ name: type, params: (params ?? {}) as Call['params'] }),
    );
    const arm = taken === undefined ? null : { description: taken.description ?? '', spec: taken.meta?.['spec'] ?? '' };
    return { asked: heard, said: { next: String(after.value), effects: named, arm } };
  };
}

/** The consequences of a list of answers are computed once for all machines with this list. */
export function foundOnce<Found>(find: (answers: Answers) => Found): (answers: Answers) => Found {
  const all = new WeakMap<Answers, { readonly found: Found }>();
  return (answers) => {
    const known = all.get(answers) ?? { found: find(answers) };
    all.set(answers, known);
    return known.found;
  };
}

export const statesOf = ({ states }: Machine): readonly string[] =>
  states.filter(({ exists }) => exists).map(({ name }) => name);

const knownAssignments = new Map<string, readonly Outcomes[]>();

/** Every combination, once; all mutants that ask for the same guards share the list. */
function assignmentsOf(names: readonly string[]): readonly Outcomes[] {
  const [first, ...rest] = names;
  if (first === undefined) return [{}];
  const key = JSON.stringify(names);
  const found =
    knownAssignments.get(key) ??
    [false, true].flatMap((outcome) => assignmentsOf(rest).map((others) => ({ [first]: outcome, ...others })));
  knownAssignments.set(key, found);
  return found;
}
