/**
 * Most mutants never differ within their model. An exploration depends on the answers of its machines and commits. A mutant with the
 * same answers to every request of the unchanged run would reach the same states, and need not be run.
 */
import type { AnyStateMachine } from 'xstate';
import type { Commit } from '../../../../src/engine/commit.ts';
import { decide } from '../../../../src/engine/decide.ts';
import { factNames } from '../../../../src/review/proof/carry-out.ts';
import { type Exploration, explore } from '../../../../src/review/proof/explore.ts';
import { numberOf } from '../../../../src/review/proof/keys.ts';
import type { AnyWalk, Bounds } from '../../../../src/review/proof/walk.ts';

type Parts = Pick<AnyWalk, 'machineOf' | 'commit'>;
/** Something that was asked of a part of the walk, to be asked of the same part of a mutant. */
type Question = { readonly ask: (parts: Parts) => object | null; readonly answer: number };
type Questions = Readonly<Record<keyof Parts, Map<string, Question>>>;

export type Heard = {
  readonly exploration: Exploration;
  readonly isAnsweredAlikeBy: (mutant: AnyWalk) => boolean;
  /** Requests of commits, where they are values. */
  readonly facts: readonly string[];
};

/** Explores the right walk, and listens to what is asked. */
export function listenTo(right: AnyWalk, bounds: Bounds): Heard {
  const questions: Questions = { machineOf: new Map(), commit: new Map() };
  const hear = (part: keyof Parts, key: string, ask: Question['ask']) => {
    if (!questions[part].has(key)) questions[part].set(key, { ask, answer: answerOf(ask, right) });
  };
  const facts = new Set<string>();
  const hearFacts = (commit: object) => {
    if ('writes' in commit) for (const fact of factNames(commit as Commit)) facts.add(fact);
  };
  const exploration = explore({ ...right, ...overheard(right, hear, hearFacts) }, bounds);
  return {
    exploration,
    facts: [...facts].toSorted(),
    isAnsweredAlikeBy: (mutant) =>
      changedParts(right, mutant)?.every((part) => isAlike(questions[part], mutant)) ?? false,
  };
}

function overheard(
  right: AnyWalk,
  hear: (part: keyof Parts, key: string, ask: Question['ask']) => void,
  hearFacts: (commit: object) => void,
): Parts {
  const machines = new Map<AnyStateMachine, AnyStateMachine>();
  const listening = (machine: AnyStateMachine): AnyStateMachine => {
    const getTransitionData: AnyStateMachine['getTransitionData'] = (snapshot, event) => {
      const { value: from, context } = snapshot;
      const ask = ({ machineOf }: Parts) => decide(machineOf(machine), from, context, event);
      hear('machineOf', `${machine.id} ${from} ${numberOf(context)} ${numberOf(event)}`, ask);
      return right.machineOf(machine).getTransitionData(snapshot, event);
    };
    return Object.assign(Object.create(right.machineOf(machine)), { getTransitionData });
  };
  return {
    machineOf: (machine) => {
      const known = machines.get(machine) ?? listening(machine);
      machines.set(machine, known);
      return known;
    },
    commit: (stored, commit, now) => {
      hearFacts(commit);
      const key = `${numberOf(stored)} ${numberOf(commit)} ${now.getTime()}`;
      hear('commit', key, (parts) => parts.commit(stored, commit, now));
      return right.commit(stored, commit, now);
    },
  };
}

/** Null: the mutant changes more than machines and commits, and nothing is known about it. */
function changedParts(right: AnyWalk, mutant: AnyWalk): readonly (keyof Parts)[] | null {
  const changed = (Object.keys(mutant) as (keyof AnyWalk)[]).filter((name) => mutant[name] !== right[name]);
  const isPart = (name: keyof AnyWalk): name is keyof Parts => name === 'machineOf' || name === 'commit';
  return changed.every(isPart) ? changed : null;
}

const isAlike = (questions: ReadonlyMap<string, Question>, mutant: AnyWalk): boolean =>
  [...questions.values()].every(({ ask, answer }) => answerOf(ask, mutant) === answer);

function answerOf(ask: Question['ask'], parts: Parts): number {
  try {
    return numberOf({ answer: ask(parts) });
  } catch (error) {
    return numberOf({ thrown: String(error) });
  }
}
