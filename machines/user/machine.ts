/**
 * The end-user's registration: unregistered → enabled ⇄ disabled → deleted.
 *
 *                  registration requested    ┌─────────┐   disable requested (disableUser, raiseEpoch)   ┌──────────┐
 *   unregistered ──── (registerUser) ──────► │ enabled │ ──────────────────────────────────────────────► │ disabled │
 *                                            └────┬────┘ ◄────────────────────────────────────────────── └────┬─────┘
 *                    new claims; new password     │              enable requested (enableUser)                │
 *                    (replaceRecord, raiseEpoch)  └───────────────► deleted ◄─────────────────────────────────┘
 *                                                    deletion requested (eraseUser, raiseEpoch)
 *
 * The end-user may set a password and ask for the deletion themselves. A link in an e-mail
 * that verifies the address or changes it ends nothing. A link that changes it back, that sets a password, or that says that every
 * other factor was lost raises the epoch. So do disabling, a new password and a deletion: a raised epoch ends every session and every
 * grant, and enabling again revives nothing. New claims, and the same password hashed again (replacePasswordHash), end nothing.
 *
 * As a picture or as JSON, whole: `npx statehouse diagram user` (`--format json`).
 */
import { setup } from 'xstate';
import type { Meta, SharedArm } from '../shared/arm.ts';
import { raiseEpoch, reject } from '../shared/effects.ts';
import type { Answers, AtEveryEvent } from '../shared/events.ts';
import { otherThanExpected } from '../shared/expected-row.ts';
import { userEffects } from './effects.ts';
import type { UserContext, UserEvent } from './facts.ts';
import { userGuards } from './guards.ts';

const usernameIsTaken = {
  guard: 'usernameIsTaken',
  actions: reject('username_taken'),
  description: 'Another end-user signs in with this username.',
} as const satisfies SharedArm;

const addressIsTaken = {
  guard: 'addressIsTaken',
  actions: reject('address_taken'),
  description: 'Another end-user signs in by this verified address, or has it as the username.',
} as const satisfies SharedArm;

const noSuchUser = {
  actions: reject('user_unknown'),
  description: 'The end-user is not found.',
} as const satisfies SharedArm;

/** Whether they may sign in does not matter. */
const registrationRequested = [
  otherThanExpected,
  usernameIsTaken,
  addressIsTaken,
  { guard: 'nothingDiffers', description: 'The record is stored like that already.' },
  {
    guard: 'passwordDiffers',
    actions: ['replaceRecord', raiseEpoch('user')],
    description: 'A new password: sessions and grants end, since a thief may have signed in with the old password.',
    meta: { spec: 'NIST SP 800-63B-4 §5.2' },
  },
  { actions: 'replaceRecord', description: 'New claims, or a new username; sessions and grants stay.' },
] as const satisfies readonly SharedArm[];

/** For users who may sign in. The version that the end-user saw includes the epoch: a request of an ended session changes nothing. */
const passwordChangeRequested = [
  otherThanExpected,
  {
    actions: ['replacePassword', raiseEpoch('user')],
    description: 'The end-user has set a new password: every session and every grant ends, also those of a thief.',
    meta: { spec: 'NIST SP 800-63B-4 §5.2' },
  },
] as const satisfies readonly SharedArm[];

const deletionRequested = [
  otherThanExpected,
  {
    target: 'deleted',
    actions: ['eraseUser', raiseEpoch('user')],
    description: 'The end-user is deleted; every session and every grant ends.',
  },
] as const satisfies readonly SharedArm[];

/** A link in an e-mail belongs to an end-user who may sign in. */
const notWhileDisabled = {
  actions: reject('user_ended'),
  description: 'The end-user is disabled: no link in an e-mail changes the account.',
} as const satisfies SharedArm;

const addressShown = {
  actions: 'writeAddress',
  description: 'The end-user has shown that the address is theirs; sessions and grants stay.',
  meta: { spec: 'OpenID Connect Core §5.1' },
} as const satisfies SharedArm;

