/**
 * The interaction: the steps between GET /oauth/authorize and the redirect back to the client.
 *
 *                     signedIn                      consented
 *   ┌────────────────┐        ┌─────────────────┐           ┌──────────┐
 *   │ awaitingSignIn │ ─────► │ awaitingConsent │ ────────► │ approved │
 *   └────────────────┘        └─────────────────┘ ──┐       └──────────┘
 *           │ a live session, a remembered consent  │ refused  ▲  ┌────────┐
 *           └───────────────────────────────────────┼──────────┘  │ denied │
 *                                                   └────────────►└────────┘
 *
 * `awaitingSignIn` leads to `denied` too. The error is login_required when another end-user signs in than the client named. It is
 * access_denied when the client requests only the administration of this server and the end-user has no role in it. It is
 * unmet_authentication_requirements when the end-user declines the additional factor.
 *
 * An interaction is stored when it first leaves `awaitingSignIn`. Until then it has no row: it travels, sealed, in the URL of its
 * pages. An authorization request without an answer leaves no interaction, and neither does a silent refusal. One that is approved
 * without a page leaves its grant alone, which has the id of the interaction: where that grant exists, the interaction is `approved`.
 * A redirect to another sign-in stores the sealed interaction with that sign-in (machines/external-sign-in/machine.ts).
 *
 * An active session or a remembered consent skips a state by an arm of its own, never by code beside the machine. The same holds
 * for the requested parameters. The server rejects prompt=none immediately where it needs a page, and prompt=create begins with the
 * sign-up page. prompt=login, or a sign-in older than max_age, stays in `awaitingSignIn`. So does a sign-in that is weaker than client,
 * resource or request demand. Then the page asks for the additional factor, and for nothing else (RFC 9470 §5). Opening the page is an
 * event too (`viewed`): the machine decides on the page.
 *
 * As a picture or as JSON, whole: `npx statehouse diagram interaction` (`--format json`).
 */
import { setup } from 'xstate';
import type { Meta, SharedArm } from '../shared/arm.ts';
import { reject } from '../shared/effects.ts';
import type { Answers, AtEveryEvent } from '../shared/events.ts';
import { interactionEffects, refuseAuthorization, refuseSilently } from './effects.ts';
import type { InteractionContext, InteractionEvent } from './facts.ts';
import { interactionGuards } from './guards.ts';

const rejectExpired = {
  guard: 'expired',
  actions: reject('interaction_expired'),
  description: 'The page was open for too long; the client has to ask again.',
} as const satisfies SharedArm;

const rejectEndedClient = {
  guard: 'clientEnded',
  actions: reject('client_ended'),
  description: 'The client was deleted, even if registered again since, or lost this redirect URI or grant type.',
  meta: { spec: 'RFC 6749 §4.1.2.1' },
} as const satisfies SharedArm;

/** In another tab, or by an error: nothing else may be answered to it. */
const rejectAnswered = {
  guard: 'requestAnswered',
  actions: reject('request_answered'),
  description: 'The client pushed the request, and has its answer already: one request has one answer.',
  meta: { spec: 'RFC 9126 §4, §7.3' },
} as const satisfies SharedArm;

/** Of a request that is no longer open, every event is rejected. */
const rejectUseless = [rejectExpired, rejectEndedClient, rejectAnswered] as const satisfies readonly SharedArm[];

const rejectChangedUser = {
  guard: 'userChanged',
  actions: reject('user_changed'),
  description: 'The page was made for another end-user than the one who is signed in.',
  meta: { spec: 'RFC 6749 §10.12' },
} as const satisfies SharedArm;

const skipOwnConsent = {
  guard: 'consentIsSkipped',
  target: 'approved',
  actions: ['relyOnRegistration', 'issueCode'],
  description: 'An operator registered the client as the team’s own, and other apps cannot pose as it.',
  meta: { spec: 'OpenID Connect Core §3.1.2.4' },
} as const satisfies SharedArm;

