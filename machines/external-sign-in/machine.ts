/**
 * The external sign-in: a browser was sent to another place, and comes back signed in. The place is another OpenID Provider, or an
 * application of the team that keeps this server.
 *
 *   ┌──────────┐ answerReceived                 ┌──────────┐ browserReturned (createUser, linkIdentity, useAnswer) ┌──────┐
 *   │ awaiting │ ─────────────────────────────► │ answered │ ────────────────────────────────────────────────────► │ used │
 *   └──────────┘ (createUser, recordAnswer)     └──────────┘                                                       └──────┘
 *        │ refusalReceived (recordRefusal)      ┌────────┐
 *        └────────────────────────────────────► │ denied │
 *                                               └────────┘
 *
 * An OpenID Provider answers through the browser: the server takes its code once (`answered`) and redeems it, and
 * `browserReturned` brings the ID Token. The team's application answers at the management API, and the browser returns after that.
 *
 * A wrong presentation changes nothing: the server rejects an answer of another browser, a second answer, and a late one.
 * After a provider's answer, one commit registers the end-user, links the identity and uses the answer, so that nothing is ever
 * half done. The team's application names a just-in-time user in its answer: one commit stores both. Another commit uses
 * the answer when the browser returns. The server links no identity.
 *
 * As a picture or as JSON, whole: `npx statehouse diagram external-sign-in` (`--format json`).
 */
import { setup } from 'xstate';
import type { Meta, SharedArm } from '../shared/arm.ts';
import { reject } from '../shared/effects.ts';
import type { Answers, AtEveryEvent } from '../shared/events.ts';
import { externalSignInEffects } from './effects.ts';
import type { ExternalSignInContext, ExternalSignInEvent } from './facts.ts';
import { externalSignInGuards } from './guards.ts';

const rejectExpired = {
  guard: 'expired',
  actions: reject('external_sign_in_expired'),
  description: 'It took too long; the end-user has to begin again.',
} as const satisfies SharedArm;

const rejectAnotherBrowser = {
  guard: 'fromAnotherBrowser',
  actions: reject('another_browser'),
  description: 'The browser that returns is not the browser that began: an attacker may have planted the answer.',
  meta: { spec: 'RFC 6749 §10.12, RFC 9700 §4.7' },
} as const satisfies SharedArm;

const rejectNotAdmitted = {
  guard: 'notAdmitted',
  actions: reject('not_admitted'),
  description: 'The policy does not admit this identity, or the session that began the sign-in has ended.',
} as const satisfies SharedArm;

const rejectEndedUser = {
  guard: 'userEnded',
  actions: reject('user_ended'),
  description: 'The end-user was disabled or deleted, or every session of theirs ended after the answer.',
  meta: { spec: 'OpenID Connect Core §3.1.2.3' },
} as const satisfies SharedArm;

const rejectUnknownUser = {
  guard: 'userIsUnknown',
  actions: reject('nobody_linked'),
  description: 'The identity belongs to no registered end-user, and the policy registers no new end-users.',
} as const satisfies SharedArm;

const rejectAnswered = {
  actions: reject('external_sign_in_answered'),
  description: 'It has been answered, and the answer stays.',
  meta: { spec: 'RFC 6749 §10.5' },
} as const satisfies SharedArm;

const rejectUsed = {
  actions: reject('external_sign_in_used'),
  description: 'The answer has signed in once, and is invalid now.',
  meta: { spec: 'RFC 6749 §10.5' },
} as const satisfies SharedArm;

const rejectDenied = {
  actions: reject('external_sign_in_denied'),
  description: 'The identity provider refused, and the refusal stays.',
  meta: { spec: 'RFC 6749 §4.1.2.1' },
} as const satisfies SharedArm;