const linksOfNobody = {
  addressVerified: noSuchUser,
  addressChanged: noSuchUser,
  addressRestored: noSuchUser,
  passwordReset: noSuchUser,
  factorsLost: noSuchUser,
} as const;

/** Of those who may sign in. */
const passwordRehashed = [
  { guard: 'hashIsAnother', description: 'The password has changed since, and the new password stays.' },
  {
    actions: 'replacePasswordHash',
    description: 'The same password, hashed again as this version hashes; sessions and grants stay.',
    meta: { spec: 'NIST SP 800-63B-4 §3.1.1.2' },
  },
] as const satisfies readonly SharedArm[];

export const userMachine = setup({
  types: { context: {} as UserContext, events: {} as UserEvent, meta: {} as Meta },
  guards: userGuards as AtEveryEvent<typeof userGuards, UserContext, UserEvent>,
  actions: userEffects,
}).createMachine({
  id: 'user',
  context: {} as UserContext,
  initial: 'unregistered',
  states: {
    unregistered: {
      description: 'No end-user has had this `sub`.',
      meta: { spec: 'OpenID Connect Core §2' },
      on: {
        registrationRequested: [
          otherThanExpected,
          usernameIsTaken,
          addressIsTaken,
          {
            target: 'enabled',
            actions: 'registerUser',
            description: 'The end-user may sign in from now on.',
          },
        ],
        passwordChangeRequested: noSuchUser,
        disableRequested: noSuchUser,
        enableRequested: noSuchUser,
        deletionRequested: noSuchUser,
        ...linksOfNobody,
        passwordRehashed: noSuchUser,
      },
    },
    enabled: {
      description: 'May sign in.',
      meta: { spec: 'OpenID Connect Core §3.1.2.3' },
      on: {
        registrationRequested,
        passwordChangeRequested,
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
        addressVerified: addressShown,
        addressChanged: addressShown,
        addressRestored: {
          actions: ['writeAddress', raiseEpoch('user')],
          description: 'The address from before is back: sessions and grants end, since a thief may have changed it.',
          meta: { spec: 'OpenID Connect Core §5.1, NIST SP 800-63B-4 §4.6' },
        },
        passwordReset: {
          actions: ['replacePassword', raiseEpoch('user')],
          description: 'A new password by way of the verified address: sessions and grants end.',
          meta: { spec: 'NIST SP 800-63B-4 §4.2' },
        },
        factorsLost: {
          actions: raiseEpoch('user'),
          description: 'Every other factor was lost: sessions and grants end before the factors are removed.',
          meta: { spec: 'NIST SP 800-63B-4 §4.2.2' },
        },
        passwordRehashed,
      },
    },
    disabled: {
      description: 'Cannot sign in.',
      meta: { spec: 'OpenID Connect Core §3.1.2.3' },
      on: {
        registrationRequested,
        passwordChangeRequested: [
          otherThanExpected,
          {
            actions: reject('changed_meanwhile'),
            description: 'The end-user was disabled since, and cannot change the password.',
          },
        ],
        disableRequested: [otherThanExpected, { description: 'The end-user is disabled already.' }],
        enableRequested: [
          otherThanExpected,
          {
            target: 'enabled',
            actions: 'enableUser',
            description: 'The end-user may sign in again. Ended sessions and grants stay ended.',
          },
        ],
        deletionRequested,
        addressVerified: notWhileDisabled,
        addressChanged: notWhileDisabled,
        addressRestored: notWhileDisabled,
        passwordReset: notWhileDisabled,
        factorsLost: notWhileDisabled,
        passwordRehashed: { description: 'A disabled end-user cannot sign in, and the hash stays.' },
      },
    },
    deleted: {
      description: 'Only the `sub` of the end-user is left, and no other end-user gets it.',
      meta: { spec: 'OpenID Connect Core §2' },
      on: {
        registrationRequested: noSuchUser,
        passwordChangeRequested: noSuchUser,
        disableRequested: noSuchUser,
        enableRequested: noSuchUser,
        deletionRequested: noSuchUser,
        ...linksOfNobody,
        passwordRehashed: noSuchUser,
      },
    },
  } as const satisfies Answers<typeof userGuards, UserEvent>,
});
