/**
 * The interaction: what happens between GET /oauth/authorize and the redirect back to the client.
 *
 *                     signedIn                      consented
 *   ┌────────────────┐        ┌─────────────────┐           ┌──────────┐
 *   │ awaitingSignIn │ ─────► │ awaitingConsent │ ────────► │ approved │
 *   └────────────────┘        └─────────────────┘ ──┐       └──────────┘
 *           │ a live session, a remembered consent  │ refused  ▲  ┌────────┐
 *           └───────────────────────────────────────┼──────────┘  │ denied │
 *                                                   └────────────►└────────┘
 *
 * A live session or a remembered consent skips a state by an arm of its own, never by code beside the machine. So does what
 * the client asks for: prompt=none goes straight to `denied` when a page would be needed; prompt=login and an old sign-in stay.
 */
import { setup } from 'xstate';
import { interactionGuards } from './guards.ts';
import {
  effects,
  type InteractionContext,
  type InteractionEvent,
  type Meta,
  refuseAuthorization,
  reject,
  type SharedArm,
} from './vocabulary.ts';

const refuseExpired = {
  guard: 'expired',
  actions: reject('interaction_expired'),
  description: 'The page was open for too long; the client has to ask again.',
  meta: { spec: 'OAuth 2.1 §4.1.1' },
} as const satisfies SharedArm;

const refuseEndedClient = {
  guard: 'clientEnded',
  actions: reject('client_ended'),
  description: 'In the meantime the client was deleted, ended, or lost this redirect URI or grant type.',
  meta: { spec: 'RFC 6749 §4.1.2.1' },
} as const satisfies SharedArm;

const refuseAnotherPerson = {
  guard: 'signedInAsAnother',
  actions: reject('user_changed'),
  description: 'The browser now holds another session than the one that this page was made for, or none.',
  meta: { spec: 'OAuth 2.1 §7.11' },
} as const satisfies SharedArm;

const skipRememberedConsent = {
  guard: 'consentIsRemembered',
  target: 'approved',
  actions: 'issueCode',
  description: 'The same client was allowed at least this much before, and it can be told apart from impostors.',
  meta: { spec: 'RFC 6749 §10.2, RFC 8252 §8.6' },
} as const satisfies SharedArm;

const askForConsent = {
  target: 'awaitingConsent',
  actions: 'askConsent',
  description: 'Someone is signed in; now they decide.',
  meta: { spec: 'OAuth 2.1 §4.1.1' },
} as const satisfies SharedArm;

const refuseCompleted = {
  actions: reject('interaction_completed'),
  description: 'It has been answered, and the answer stays.',
  meta: { spec: 'OAuth 2.1 §4.1.2' },
} as const satisfies SharedArm;

const refuseUnsigned = {
  actions: reject('sign_in_required'),
  description: 'Nobody has signed in, so nobody can decide.',
  meta: { spec: 'OAuth 2.1 §4.1.1' },
} as const satisfies SharedArm;

/** No approval without a person, whatever the caller forgot. */
const refuseNobody = { ...refuseUnsigned, guard: 'nobodySignedIn' } as const satisfies SharedArm;

/** With `prompt=none` nothing may be shown: either the answer is there, or the client is told what is missing. */
const refuseSilentSignIn = {
  guard: 'signInIsNeededButForbidden',
  target: 'denied',
  actions: refuseAuthorization('login_required'),
  description: 'Someone would have to sign in, and the client asked that nothing be shown.',
  meta: { spec: 'OpenID Connect Core §3.1.2.1, §3.1.2.6' },
} as const satisfies SharedArm;

const refuseSilentConsent = {
  guard: 'askingIsForbidden',
  target: 'denied',
  actions: refuseAuthorization('consent_required'),
  description: 'Someone would have to consent, and the client asked that nothing be shown.',
  meta: { spec: 'OpenID Connect Core §3.1.2.1, §3.1.2.6' },
} as const satisfies SharedArm;

const refuseAnotherThanHinted = {
  guard: 'signedInAsAnotherThanHinted',
  target: 'denied',
  actions: refuseAuthorization('login_required'),
  description: 'Another person signed in than the one whom the client named in id_token_hint.',
  meta: { spec: 'OpenID Connect Core §3.1.2.1' },
} as const satisfies SharedArm;