const skipRememberedConsent = {
  guard: 'consentIsRemembered',
  target: 'approved',
  actions: ['relyOnConsent', 'issueCode'],
  description: 'The same client was allowed at least this much before, and other apps cannot pose as it.',
  meta: { spec: 'RFC 6749 §10.2, RFC 8252 §8.6' },
} as const satisfies SharedArm;

/** The authorization request itself is approved. Otherwise a page with the id of the interaction came before. */
const approveWithoutPage = [
  { ...skipOwnConsent, actions: ['relyOnRegistration', 'storeGrantAlone', 'issueCode'] },
  { ...skipRememberedConsent, actions: ['relyOnConsent', 'storeGrantAlone', 'issueCode'] },
] as const satisfies readonly SharedArm[];

const askForConsent = {
  target: 'awaitingConsent',
  actions: 'askConsent',
  description: 'The end-user is signed in, and decides now.',
  meta: { spec: 'OAuth 2.1 §4.1.1' },
} as const satisfies SharedArm;

/** The server asks for the missing factor, and for nothing more. */
const askForFactor = {
  guard: 'levelIsMissing',
  actions: 'askFactor',
  description:
    'The sign-in is weaker than client, resource or request demand: the server asks for an additional factor.',
  meta: { spec: 'RFC 9470 §5' },
} as const satisfies SharedArm;

const showFactor = {
  guard: 'factorIsNext',
  actions: 'askFactor',
  description: 'The page asks for the additional factor, or leads to its set-up.',
  meta: { spec: 'RFC 9470 §5' },
} as const satisfies SharedArm;

const rejectWithoutFactor = {
  guard: 'levelIsMissing',
  actions: reject('factor_required'),
  description: 'The sign-in of this browser is weaker than the required level.',
  meta: { spec: 'RFC 9470 §5' },
} as const satisfies SharedArm;

/** Opening the page changes nothing; the effect says which page is shown. */
const showSignIn = {
  actions: 'askSignIn',
  description: 'The page is the sign-in form.',
  meta: { spec: 'OAuth 2.1 §4.1.1' },
} as const satisfies SharedArm;

const rejectCompleted = {
  actions: reject('interaction_completed'),
  description: 'It has been answered, and the answer stays.',
  meta: { spec: 'OAuth 2.1 §4.1.2' },
} as const satisfies SharedArm;

const rejectWithoutSignIn = {
  actions: reject('sign_in_required'),
  description: 'No end-user has signed in, so there is no decision to take.',
  meta: { spec: 'OAuth 2.1 §4.1.1' },
} as const satisfies SharedArm;

/** No approval without an end-user, even when a caller sends `signedIn` without one. */
const rejectWithoutUser = { ...rejectWithoutSignIn, guard: 'nobodySignedIn' } as const satisfies SharedArm;

/** With `prompt=none` the server shows no page: it answers, or sends the client the error that names the missing step. */
const refuseSilentSignIn = {
  guard: 'signInIsNeededButForbidden',
  actions: refuseSilently('login_required'),
  description: 'The end-user would have to sign in, but the client asked that nothing be shown.',
  meta: { spec: 'OpenID Connect Core §3.1.2.1, §3.1.2.6' },
} as const satisfies SharedArm;

const refuseSilentFactor = {
  guard: 'levelIsMissingButAskingIsForbidden',
  actions: refuseSilently('login_required'),
  description: 'The end-user would have to sign in more strongly, but the client asked that nothing be shown.',
  meta: { spec: 'OpenID Connect Core §3.1.2.6, RFC 9470 §5' },
} as const satisfies SharedArm;

const refuseSilentConsent = {
  guard: 'askingIsForbidden',
  actions: refuseSilently('consent_required'),
  description: 'The end-user would have to consent, but the client asked that nothing be shown.',
  meta: { spec: 'OpenID Connect Core §3.1.2.1, §3.1.2.6' },
} as const satisfies SharedArm;

