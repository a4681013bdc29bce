/**
 * The session, a browser in which an end-user has signed in: awaitingSecondFactor → active → ended.
 *
 *   ┌──────────────────────┐ signedIn, with all that is demanded (beginSession)  ┌────────┐
 *   │ awaitingSecondFactor │ ──────────────────────────────────────────────────► │ active │ used: admit
 *   └──────────────────────┘ factorAdded (addFactor: a new cookie)               └────────┘ factorAdded: addFactor, admit
 *      │ used: reject(second_factor_required)                                        │
 *      │ waited too long, and all that ends an active session                        │ signed out, ended from the list or by an
 *      │ but for idling (endSession)        ┌───────┐                                │ administrator, replaced, idle, too old
 *      └──────────────────────────────────► │ ended │ ◄──────────────────────────────┘ (endSession); user disabled, new password,
 *                                           └───────┘                                  server recovered (raiseEpoch)
 *
 * The server stores a session with the sign-in that creates it. The session is active where the sign-in is as strong as policy and
 * account demand, else it awaits a second factor. Then the browser is not signed in, and the factor has to follow soon. An additional
 * factor renews the cookie.
 *
 * A session that ends by sign-out, from the list, by an administrator, by replacement or by time leaves its grants active. The events
 * that raise an epoch (user disabled, new password, server recovered) end the grants too (machines/grant/machine.ts). Nothing is
 * approved from a session that has ended: the approval commits only while the session is active, in the same statement.
 *
 * As a picture or as JSON, whole: `npx statehouse diagram session` (`--format json`).
 */
import { setup } from 'xstate';
import type { Meta, SharedArm } from '../shared/arm.ts';
import { raiseEpoch, reject } from '../shared/effects.ts';
import type { Answers, AtEveryEvent } from '../shared/events.ts';
import { endSession, sessionEffects } from './effects.ts';
import type { SessionContext, SessionEvent } from './facts.ts';
import { sessionGuards } from './guards.ts';

const stayEnded = {
  description: 'It has ended already: its row stays as it is.',
} as const satisfies SharedArm;

const tooOld = {
  guard: 'tooOld',
  target: 'ended',
  actions: [endSession('session_too_old'), reject('session_too_old')],
  description: 'The sign-in was too long ago, however much the session was used.',
} as const satisfies SharedArm;

const idle = {
  guard: 'idle',
  target: 'ended',
  actions: [endSession('session_idle'), reject('session_idle')],
  description: 'The session was not used for too long.',
} as const satisfies SharedArm;

const waitedTooLong = {
  guard: 'waitedTooLong',
  target: 'ended',
  actions: [endSession('second_factor_missing'), reject('second_factor_missing')],
  description: 'The second factor did not follow in time: the password counts for nothing.',
} as const satisfies SharedArm;

const factorIsGone = {
  guard: 'factorIsGone',
  actions: reject('factor_removed'),
  description: 'The factor was removed after it was proven: the server does not sign in with it.',
  meta: { spec: 'NIST SP 800-63B-4 §4.3' },
} as const satisfies SharedArm;

/** The arms that end a session, awaiting or active. */
const endings = {
  signOutRequested: {
    target: 'ended',
    actions: endSession('signed_out'),
    description: 'The end-user signed out in this browser.',
    meta: { spec: 'OpenID Connect RP-Initiated Logout §2' },
  },
  endRequested: {
    target: 'ended',
    actions: endSession('ended_by_user'),
    description: 'The end-user ended it from the list of places where they are signed in.',
  },
  endRequestedByAdministrator: {
    target: 'ended',
    actions: endSession('ended_by_administrator'),
    description: 'An administrator ended it.',
  },
  signedInAgain: {
    target: 'ended',
    actions: endSession('signed_in_again'),
    description: 'A new sign-in in the same browser replaced it, under a new cookie: the old cookie is invalid.',
  },
  userDisabled: {
    target: 'ended',
    actions: raiseEpoch('user'),
    description: 'The end-user was disabled.',
  },
  passwordChanged: {
    target: 'ended',
    actions: raiseEpoch('user'),
    description: 'The end-user got a new password: a thief may have signed in with the old one.',
  },
  serverRecovered: {
    target: 'ended',
    actions: raiseEpoch('server'),
    description: 'The operator ended every older session, as after restoring a backup.',
  },
} as const satisfies Readonly<Record<string, SharedArm>>;

