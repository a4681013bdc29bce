/**
 * The second factor, an authenticator app that shows codes (TOTP, RFC 6238): unconfirmed → active → removed.
 *
 *                      confirmed                          presented: recordStep, accept
 *   ┌─────────────┐ (activateFactor, recordStep) ┌────────┐
 *   │ unconfirmed │ ───────────────────────────► │ active │
 *   └─────────────┘                              └────────┘
 *          │      removed by the end-user or an administrator, or lost (removeFactor)     ┌─────────┐
 *          └───────────────────────────────────────┴────────────────────────────────────► │ removed │
 *                                                                                         └─────────┘
 *
 * It counts once a code has shown that the app has the secret. A code is accepted once: its time step is stored in the statement that
 * accepts it, and neither that step nor an earlier step is accepted again. Removing it drops the secret.
 *
 * As a picture or as JSON, whole: `npx statehouse diagram second-factor` (`--format json`).
 */
import { setup } from 'xstate';
import type { Meta, SharedArm } from '../shared/arm.ts';
import { reject } from '../shared/effects.ts';
import type { Answers, AtEveryEvent } from '../shared/events.ts';
import { rejectEndedUser, rejectRemovalByUser, removeLost, stayRemoved } from '../shared/factor-removal.ts';
import { secondFactorEffects } from './effects.ts';
import type { SecondFactorContext, SecondFactorEvent } from './facts.ts';
import { secondFactorGuards } from './guards.ts';

const rejectOtherCode = {
  guard: 'codeDiffers',
  actions: reject('code_mismatch'),
  description: 'The code is not that of the time step of now, nor of the step before or after.',
  meta: { spec: 'RFC 6238 §5.2' },
} as const satisfies SharedArm;

const remove = {
  target: 'removed',
  actions: 'removeFactor',
  description: 'Removed, and its secret dropped.',
  meta: { spec: 'NIST SP 800-63B-4 §4.3' },
} as const satisfies SharedArm;

const rejectRemoved = {
  actions: reject('factor_removed'),
  description: 'It was removed: no code of it counts.',
  meta: { spec: 'NIST SP 800-63B-4 §4.3' },
} as const satisfies SharedArm;

export const secondFactorMachine = setup({
  types: { context: {} as SecondFactorContext, events: {} as SecondFactorEvent, meta: {} as Meta },
  guards: secondFactorGuards as AtEveryEvent<typeof secondFactorGuards, SecondFactorContext, SecondFactorEvent>,
  actions: secondFactorEffects,
}).createMachine({
  id: 'secondFactor',
  context: {} as SecondFactorContext,
  initial: 'unconfirmed',
  states: {
    unconfirmed: {
      description: 'The secret was shown, and no code has come yet: it counts for nothing.',
      meta: { spec: 'NIST SP 800-63B-4 §4.1.2' },
      on: {
        confirmed: [
          rejectEndedUser,
          {
            guard: 'setUpIsOver',
            actions: reject('set_up_too_late'),
            description: 'The secret was shown too long ago; the set-up begins again with another secret.',
          },
          {
            guard: 'anotherHasToBeProven',
            actions: reject('factor_not_proven'),
            description: 'A password alone adds no factor where there is a factor: that is proven first.',
            meta: { spec: 'NIST SP 800-63B-4 §4.1.2' },
          },
          rejectOtherCode,
          {
            target: 'active',
            actions: ['activateFactor', 'recordStep', 'accept'],
            description: 'The code is right: the app has the secret.',
            meta: { spec: 'NIST SP 800-63B-4 §4.1.2' },
          },
        ],
        presented: {
          actions: reject('factor_unconfirmed'),
          description: 'It was never confirmed, so it is no factor of a sign-in.',
          meta: { spec: 'NIST SP 800-63B-4 §4.1.2' },
        },
        removalRequested: remove,
        removalRequestedByAdministrator: remove,
        lost: removeLost,
      },
    },
    active: {
      description: 'Asked for at each sign-in with a password.',
      meta: { spec: 'NIST SP 800-63B-4 §3.1.4' },
      on: {
        confirmed: {
          actions: reject('code_reused'),
          description: 'It was confirmed already, by the same code or another.',
          meta: { spec: 'RFC 6238 §5.2' },
        },
        presented: [
          rejectEndedUser,
          rejectOtherCode,
          {
            guard: 'codeWasUsed',
            actions: reject('code_reused'),
            description: 'This code, or a later code, was accepted before.',
            meta: { spec: 'RFC 6238 §5.2' },
          },
          {
            actions: ['recordStep', 'accept'],
            description: 'The code is right, and was not used before.',
            meta: { spec: 'RFC 6238 §5.2' },
          },
        ],
        removalRequested: [...rejectRemovalByUser, remove],
        removalRequestedByAdministrator: remove,
        lost: removeLost,
      },
    },
    removed: {
      description: 'Removed for good. No arm leads out of this state.',
      meta: { spec: 'NIST SP 800-63B-4 §4.3' },
      on: {
        confirmed: rejectRemoved,
        presented: rejectRemoved,
        removalRequested: stayRemoved,
        removalRequestedByAdministrator: stayRemoved,
        lost: stayRemoved,
      },
    },
  } as const satisfies Answers<typeof secondFactorGuards, SecondFactorEvent>,
});
