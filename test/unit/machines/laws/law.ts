/**
 * The parts of a law. A law is a sentence about a machine, and a test of it that is independent of the machine's text. It
 * sees the arms as data, and the answers that XState gives to every state × event × outcome of every guard.
 */

import type { SupersededReason } from '../../../../machines/email-challenge/facts.ts';
import type { GrantEventType } from '../../../../machines/grant/facts.ts';
import type { EpochOwner } from '../../../../machines/shared/facts.ts';
import type { RejectReason } from '../../../../machines/unions.ts';
import type { UserEvent } from '../../../../machines/user/facts.ts';
import type { Arm, Machine } from '../../../../src/catalogue/read.ts';
import { armsOf } from '../../../../src/catalogue/read.ts';
import { type Answer, type Answers, foundOnce, statesOf } from '../answers.ts';
import type { Subject } from '../catalogue.ts';

export type Case = {
  readonly subject: Subject;
  /** Of the subject, or a mutant of it. */
  readonly machine: Machine;
  /** For each state and event. */
  readonly answers: readonly Answers[];
};

export type Law = {
  readonly name: string;
  /** Where it is broken, in words; empty: it holds. */
  readonly broken: (tested: Case) => readonly string[];
};

/** A law that each answer keeps or breaks by itself. Of each state and event, the first answer that breaks it is named. */
export function everyAnswer(name: string, keeps: (answer: Answer) => boolean): Law {
  const firstBroken = foundOnce((answers) => answers.find((answer) => !keeps(answer)));
  return {
    name,
    broken: ({ answers }) =>
      answers
        .flatMap((here) => firstBroken(here) ?? [])
        .map(({ event, state, outcomes }) => `${event} in ${state}, ${JSON.stringify(outcomes)}`),
  };
}

/** The arms of one event in one state, in order. */
export type Place = {
  readonly at: string;
  readonly state: string;
  readonly event: string;
  readonly arms: readonly Arm[];
};

export const placesOf = ({ subject, machine }: Case): readonly Place[] =>
  statesOf(machine).flatMap((state) =>
    subject.events.map((event) => ({ at: `${event} in ${state}`, state, event, arms: armsOf(machine, state, event) })),
  );

export const brokenArms = (tested: Case, keeps: (arm: Arm, place: Place) => boolean): readonly string[] =>
  placesOf(tested).flatMap((place) =>
    place.arms.flatMap((arm, index) => (keeps(arm, place) ? [] : [`arm ${index + 1} of ${place.at}`])),
  );

// Statements about an answer.

/** The guard was asked, and holds. A guard that is not asked neither holds nor fails. */
export const holds = ({ outcomes }: Answer, guard: string): boolean => outcomes[guard] === true;

/** Each of these guards was asked, and none of them holds. */
export const allFail = ({ outcomes }: Answer, ...guards: readonly string[]): boolean =>
  guards.every((guard) => outcomes[guard] === false);

/** The next state and the effects are these, in this order, and there are no others. */
export const does = (answer: Answer, next: string, ...effects: readonly string[]): boolean =>
  answer.next === next && answer.effects.join() === effects.join();

/** @param effect with its parameter, as in `reject(grant_revoked)`. */
export const has = (answer: Answer, effect: string): boolean => answer.effects.includes(effect);

/** @param names without parameters. */
export const hasAny = ({ effects }: Answer, names: readonly string[]): boolean =>
  effects.some((effect) => names.includes(nameOf(effect)));

/** Under the condition the answer is exactly this; otherwise the first of these effects is not in it. */
export const exactlyWhen = (
  condition: boolean,
  answer: Answer,
  next: string,
  effect: string,
  ...then: readonly string[]
): boolean => (condition ? does(answer, next, effect, ...then) : !has(answer, effect));

/** The state stays, and the only effect turns the request down. */
export const onlyRejects = (answer: Answer): boolean =>
  answer.next === answer.state && answer.effects.length === 1 && hasAny(answer, ['reject']);

/** Of the guards that hold, the first in this list decides the answer, whatever else holds: it rejects with that reason, and the state stays. */
export const rejectsInThisOrder =
  (...reasons: readonly (readonly [guard: string, reason: RejectReason])[]) =>
  (answer: Answer): boolean => {
    const first = reasons.find(([guard]) => holds(answer, guard));
    return first === undefined || does(answer, answer.state, reject(first[1]));
  };

// Effects in words.

export const nameOf = (effect: string): string => effect.replace(/\(.*/, '');
export const reject = (reason: RejectReason): string => `reject(${reason})`;
export const revokeGrant = (event: GrantEventType): string => `revokeGrant(${event})`;
export const raiseEpoch = (of: EpochOwner): string => `raiseEpoch(${of})`;
export const changeUser = (event: UserEvent['type']): string => `changeUser(${event})`;
export const supersedeLink = (reason: SupersededReason): string => `supersedeLink(${reason})`;

export const ISSUING = ['issueTokens', 'beginChain', 'rotate', 'issueCode', 'useLink'];