const denyUserNotHinted = {
  guard: 'userIsNotHinted',
  target: 'denied',
  actions: refuseAuthorization('login_required'),
  description: 'The id_token_hint names another end-user.',
  meta: { spec: 'OpenID Connect Core §3.1.2.1' },
} as const satisfies SharedArm;

const denyWithoutFactor = {
  target: 'denied',
  actions: refuseAuthorization('unmet_authentication_requirements'),
  description: 'The end-user does not sign in as strongly as demanded: the client receives an error.',
  meta: { spec: 'OpenID Connect Core Unmet Authentication Requirements §2' },
} as const satisfies SharedArm;

/** Only the administration of this server is asked for, which takes a role that the end-user does not have. */
const denyWithoutRole = {
  guard: 'mayGrantNothing',
  target: 'denied',
  actions: refuseAuthorization('access_denied'),
  description: 'The end-user may grant none of the requested scope: administration takes a role.',
  meta: { spec: 'RFC 6749 §4.1.2.1' },
} as const satisfies SharedArm;

/** The end-user is signed in: the additional factor and the consent are left. */
const continueToApproval = [
  askForFactor,
  denyWithoutRole,
  skipOwnConsent,
  skipRememberedConsent,
  askForConsent,
] as const satisfies readonly SharedArm[];

/** A sign-in before the consent, of the first end-user or of another. */
const decideForUser = [
  ...rejectUseless,
  rejectWithoutUser,
  denyUserNotHinted,
  ...continueToApproval,
] as const satisfies readonly SharedArm[];

/** A form that is sent twice, or again after its answer was lost, gets the same redirect and code while that code can be exchanged. */
const repeatWhileCodeWaits = [
  rejectEndedClient,
  rejectChangedUser,
  {
    guard: 'codeIsWaiting',
    actions: 'repeatAnswer',
    description: 'Sent twice (a double click): the same answer, no second code.',
    meta: { spec: 'OAuth 2.1 §4.1.2' },
  },
  rejectCompleted,
] as const satisfies readonly SharedArm[];

