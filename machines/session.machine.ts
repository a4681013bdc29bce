/**
 * The session, a browser in which an end-user has signed in: active → ended. A sign-in creates it.
 *
 *   used: admit                    signed out, ended from the list, replaced, idle, too old
 *   ┌────────┐                          (endSession)                        ┌───────┐
 *   │ active │ ───────────────────────────────────────────────────────────► │ ended │
 *   └────────┘   user disabled, new password, server recovered (raiseEpoch) └───────┘
 *
 * A session that ends by sign-out, from the list, by replacement or by time leaves its grants alive. The three events that raise
 * an epoch end the grants too (grant.machine.ts). Nothing is approved from a session that has ended: the approval commits only
 * while the session is active, in the same statement.
 */
import { setup } from 'xstate';
import { sessionGuards } from './guards.ts';
import {
  effects,
  endSession,
  type Meta,
  raiseEpoch,
  reject,
  type SessionContext,
  type SessionEvent,
  type SharedArm,
} from './vocabulary.ts';

const stayEnded = {
  description: 'It has ended already: its row keeps what is written there.',
} as const satisfies SharedArm;

export const sessionMachine = setup({
  types: { context: {} as SessionContext, events: {} as SessionEvent, meta: {} as Meta },
  guards: sessionGuards,
  actions: effects,
}).createMachine({
  id: 'session',
  context: {} as SessionContext,
  initial: 'active',
  states: {
    active: {
      description: 'The end-user signed in, in this browser, and may go on without a password.',
      meta: { spec: 'OpenID Connect Core §3.1.2.3' },
      on: {
        used: [
          {
            guard: 'tooOld',
            target: 'ended',
            actions: [endSession('session_too_old'), reject('session_too_old')],
            description: 'The sign-in was too long ago, however much the session was used.',
          },
          {
            guard: 'idle',
            target: 'ended',
            actions: [endSession('session_idle'), reject('session_idle')],
            description: 'The session was not used for too long.',
          },
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
        signedInAgain: {
          target: 'ended',
          actions: endSession('signed_in_again'),
          description:
            'A new sign-in in the same browser replaced it, under a new cookie: the old cookie is worth nothing.',
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
      },
    },
    ended: {
      description: 'Ended for good. Nothing leads out of here.',
      meta: { spec: 'OpenID Connect Core §3.1.2.3' },
      on: {
        used: [
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
            guard: 'replaced',
            actions: reject('signed_in_again'),
            description: 'Another session replaced it in the same browser.',
          },
          { guard: 'idledOut', actions: reject('session_idle'), description: 'It had not been used for too long.' },
          { actions: reject('session_too_old'), description: 'The sign-in was too long ago.' },
        ],
        signOutRequested: stayEnded,
        endRequested: stayEnded,
        signedInAgain: stayEnded,
        userDisabled: stayEnded,
        passwordChanged: stayEnded,
        serverRecovered: stayEnded,
      },
    },
  },
});
