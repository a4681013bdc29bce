/**
 * The end-user's registration: unregistered → enabled ⇄ disabled → deleted.
 *
 *                  registration requested    ┌─────────┐   disable requested (disableUser, raiseEpoch)   ┌──────────┐
 *   unregistered ──── (registerUser) ──────► │ enabled │ ──────────────────────────────────────────────► │ disabled │
 *                                            └────┬────┘ ◄────────────────────────────────────────────── └────┬─────┘
 *                              new claims,        │              enable requested (enableUser)                │
 *                              new password       └───────────────► deleted ◄─────────────────────────────────┘
 *                              (raiseEpoch)          deletion requested (eraseUser, raiseEpoch)
 *
 * Disabling, a new password and a deletion end every session and every grant by raising the epoch; enabling again revives nothing.
 */
import { setup } from 'xstate';
import { otherThanExpected } from './expected-row.ts';
import { userGuards } from './guards.ts';
import { effects, type Meta, raiseEpoch, reject, type SharedArm, type UserEvent } from './vocabulary.ts';

const usernameIsTaken = {
  guard: 'usernameIsTaken',
  actions: reject('username_taken'),
  description: 'Another end-user signs in with this username.',
} as const satisfies SharedArm;

const noSuchUser = {
  actions: reject('user_unknown'),
  description: 'There is no such end-user.',
} as const satisfies SharedArm;

/** Whether they may sign in does not matter. */
const registrationRequested = [
  otherThanExpected,
  usernameIsTaken,
  { guard: 'nothingDiffers', description: 'The record is stored like that already.' },
  {
    guard: 'passwordDiffers',
    actions: ['replaceRecord', raiseEpoch('user')],
    description: 'A new password: sessions and grants end, since a thief may have signed in with the old password.',
    meta: { spec: 'NIST SP 800-63B-4 §5.2' },
  },
  { actions: 'replaceRecord', description: 'New claims, or a new username; sessions and grants stay.' },
] as const satisfies readonly SharedArm[];

const deletionRequested = [
  otherThanExpected,
  {
    target: 'deleted',
    actions: ['eraseUser', raiseEpoch('user')],
    description: 'The end-user is deleted; every session and every grant ends.',
  },
] as const satisfies readonly SharedArm[];

export const userMachine = setup({
  types: { events: {} as UserEvent, meta: {} as Meta },
  guards: userGuards,
  actions: effects,
}).createMachine({
  id: 'user',
  initial: 'unregistered',
  states: {
    unregistered: {
      description: 'Nobody had this `sub` so far.',
      meta: { spec: 'OpenID Connect Core §2' },
      on: {
        registrationRequested: [
          otherThanExpected,
          usernameIsTaken,
          {
            target: 'enabled',
            actions: 'registerUser',
            description: 'The end-user may sign in from now on.',
          },
        ],
        disableRequested: noSuchUser,
        enableRequested: noSuchUser,
        deletionRequested: noSuchUser,
      },
    },
    enabled: {
      description: 'May sign in.',
      meta: { spec: 'OpenID Connect Core §3.1.2.3' },
      on: {
        registrationRequested,
        disableRequested: [
          otherThanExpected,
          {
            target: 'disabled',
            actions: ['disableUser', raiseEpoch('user')],
            description: 'The end-user is disabled; every session and every grant ends.',
          },
        ],
        enableRequested: [otherThanExpected, { description: 'The end-user is enabled already.' }],
        deletionRequested,
      },
    },
    disabled: {
      description: 'Cannot sign in.',
      meta: { spec: 'OpenID Connect Core §3.1.2.3' },
      on: {
        registrationRequested,
        disableRequested: [otherThanExpected, { description: 'The end-user is disabled already.' }],
        enableRequested: [
          otherThanExpected,
          {
            target: 'enabled',
            actions: 'enableUser',
            description: 'The end-user may sign in again; what ended stays ended.',
          },
        ],
        deletionRequested,
      },
    },
    deleted: {
      description: 'Nothing is left of the end-user but the `sub`, which nobody else gets.',
      meta: { spec: 'OpenID Connect Core §2' },
      on: {
        registrationRequested: noSuchUser,
        disableRequested: noSuchUser,
        enableRequested: noSuchUser,
        deletionRequested: noSuchUser,
      },
    },
  },
});
