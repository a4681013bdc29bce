/** Every predicate of the chain's machines, wrong in each way that a predicate can be: always, never, or a step beside. */
import type { AnyStateMachine } from 'xstate';
import { authorizationCodeGuards, refreshTokenGuards } from '../../../../machines/guards.ts';
import type { System } from '../../../../src/review/proof/system.ts';
import type { Mutant } from './mutant.ts';

type Key = 'authorizationCode' | 'refreshToken';
type Asked = { context: { endsAt: number }; event: { now: number } };

const withGuard = (right: System, key: Key, name: string, guard: (asked: Asked) => boolean): System => {
  const machine: AnyStateMachine = right.machines[key].provide({ guards: { [name]: guard } } as never);
  return { ...right, machines: { ...right.machines, [key]: machine } };
};

/** Which end a grant came to is said in the log only; `revoked` refuses all of them. */
const REASON_ONLY = 'says only why; the transition table and the tests of the answers see it';
const isReason = (name: string) => name.startsWith('endedBy');

export const predicateMutants: readonly Mutant[] = (
  [
    ['authorizationCode', authorizationCodeGuards],
    ['refreshToken', refreshTokenGuards],
  ] as const
).flatMap(([key, guards]) => [
  ...Object.keys(guards).flatMap((name): Mutant[] => [
    {
      what: `${key}: ${name} is never true`,
      part: 'predicate',
      systemOf: (right) => withGuard(right, key, name, () => false),
      ...(isReason(name) && { survives: REASON_ONLY }),
      ...(name === 'aheadOfItsChain' && {
        survives: 'the reuse that it is taken for ends the chain as well; the reason in the ledger differs',
      }),
    },
    {
      what: `${key}: ${name} is always true`,
      part: 'predicate',
      systemOf: (right) => withGuard(right, key, name, () => true),
      ...((isReason(name) || name === 'aheadOfItsChain') && { survives: REASON_ONLY }),
    },
  ]),
  {
    what: `${key}: expired begins a millisecond late`,
    part: 'predicate' as const,
    systemOf: (right: System) => withGuard(right, key, 'expired', ({ context, event }) => event.now > context.endsAt),
  },
]);
