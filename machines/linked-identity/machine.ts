/**
 * The linked identity: an account at another OpenID Provider, known by issuer and `sub`, with which an end-user signs in here.
 *
 *              linkRequested (storeIdentity)   ┌────────┐   removed by the end-user, by an administrator,    ┌─────────┐
 *   unlinked ────────────────────────────────► │ active │ ── with the end-user (removeIdentity) ───────────► │ removed │
 *                                              └────────┘                                                    └─────────┘
 *
 * A sign-in at the identity provider sends `linkRequested` (machines/external-sign-in/machine.ts), and so does an import. A removed
 * identity never signs in again; a new link of the same account is another identity, with a lifecycle of its own.
 *
 * As a picture or as JSON, whole: `npx statehouse diagram linked-identity` (`--format json`).
 */
import { setup } from 'xstate';
import type { Meta, SharedArm } from '../shared/arm.ts';
import { reject } from '../shared/effects.ts';
import type { Answers, AtEveryEvent } from '../shared/events.ts';
import { linkedIdentityEffects, removeIdentity } from './effects.ts';
import type { LinkedIdentityEvent } from './facts.ts';
import { linkedIdentityGuards } from './guards.ts';

const noSuchIdentity = {
  actions: reject('identity_unknown'),
  description: 'The identity is not linked.',
} as const satisfies SharedArm;

const removedAlready = { description: 'It was removed already.' } as const satisfies SharedArm;

export const linkedIdentityMachine = setup({
  types: { events: {} as LinkedIdentityEvent, meta: {} as Meta },
  guards: linkedIdentityGuards as AtEveryEvent<typeof linkedIdentityGuards, object, LinkedIdentityEvent>,
  actions: linkedIdentityEffects,
}).createMachine({
  id: 'linkedIdentity',
  initial: 'unlinked',
  states: {
    unlinked: {
      description: 'The account at the provider is linked to no end-user.',
      meta: { spec: 'OpenID Connect Core §5.7' },
      on: {
        linkRequested: {
          target: 'active',
          actions: 'storeIdentity',
          description: 'From now on, signing in there signs this end-user in here.',
          meta: { spec: 'OpenID Connect Core §5.7' },
        },
        removalRequested: noSuchIdentity,
        removalRequestedByAdministrator: noSuchIdentity,
        userDeleted: noSuchIdentity,
      },
    },
    active: {
      description: 'Signing in at the other provider signs its end-user in here.',
      meta: { spec: 'OpenID Connect Core §5.7' },
      on: {
        linkRequested: { description: 'It is linked already.' },
        removalRequested: [
          {
            guard: 'isLastWay',
            actions: reject('last_way_to_sign_in'),
            description: 'The end-user has no password and no other identity: they could no longer sign in.',
          },
          {
            target: 'removed',
            actions: removeIdentity('removed_by_user'),
            description: 'The end-user removed it.',
          },
        ],
        removalRequestedByAdministrator: {
          target: 'removed',
          actions: removeIdentity('removed_by_administrator'),
          description: 'An administrator removed it, even if it was the last way to sign in.',
        },
        userDeleted: {
          target: 'removed',
          actions: removeIdentity('user_deleted'),
          description: 'The end-user was deleted: nothing of them is left to sign in to.',
        },
      },
    },
    removed: {
      description: 'Removed for good. No arm leads out of this state.',
      meta: { spec: 'OpenID Connect Core §5.7' },
      on: {
        linkRequested: {
          actions: reject('identity_removed'),
          description: 'A removed identity does not come back: a new link is another identity.',
        },
        removalRequested: removedAlready,
        removalRequestedByAdministrator: removedAlready,
        userDeleted: removedAlready,
      },
    },
  } as const satisfies Answers<typeof linkedIdentityGuards, LinkedIdentityEvent>,
});