/** Why a session that has ended admits no request. */
const whyEnded = [
  {
    guard: 'endedByUser',
    actions: reject('user_ended'),
    description: 'The end-user was disabled, or got a new password, after the sign-in.',
  },
  {
    guard: 'endedByServer',
    actions: reject('server_epoch_raised'),
    description: 'The operator ended every older session.',
  },
  { guard: 'signedOut', actions: reject('signed_out'), description: 'The end-user signed out.' },
  {
    guard: 'endedFromList',
    actions: reject('ended_by_user'),
    description: 'The end-user ended it from another browser, or from the list in this one.',
  },
  {
    guard: 'endedByAdministrator',
    actions: reject('ended_by_administrator'),
    description: 'An administrator had ended it.',
  },
  {
    guard: 'replaced',
    actions: reject('signed_in_again'),
    description: 'Another session replaced it in the same browser.',
  },
  {
    guard: 'endedWithoutFactor',
    actions: reject('second_factor_missing'),
    description: 'The second factor had not followed in time.',
  },
  { guard: 'idledOut', actions: reject('session_idle'), description: 'It had not been used for too long.' },
  { actions: reject('session_too_old'), description: 'The sign-in was too long ago.' },
] as const satisfies readonly SharedArm[];

export const sessionMachine = setup({
  types: { context: {} as SessionContext, events: {} as SessionEvent, meta: {} as Meta },
  guards: sessionGuards as AtEveryEvent<typeof sessionGuards, SessionContext, SessionEvent>,
  actions: sessionEffects,
}).createMachine({
  id: 'session',
  context: {} as SessionContext,
  initial: 'awaitingSecondFactor',
  states: {
    awaitingSecondFactor: {
      description:
        'The password was right, and a second factor is demanded: the browser is not signed in, and may only prove or set up that factor.',
      meta: { spec: 'NIST SP 800-63B-4 §2.2' },
      on: {
        signedIn: [
          {
            guard: 'factorIsMissing',
            description: 'The end-user has a second factor, or has to have one: it is asked for next.',
          },
          {
            target: 'active',
            actions: 'beginSession',
            description: 'The end-user signed in with all that is demanded.',
            meta: { spec: 'OpenID Connect Core §3.1.2.3' },
          },
        ],
        factorAdded: [
          tooOld,
          waitedTooLong,
          factorIsGone,
          {
            target: 'active',
            actions: ['addFactor', 'admit'],
            description: 'The second factor was proven in time: the browser is signed in, under a new cookie.',
            meta: { spec: 'NIST SP 800-63B-4 §2.2' },
          },
        ],
        used: [
          tooOld,
          waitedTooLong,
          {
            actions: reject('second_factor_required'),
            description: 'The browser is not signed in yet.',
            meta: { spec: 'NIST SP 800-63B-4 §2.2' },
          },
        ],
        ...endings,
      },
    },
    active: {
      description: 'The end-user has signed in with this browser, and continues without a password.',
      meta: { spec: 'OpenID Connect Core §3.1.2.3' },
      on: {
        signedIn: { description: 'The sign-in is complete already.' },
        factorAdded: [
          tooOld,
          idle,
          factorIsGone,
          {
            actions: ['addFactor', 'admit'],
            description: 'Signed in more strongly than before, under a new cookie.',
            meta: { spec: 'RFC 9470 §5' },
          },
        ],
        used: [
          tooOld,
          idle,
          {
            guard: 'useIsDue',
            actions: ['recordUse', 'admit'],
            description: 'In time, and the last recorded use is a while ago.',
            meta: { spec: 'OpenID Connect Core §3.1.2.3' },
          },
          {
            actions: 'admit',
            description: 'In time.',
            meta: { spec: 'OpenID Connect Core §3.1.2.3' },
          },
        ],
        ...endings,
      },
    },
    ended: {
      description: 'Ended for good. No arm leads out of this state.',
      meta: { spec: 'OpenID Connect Core §3.1.2.3' },
      on: {
        signedIn: stayEnded,
        factorAdded: whyEnded,
        used: whyEnded,
        signOutRequested: stayEnded,
        endRequested: stayEnded,
        endRequestedByAdministrator: stayEnded,
        signedInAgain: stayEnded,
        userDisabled: stayEnded,
        passwordChanged: stayEnded,
        serverRecovered: stayEnded,
      },
    },
  } as const satisfies Answers<typeof sessionGuards, SessionEvent>,
});
