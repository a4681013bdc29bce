/**
 * The recovery code, which stands in for a second factor that is lost: active → used | replaced. It is shown once, and stored hashed.
 *
 *                presented (spendCode, accept)   ┌──────┐
 *   ┌────────┐ ────────────────────────────────► │ used │
 *   │ active │                                   └──────┘
 *   └────────┘ ────────────────────────────────► ┌──────────┐
 *                newCodesRequested (replaceCode) │ replaced │
 *                                                └──────────┘
 *
 * As a picture or as JSON, whole: `npx statehouse diagram recovery-code` (`--format json`).
 */
import { setup } from 'xstate';
import type { Meta, SharedArm } from '../shared/arm.ts';
import { reject } from '../shared/effects.ts';
import type { Answers, AtEveryEvent } from '../shared/events.ts';
import { recoveryCodeEffects } from './effects.ts';
import type { RecoveryCodeContext, RecoveryCodeEvent } from './facts.ts';
import { recoveryCodeGuards } from './guards.ts';

const stay = {
  description: 'Its row stays as it is.',
} as const satisfies SharedArm;

export const recoveryCodeMachine = setup({
  types: { context: {} as RecoveryCodeContext, events: {} as RecoveryCodeEvent, meta: {} as Meta },
  guards: recoveryCodeGuards as AtEveryEvent<typeof recoveryCodeGuards, RecoveryCodeContext, RecoveryCodeEvent>,
  actions: recoveryCodeEffects,
}).createMachine({
  id: 'recoveryCode',
  context: {} as RecoveryCodeContext,
  initial: 'active',
  states: {
    active: {
      description: 'Shown once, and not used yet.',
      meta: { spec: 'NIST SP 800-63B-4 §4.2.1' },
      on: {
        presented: [
          {
            guard: 'userEnded',
            actions: reject('user_ended'),
            description: 'The end-user was disabled or deleted.',
          },
          {
            target: 'used',
            actions: ['spendCode', 'accept'],
            description: 'Accepted, this once.',
            meta: { spec: 'NIST SP 800-63B-4 §4.2.1' },
          },
        ],
        newCodesRequested: {
          target: 'replaced',
          actions: 'replaceCode',
          description: 'New codes replace it, or the end-user has no second factor left.',
          meta: { spec: 'NIST SP 800-63B-4 §4.2.1' },
        },
      },
    },
    used: {
      description: 'Used once. No arm leads out of this state.',
      meta: { spec: 'NIST SP 800-63B-4 §4.2.1' },
      on: {
        presented: {
          actions: reject('recovery_code_used'),
          description: 'It was used before.',
          meta: { spec: 'NIST SP 800-63B-4 §4.2.1' },
        },
        newCodesRequested: stay,
      },
    },
    replaced: {
      description: 'Replaced by newer codes. No arm leads out of this state.',
      meta: { spec: 'NIST SP 800-63B-4 §4.2.1' },
      on: {
        presented: {
          actions: reject('recovery_code_replaced'),
          description: 'Newer codes took its place.',
          meta: { spec: 'NIST SP 800-63B-4 §4.2.1' },
        },
        newCodesRequested: stay,
      },
    },
  } as const satisfies Answers<typeof recoveryCodeGuards, RecoveryCodeEvent>,
});