export const interactionMachine = setup({
  types: { context: {} as InteractionContext, events: {} as InteractionEvent, meta: {} as Meta },
  guards: interactionGuards as AtEveryEvent<typeof interactionGuards, InteractionContext, InteractionEvent>,
  actions: interactionEffects,
}).createMachine({
  id: 'interaction',
  context: {} as InteractionContext,
  initial: 'awaitingSignIn',
  states: {
    awaitingSignIn: {
      description: 'Client and redirect URI are verified. No end-user is bound to the request yet, and it has no row.',
      meta: { spec: 'OAuth 2.1 §4.1.1' },
      on: {
        requested: [
          ...rejectUseless,
          refuseSilentSignIn,
          {
            guard: 'accountIsToBeCreated',
            actions: 'askSignUp',
            description: 'The client asked that the end-user create an account: prompt=create.',
            meta: { spec: 'Initiating User Registration via OpenID Connect §4.1' },
          },
          {
            guard: 'signInIsNeeded',
            actions: 'askSignIn',
            description:
              'The browser is not signed in, or not as requested: another end-user, a sign-in older than max_age, or prompt=login.',
            meta: { spec: 'OAuth 2.1 §3.1, OpenID Connect Core §3.1.2.3' },
          },
          refuseSilentFactor,
          {
            guard: 'accountIsToBeChosen',
            actions: 'askAccount',
            description: 'The client asked that the end-user choose an account: prompt=select_account.',
            meta: { spec: 'OpenID Connect Core §3.1.2.1' },
          },
          askForFactor,
          {
            guard: 'mayGrantNothing',
            actions: refuseSilently('access_denied'),
            description:
              'The end-user may grant nothing that the client requests: the client receives an error, and no page is needed.',
            meta: { spec: 'RFC 6749 §4.1.2.1' },
          },
          ...approveWithoutPage,
          refuseSilentConsent,
          askForConsent,
        ],
        viewed: [
          ...rejectUseless,
          {
            guard: 'accountMayBeChosen',
            actions: 'askAccount',
            description: 'The page shows the account that is signed in, and a sign-in form for another account.',
            meta: { spec: 'OpenID Connect Core §3.1.2.1' },
          },
          showFactor,
          showSignIn,
        ],
        switchRequested: [...rejectUseless, showSignIn],
        signedIn: decideForUser,
        accountChosen: [...rejectUseless, { ...rejectWithoutSignIn, guard: 'signInIsNeeded' }, ...continueToApproval],
        factorAdded: [
          ...rejectUseless,
          rejectWithoutUser,
          denyUserNotHinted,
          { ...rejectWithoutSignIn, guard: 'signInIsStillNeeded' },
          ...continueToApproval,
        ],
        factorDeclined: [...rejectUseless, rejectWithoutUser, denyWithoutFactor],
        consented: rejectWithoutSignIn,
        refused: rejectWithoutSignIn,
      },
    },
    awaitingConsent: {
      description: 'The end-user is known and has not decided yet.',
      meta: { spec: 'OAuth 2.1 §4.1.1' },
      on: {
        requested: [...rejectUseless, rejectChangedUser, askForFactor, askForConsent],
        viewed: [
          ...rejectUseless,
          showFactor,
          { ...showSignIn, guard: 'userChanged' },
          {
            actions: 'showConsent',
            description: 'The page is the consent page.',
            meta: { spec: 'OAuth 2.1 §4.1.1' },
          },
        ],
        switchRequested: [...rejectUseless, showSignIn],
        signedIn: decideForUser,
        accountChosen: [...rejectUseless, rejectChangedUser, askForFactor, askForConsent],
        factorAdded: [...rejectUseless, rejectChangedUser, askForFactor, askForConsent],
        factorDeclined: [...rejectUseless, rejectChangedUser, denyWithoutFactor],
        consented: [
          ...rejectUseless,
          rejectChangedUser,
          rejectWithoutFactor,
          denyWithoutRole,
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
          ...rejectUseless,
          rejectChangedUser,
          {
            target: 'denied',
            actions: refuseAuthorization('access_denied'),
            description: 'The end-user refused: the client receives access_denied.',
            meta: { spec: 'RFC 6749 §4.1.2.1' },
          },
        ],
      },
    },
    approved: {
      description: 'Approved: a grant was made, and its code was sent to the client.',
      meta: { spec: 'OAuth 2.1 §4.1.2' },
      on: {
        requested: repeatWhileCodeWaits,
        viewed: rejectCompleted,
        switchRequested: rejectCompleted,
        signedIn: repeatWhileCodeWaits,
        accountChosen: repeatWhileCodeWaits,
        factorAdded: repeatWhileCodeWaits,
        factorDeclined: rejectCompleted,
        consented: repeatWhileCodeWaits,
        refused: rejectCompleted,
      },
    },
    denied: {
      description: 'The end-user refused, is not the hinted one, may grant nothing of it, or signed in too weakly.',
      meta: { spec: 'RFC 6749 §4.1.2.1' },
      on: {
        requested: rejectCompleted,
        viewed: rejectCompleted,
        switchRequested: rejectCompleted,
        signedIn: rejectCompleted,
        accountChosen: rejectCompleted,
        factorAdded: rejectCompleted,
        factorDeclined: rejectCompleted,
        consented: rejectCompleted,
        refused: [
          rejectEndedClient,
          rejectChangedUser,
          {
            actions: 'repeatAnswer',
            description: 'A refusal after the interaction was denied: the client receives access_denied.',
            meta: { spec: 'RFC 6749 §4.1.2.1' },
          },
        ],
      },
    },
  } as const satisfies Answers<typeof interactionGuards, InteractionEvent>,
});