export const externalSignInMachine = setup({
  types: { context: {} as ExternalSignInContext, events: {} as ExternalSignInEvent, meta: {} as Meta },
  guards: externalSignInGuards as AtEveryEvent<typeof externalSignInGuards, ExternalSignInContext, ExternalSignInEvent>,
  actions: externalSignInEffects,
}).createMachine({
  id: 'externalSignIn',
  context: {} as ExternalSignInContext,
  initial: 'awaiting',
  states: {
    awaiting: {
      description: 'The server redirected the browser to the identity provider.',
      meta: { spec: 'OpenID Connect Core §3.1.2.1' },
      on: {
        answerReceived: [
          rejectExpired,
          rejectAnotherBrowser,
          rejectEndedUser,
          rejectUnknownUser,
          {
            guard: 'userIsNew',
            target: 'answered',
            actions: ['createUser', 'recordAnswer'],
            description: 'The answer names a just-in-time user: the policy permits the registration.',
          },
          {
            target: 'answered',
            actions: 'recordAnswer',
            description: 'The identity provider names the end-user.',
            meta: { spec: 'OpenID Connect Core §3.1.2.5' },
          },
        ],
        refusalReceived: [
          rejectExpired,
          rejectAnotherBrowser,
          {
            target: 'denied',
            actions: 'recordRefusal',
            description: 'The identity provider reports that no end-user signed in, or that the end-user declined.',
            meta: { spec: 'OpenID Connect Core §3.1.2.6' },
          },
        ],
        browserReturned: [
          rejectAnotherBrowser,
          {
            actions: reject('external_sign_in_unanswered'),
            description: 'The identity provider has not answered yet.',
            meta: { spec: 'RFC 6749 §10.12' },
          },
        ],
      },
    },
    answered: {
      description: 'The identity provider has answered, and the end-user is not signed in yet.',
      meta: { spec: 'OpenID Connect Core §3.1.2.5' },
      on: {
        answerReceived: rejectAnswered,
        refusalReceived: rejectAnswered,
        browserReturned: [
          rejectExpired,
          rejectAnotherBrowser,
          {
            guard: 'isOvertaken',
            actions: reject('external_sign_in_overtaken'),
            description: 'The same browser began another sign-in after this one, and has signed in with it.',
            meta: { spec: 'RFC 9700 §4.7' },
          },
          rejectNotAdmitted,
          rejectEndedUser,
          {
            guard: 'identityIsAnothers',
            actions: reject('identity_linked_elsewhere'),
            description: 'The identity is that of another end-user, and stays theirs.',
            meta: { spec: 'OpenID Connect Core §5.7' },
          },
          rejectUnknownUser,
          {
            guard: 'userIsNew',
            target: 'used',
            actions: ['createUser', 'linkIdentity', 'useAnswer'],
            description: 'A just-in-time user: the server stores end-user, identity and sign-in together.',
            meta: { spec: 'OpenID Connect Core §5.7' },
          },
          {
            guard: 'identityIsNew',
            target: 'used',
            actions: ['linkIdentity', 'useAnswer'],
            description:
              'The end-user has proven both accounts: this one by being signed in, the other by signing in there.',
            meta: { spec: 'OpenID Connect Core §5.7' },
          },
          {
            target: 'used',
            actions: 'useAnswer',
            description: 'The end-user is signed in, once.',
            meta: { spec: 'OpenID Connect Core §3.1.2.3' },
          },
        ],
      },
    },
    denied: {
      description: 'No end-user signed in. No arm leads out of this state.',
      meta: { spec: 'OpenID Connect Core §3.1.2.6' },
      on: {
        answerReceived: rejectDenied,
        refusalReceived: rejectDenied,
        browserReturned: [rejectAnotherBrowser, rejectDenied],
      },
    },
    used: {
      description: 'The answer has signed in. No arm leads out of this state.',
      meta: { spec: 'OpenID Connect Core §3.1.2.3' },
      on: {
        answerReceived: rejectUsed,
        refusalReceived: rejectUsed,
        browserReturned: [rejectAnotherBrowser, rejectUsed],
      },
    },
  } as const satisfies Answers<typeof externalSignInGuards, ExternalSignInEvent>,
});
