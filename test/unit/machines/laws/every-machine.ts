/**
 * The laws of every machine, including a later one. Every answer is explicit (no silence, no code, no automatic arm), an ended state stays
 * ended, and no token is issued without a check of the time.
 */

import { callWords } from '../../../../src/catalogue/calls.ts';
import { statesReachableFrom } from '../../../../src/catalogue/reach.ts';
import type { Arm, Machine } from '../../../../src/catalogue/read.ts';
import { INLINE } from '../../../../src/catalogue/words.ts';
import { effects } from '../../../support/effects.ts';
import { statesOf } from '../answers.ts';
import { brokenArms, everyAnswer, ISSUING, type Law, placesOf } from './law.ts';
import { NO_STANDARD_SAYS } from './without-reference.ts';

const FOR_GOOD = ['revoked', 'retired', 'ended', 'approved', 'denied', 'superseded'];
/** From here on nothing is issued, signed or admitted. */
const OVER = ['used', 'ahead', 'revoked', 'retiring', 'retired', 'ended', 'denied', 'superseded'];
/** A token is ahead of its chain when the store has lost commits. That is found at the load, and no decision leads there. */
const NO_ARM_LEADS_TO = ['ahead'];
const WORTH_HAVING = [...ISSUING, 'beginSigning', 'admit', 'changeUser'];

export const lawsOfEveryMachine: readonly Law[] = [
  {
    name: 'nothing is final, waits, runs or happens by itself',
    broken: (tested) => [
      ...[tested.machine, ...tested.machine.states].flatMap(({ name, also }) => (also === '' ? [] : [name])),
      ...brokenArms(tested, ({ also }) => also === ''),
    ],
  },
  {
    name: 'every state has an arm for every event of the vocabulary, and for no other',
    broken: (tested) => [
      ...placesOf(tested).flatMap(({ at, arms }) => (arms.length === 0 ? [at] : [])),
      ...tested.machine.states.flatMap(({ arms }) =>
        arms.flatMap(({ event }) => (tested.subject.events.includes(event) ? [] : [event])),
      ),
    ],
  },
  {
    name: 'the last arm, and only the last, is unguarded; no guard is asked twice',
    broken: (tested) =>
      placesOf(tested).flatMap(({ at, arms }) => {
        const guards = arms.map((arm) => arm.guard);
        const lastIsOpen = guards.indexOf(null) === guards.length - 1;
        return lastIsOpen && new Set(guards).size === guards.length ? [] : [at];
      }),
  },
  everyAnswer('nothing is answered with silence', (answer) => answer.arm !== null),
  {
    name: 'every state and every arm has a description',
    broken: (tested) => [
      ...tested.machine.states.flatMap(({ name, description }) => (description ? [] : [name])),
      ...brokenArms(tested, ({ description }) => description !== ''),
    ],
  },
  {
    name: 'every state and every arm has a reference, except those of which no standard speaks; none is empty',
    broken: (tested) => {
      const without = new Set(NO_STANDARD_SAYS[tested.subject.name]);
      const cites = (said: { readonly description: string; readonly spec: string }) =>
        said.spec !== '' || without.has(said.description);
      const isEmpty = ({ spec, written }: Arm) => spec === '' && Object.hasOwn(Object(written), 'meta');
      return [
        ...tested.machine.states.flatMap((state) => (cites(state) ? [] : [state.name])),
        ...brokenArms(tested, (arm) => cites(arm) && !isEmpty(arm)),
      ];
    },
  },
  {
    name: 'guards and actions are names, their parameters data, and the names exist',
    broken: (tested) => [
      ...brokenArms(tested, ({ asks }) => asks.every(({ name }) => Object.hasOwn(tested.subject.guards, name))),
      ...brokenArms(tested, (arm) => arm.effects.every(({ name }) => Object.hasOwn(effects, name))),
      ...brokenArms(tested, (arm) => [...arm.asks, ...arm.effects].every((call) => !callWords(call).includes(INLINE))),
    ],
  },
  {
    name: 'arms lead to every state but `ahead`, and every target exists',
    broken: ({ machine }) => {
      const reached = statesReachableFrom(machine, machine.initial);
      const states = statesOf(machine);
      const unknown = [...reached].filter((state) => !states.includes(state));
      return [...unknown, ...states.filter((state) => reached.has(state) === NO_ARM_LEADS_TO.includes(state))];
    },
  },
  {
    name: 'every guard that the machine has is asked',
    broken: (tested) => {
      const arms = placesOf(tested).flatMap((place) => place.arms);
      const asked = new Set(arms.flatMap(({ asks }) => asks.map(({ name }) => name)));
      return Object.keys(tested.subject.guards).filter((guard) => !asked.has(guard));
    },
  },
  {
    name: 'expired is asked, and rejects, before anything that issues',
    broken: (tested) =>
      placesOf(tested).flatMap(({ at, arms, state }) => {
        const issuing = arms.findIndex((arm) => arm.effects.some(({ name }) => ISSUING.includes(name)));
        if (issuing === -1) return [];
        const expired = arms.findIndex((arm) => arm.guard === 'expired');
        const arm = arms[expired];
        const rejects = arm?.effects.every(({ name }) => name === 'reject') && arm.to === state;
        return rejects && expired < issuing ? [] : [at];
      }),
  },
  {
    name: `no path leads from ${listed(OVER)} to an effect that issues, signs or admits, but for the retry of the head`,
    broken: (tested) => {
      const after = reachableFrom(
        tested.machine,
        OVER.filter((state) => statesOf(tested.machine).includes(state)),
      );
      const isWorthHaving = ({ name }: { readonly name: string }) => WORTH_HAVING.includes(name);
      return brokenArms(
        tested,
        (arm, { state }) => !after.has(state) || !arm.effects.some(isWorthHaving) || isRetry(arm, state),
      );
    },
  },
  {
    name: `${listed(FOR_GOOD)} are never left`,
    broken: (tested) => brokenArms(tested, (arm, { state }) => !FOR_GOOD.includes(state) || arm.to === state),
  },
];

/** The used token stays used, and the tokens are those that its successor stands for. */
const isRetry = ({ to, effects }: Arm, state: string): boolean =>
  state === 'used' && to === state && effects.map(({ name }) => name).join() === 'repeatHead,issueTokens';

function reachableFrom(machine: Machine, states: readonly string[]): ReadonlySet<string> {
  return new Set(states.flatMap((state) => [...statesReachableFrom(machine, state)]));
}

function listed(states: readonly string[]): string {
  return new Intl.ListFormat('en-GB').format(states);
}