/** A double submit, or one whose first answer was lost on the way to the database, is answered with the same redirect and the same code, as long as that code is of use. */
const repeatWhileCodeWaits = [
  refuseEndedClient,
  refuseAnotherPerson,
  {
    guard: 'codeIsWaiting',
    actions: 'repeatAnswer',
    description: 'Sent twice (a double click): the same answer, no second code.',
    meta: { spec: 'OAuth 2.1 §4.1.2' },
  },
  refuseCompleted,
] as const satisfies readonly SharedArm[];

export const interactionMachine = setup({
  types: { context: {} as InteractionContext, events: {} as InteractionEvent, meta: {} as Meta },
  guards: interactionGuards,
  actions: effects,
}).createMachine({
  id: 'interaction',
  context: {} as InteractionContext,
  initial: 'awaitingSignIn',
  states: {
    awaitingSignIn: {
      description: 'Client and redirect URI are proven; who the person is, is not.',
      meta: { spec: 'OAuth 2.1 §4.1.1' },
      on: {
        requested: [
          refuseExpired,
          refuseEndedClient,
          refuseSilentSignIn,
          {
            guard: 'signInIsNeeded',
            actions: 'askSignIn',
            description:
              'The browser holds no live session, or not the one that was asked for: another person, too old, or prompt=login.',
            meta: { spec: 'OAuth 2.1 §3.1, OpenID Connect Core §3.1.2.3' },
          },
          {
            guard: 'accountIsToBeChosen',
            actions: 'askAccount',
            description: 'The client asked that the person choose an account: prompt=select_account.',
            meta: { spec: 'OpenID Connect Core §3.1.2.1' },
          },
          skipRememberedConsent,
          refuseSilentConsent,
          askForConsent,
        ],
        signedIn: [
          refuseExpired,
          refuseEndedClient,
          refuseNobody,
          refuseAnotherThanHinted,
          skipRememberedConsent,
          askForConsent,
        ],
        accountChosen: [
          refuseExpired,
          refuseEndedClient,
          { ...refuseUnsigned, guard: 'signInIsNeeded' },
          skipRememberedConsent,
          askForConsent,
        ],
        consented: refuseUnsigned,
        refused: refuseUnsigned,
      },
    },
    awaitingConsent: {
      description: 'The person is known; whether they allow it, is not.',
      meta: { spec: 'OAuth 2.1 §4.1.1' },
      on: {
        requested: [refuseExpired, refuseEndedClient, refuseAnotherPerson, askForConsent],
        signedIn: [
          refuseExpired,
          refuseEndedClient,
          refuseNobody,
          refuseAnotherThanHinted,
          skipRememberedConsent,
          askForConsent,
        ],
        accountChosen: [refuseExpired, refuseEndedClient, refuseAnotherPerson, askForConsent],
        consented: [
          refuseExpired,
          refuseEndedClient,
          refuseAnotherPerson,
          {
            guard: 'consentMayBeRemembered',
            target: 'approved',
            actions: ['rememberConsent', 'issueCode'],
            description: 'Allowed, by a client whose identity is assured: remembered.',
            meta: { spec: 'OAuth 2.1 §4.1.2' },
          },
          {
            target: 'approved',
            actions: 'issueCode',
            description: 'Allowed, this time only: another app could pose as this client.',
            meta: { spec: 'OAuth 2.1 §4.1.2, RFC 8252 §8.6' },
          },
        ],
        refused: [
          refuseExpired,
          refuseEndedClient,
          refuseAnotherPerson,
          {
            target: 'denied',
            actions: refuseAuthorization('access_denied'),
            description: 'Not allowed: the client is told access_denied.',
            meta: { spec: 'RFC 6749 §4.1.2.1' },
          },
        ],
      },
    },
    approved: {
      description: 'A grant exists, and its code is on its way to the client.',
      meta: { spec: 'OAuth 2.1 §4.1.2' },
      on: {
        requested: repeatWhileCodeWaits,
        signedIn: repeatWhileCodeWaits,
        accountChosen: repeatWhileCodeWaits,
        consented: repeatWhileCodeWaits,
        refused: refuseCompleted,
      },
    },
    denied: {
      description: 'The person said no, or could not be asked.',
      meta: { spec: 'RFC 6749 §4.1.2.1' },
      on: {
        requested: refuseCompleted,
        signedIn: refuseCompleted,
        accountChosen: refuseCompleted,
        consented: refuseCompleted,
        refused: [
          refuseEndedClient,
          refuseAnotherPerson,
          {
            actions: 'repeatAnswer',
            description: 'Sent twice: the same answer.',
            meta: { spec: 'RFC 6749 §4.1.2.1' },
          },
        ],
      },
    },
  },
});
