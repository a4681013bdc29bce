/** The predicates themselves, with real contexts and events: both outcomes of each, and the edges between them. */
import { describe, expect, test } from 'vitest';
import type { AuthorizationCodeContext, AuthorizationCodeEvent } from '../../../machines/authorization-code/facts.ts';
import { authorizationCodeGuards } from '../../../machines/authorization-code/guards.ts';
import type { ClientContext, ClientEvent } from '../../../machines/client/facts.ts';
import { clientGuards } from '../../../machines/client/guards.ts';
import type { ClientDocumentContext, ClientDocumentEvent } from '../../../machines/client-document/facts.ts';
import { clientDocumentGuards, BOUNDS as DOCUMENT_BOUNDS } from '../../../machines/client-document/guards.ts';
import type {
  ClientRegistrationContext,
  ClientRegistrationEvent,
} from '../../../machines/client-registration/facts.ts';
import {
  clientRegistrationGuards,
  BOUNDS as REGISTRATION_BOUNDS,
} from '../../../machines/client-registration/guards.ts';
import type { EmailChallengeContext, EmailChallengeEvent } from '../../../machines/email-challenge/facts.ts';
import { emailChallengeGuards } from '../../../machines/email-challenge/guards.ts';
import type { ExternalSignInContext, ExternalSignInEvent } from '../../../machines/external-sign-in/facts.ts';
import { externalSignInGuards } from '../../../machines/external-sign-in/guards.ts';
import type { InteractionContext, InteractionEvent } from '../../../machines/interaction/facts.ts';
import { interactionGuards } from '../../../machines/interaction/guards.ts';
import type { LinkedIdentityEvent } from '../../../machines/linked-identity/facts.ts';
import { linkedIdentityGuards } from '../../../machines/linked-identity/guards.ts';
import { mailGuards } from '../../../machines/mail/guards.ts';
import type { OperatorSetUpContext, OperatorSetUpEvent } from '../../../machines/operator-set-up/facts.ts';
import { operatorSetUpGuards } from '../../../machines/operator-set-up/guards.ts';
import type { PasskeyContext, PasskeyEvent } from '../../../machines/passkey/facts.ts';
import { passkeyGuards } from '../../../machines/passkey/guards.ts';
import type { PushedRequestContext, PushedRequestEvent } from '../../../machines/pushed-request/facts.ts';
import { pushedRequestGuards } from '../../../machines/pushed-request/guards.ts';
import type { RecoveryCodeContext, RecoveryCodeEvent } from '../../../machines/recovery-code/facts.ts';
import { recoveryCodeGuards } from '../../../machines/recovery-code/guards.ts';
import type { RefreshTokenContext, RefreshTokenEvent } from '../../../machines/refresh-token/facts.ts';
import { refreshTokenGuards } from '../../../machines/refresh-token/guards.ts';
import type { SecondFactorContext, SecondFactorEvent } from '../../../machines/second-factor/facts.ts';
import { secondFactorGuards } from '../../../machines/second-factor/guards.ts';
import type { SessionContext, SessionEvent, SignInFacts } from '../../../machines/session/facts.ts';
import { sessionGuards } from '../../../machines/session/guards.ts';
import type { Proof, WaysToSignIn } from '../../../machines/shared/facts.ts';
import type { ProofDemanded, proofGuards } from '../../../machines/shared/proof.ts';
import type { SignInCodeContext, SignInCodeEvent } from '../../../machines/sign-in-code/facts.ts';
import { signInCodeGuards } from '../../../machines/sign-in-code/guards.ts';
import type { SigningKeyContext, SigningKeyEvent } from '../../../machines/signing-key/facts.ts';
import { signingKeyGuards } from '../../../machines/signing-key/guards.ts';
import type { TrustedBrowserContext, TrustedBrowserEvent } from '../../../machines/trusted-browser/facts.ts';
import { trustedBrowserGuards } from '../../../machines/trusted-browser/guards.ts';
import type { UsedJtiContext, UsedJtiEvent } from '../../../machines/used-jti/facts.ts';
import { usedJtiGuards } from '../../../machines/used-jti/guards.ts';
import type { UserContext, UserEvent } from '../../../machines/user/facts.ts';
import { userGuards } from '../../../machines/user/guards.ts';
import type { WebhookDeliveryContext, WebhookDeliveryEvent } from '../../../machines/webhook-delivery/facts.ts';
import { webhookDeliveryGuards } from '../../../machines/webhook-delivery/guards.ts';
import { SINGLE_FACTOR } from '../../../src/lifecycles/session/lifecycle.ts';
import { NO_PROOF } from '../../../src/model/proof.ts';

const NOW = Date.UTC(2030, 0, 1);
const AFTER = NOW + 1;

/** The members of all events, in one object: a guard reads those of its own events. */
type AnyOf<Event> = (Event extends unknown ? (event: Omit<Event, 'type'>) => void : never) extends (
  event: infer All,
) => void
  ? All
  : never;

type Case<Context, Event> = readonly [
  what: string,
  outcome: boolean,
  context: Partial<Context>,
  event: Partial<AnyOf<Event>>,
];
type Cases<Guards, Context, Event> = Readonly<Record<keyof Guards, readonly Case<Context, Event>[]>>;

const proven = (key: string): { proof: Proof } => ({ proof: { ...NO_PROOF, key } });
const withCertificate = (certificate: string): { proof: Proof } => ({ proof: { ...NO_PROOF, certificate } });
const proofCases: Cases<typeof proofGuards, ProofDemanded, { proof: Proof }> = {
  proofInvalid: [
    ['none sent', false, {}, { proof: NO_PROOF }],
    ['valid', false, {}, proven('the key')],
    ['invalid', true, {}, { proof: { ...NO_PROOF, problem: 'invalid' } }],
  ],
  nonceMissing: [
    ['none sent', false, {}, { proof: NO_PROOF }],
    ['invalid', false, {}, { proof: { ...NO_PROOF, problem: 'invalid' } }],
    ['without the nonce', true, {}, { proof: { ...NO_PROOF, key: 'the key', problem: 'nonceMissing' } }],
  ],
  proofMissing: [
    ['none sent, none required', false, {}, { proof: NO_PROOF }],
    ['none sent', true, { proofRequired: true }, { proof: NO_PROOF }],
    ['valid', false, { proofRequired: true }, proven('any key')],
  ],
  certificateMissing: [
    ['none sent, none required', false, {}, { proof: NO_PROOF }],
    ['none sent', true, { certificateRequired: true }, { proof: NO_PROOF }],
    ['a key, and no certificate', true, { certificateRequired: true }, proven('any key')],
    ['any', false, { certificateRequired: true }, withCertificate('any certificate')],
  ],
  keyDiffers: [
    ['bound to no key, none proven', false, { boundTo: null }, { proof: NO_PROOF }],
    ['bound to no key', false, { boundTo: null }, proven('any key')],
    ['its key', false, { boundTo: 'the key' }, proven('the key')],
    ['none proven', true, { boundTo: 'the key' }, { proof: NO_PROOF }],
    ['another key', true, { boundTo: 'the key' }, proven('The key')],
    ['its certificate', false, { boundTo: 'the certificate' }, withCertificate('the certificate')],
    ['another certificate', true, { boundTo: 'the certificate' }, withCertificate('The certificate')],
  ],
};

const code: AuthorizationCodeContext = {
  clientId: 'shop',
  boundTo: null,
  proofRequired: false,
  certificateRequired: false,
  redirectUri: 'https://shop.example/callback',
  codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  scopeToday: ['read'],
  resources: ['https://api.example'],
  endsAt: AFTER,
  endedBy: null,
};
const exchange: AuthorizationCodeEvent = {
  type: 'presented',
  now: NOW,
  clientId: 'shop',
  redirectUri: null,
  challengeOfVerifier: code.codeChallenge,
  proof: NO_PROOF,
  resources: null,
};
const codeCases: Cases<typeof authorizationCodeGuards, AuthorizationCodeContext, AuthorizationCodeEvent> = {
  byAnotherClient: [
    ['its client', false, {}, { clientId: 'shop' }],
    ['another', true, {}, { clientId: 'thief' }],
    ['its client in other letters', true, {}, { clientId: 'Shop' }],
  ],
  redirectUriDiffers: [
    ['not sent', false, {}, { redirectUri: null }],
    ['the same', false, {}, { redirectUri: 'https://shop.example/callback' }],
    ['with a slash more', true, {}, { redirectUri: 'https://shop.example/callback/' }],
    ['sent, but empty', true, {}, { redirectUri: '' }],
  ],
  verifierDiffers: [
    ['the challenge', false, {}, { challengeOfVerifier: code.codeChallenge }],
    ['another', true, {}, { challengeOfVerifier: 'e9melhoa2owvfremtjgucHaoek1t8urwbugjsstw-cm' }],
    ['no verifier', true, {}, { challengeOfVerifier: null }],
  ],
  ...proofCases,
  expired: [
    ['a millisecond before the end', false, { endsAt: NOW + 1 }, {}],
    ['at the end', true, { endsAt: NOW }, {}],
    ['after the end', true, { endsAt: NOW - 1 }, {}],
  ],
  nothingIsLeft: [
    ['something', false, {}, {}],
    ['nothing', true, { scopeToday: [] }, {}],
  ],
  resourceExceedsGrant: [
    ['none sent', false, {}, { resources: null }],
    ['the one that was granted', false, {}, { resources: ['https://api.example'] }],
    ['one more', true, {}, { resources: ['https://api.example', 'https://other.example'] }],
  ],
  endedByClient: [
    ['by nothing', false, { endedBy: null }, {}],
    ['by the end-user', false, { endedBy: 'user' }, {}],
    ['by the client', true, { endedBy: 'client' }, {}],
  ],
  endedByUser: [
    ['by nothing', false, { endedBy: null }, {}],
    ['by the server', false, { endedBy: 'server' }, {}],
    ['by the end-user', true, { endedBy: 'user' }, {}],
  ],
  endedByServer: [
    ['by nothing', false, { endedBy: null }, {}],
    ['by the client', false, { endedBy: 'client' }, {}],
    ['by the server', true, { endedBy: 'server' }, {}],
  ],
};

const token: RefreshTokenContext = {
  clientId: 'shop',
  boundTo: null,
  proofRequired: false,
  certificateRequired: false,
  scope: ['read', 'write'],
  scopeToday: ['read', 'write'],
  mayRefresh: true,
  resources: ['https://api.example'],
  endsAt: AFTER,
  isPredecessor: true,
  retryEndsAt: null,
  endedBy: null,
};
const refresh: RefreshTokenEvent = {
  type: 'presented',
  now: NOW,
  clientId: 'shop',
  proof: NO_PROOF,
  clientProvesKey: false,
  scope: null,
  resources: null,
};
const tokenCases: Cases<typeof refreshTokenGuards, RefreshTokenContext, RefreshTokenEvent> = {
  byAnotherClient: [
    ['its client', false, {}, { clientId: 'shop' }],
    ['another', true, {}, { clientId: 'thief' }],
  ],
  ...proofCases,
  expired: [
    ['a millisecond before the end', false, { endsAt: NOW + 1 }, {}],
    ['at the end', true, { endsAt: NOW }, {}],
    ['after the end', true, { endsAt: NOW - 1 }, {}],
  ],
  retryIsOff: [
    ['no retry', true, { retryEndsAt: null }, {}],
    ['a retry', false, { retryEndsAt: AFTER }, {}],
    ['a retry of before', false, { retryEndsAt: NOW - 1 }, {}],
  ],
  holderUnproven: [
    ['bound to no key, and a client without one', true, {}, proven('any key')],
    ['bound to no key, and a client with one', false, {}, { clientProvesKey: true }],
    ['its key', false, { boundTo: 'the key' }, proven('the key')],
    ['its certificate', false, { boundTo: 'the certificate' }, withCertificate('the certificate')],
    [
      'its key, without the nonce',
      false,
      { boundTo: 'the key' },
      { proof: { ...NO_PROOF, key: 'the key', problem: 'nonceMissing' } },
    ],
    ['another key', true, { boundTo: 'the key' }, proven('The key')],
    ['none proven', true, { boundTo: 'the key' }, { proof: NO_PROOF }],
    ['an invalid proof', true, { boundTo: 'the key' }, { proof: { ...NO_PROOF, problem: 'invalid' } }],
    ['bound to a key, and a client with another', true, { boundTo: 'the key' }, { clientProvesKey: true }],
  ],
  notThePredecessor: [
    ['directly behind the head', false, { isPredecessor: true }, {}],
    ['older', true, { isPredecessor: false }, {}],
  ],
  retriedTooLate: [
    ['a millisecond before the end', false, { retryEndsAt: NOW + 1 }, {}],
    ['at the end', true, { retryEndsAt: NOW }, {}],
    ['no retry', false, { retryEndsAt: null }, {}],
  ],
  mayNotRefresh: [
    ['it may', false, {}, {}],
    ['it may not', true, { mayRefresh: false }, {}],
  ],
  nothingIsLeft: [
    ['all of it', false, {}, {}],
    ['some of it', false, { scopeToday: ['read'] }, {}],
    ['nothing', true, { scopeToday: [] }, {}],
    ['nothing, and something was asked for', true, { scopeToday: [] }, { scope: ['read'] }],
  ],
  scopeExceedsGrant: [
    ['none sent', false, {}, { scope: null }],
    ['the same in another order', false, {}, { scope: ['write', 'read'] }],
    ['less', false, {}, { scope: ['read'] }],
    ['more', true, {}, { scope: ['read', 'write', 'admin'] }],
    ['another', true, {}, { scope: ['admin'] }],
    ['in other letters', true, {}, { scope: ['READ'] }],
    ['what was granted, though it is withheld today', false, { scopeToday: ['read'] }, { scope: ['read', 'write'] }],
  ],
  resourceExceedsGrant: [
    ['none sent', false, {}, { resources: null }],
    ['the one that was granted', false, {}, { resources: ['https://api.example'] }],
    ['another', true, {}, { resources: ['https://other.example'] }],
  ],
  endedByClient: [
    ['by the server', false, { endedBy: 'server' }, {}],
    ['by the client', true, { endedBy: 'client' }, {}],
  ],
  endedByUser: [
    ['by the client', false, { endedBy: 'client' }, {}],
    ['by the end-user', true, { endedBy: 'user' }, {}],
  ],
  endedByServer: [
    ['by the end-user', false, { endedBy: 'user' }, {}],
    ['by the server', true, { endedBy: 'server' }, {}],
  ],
};

const CLIENT = { isDeleted: false, epoch: 3n, epochAtRequest: 3n, isStillRegistered: true, skipsConsent: false };
const page: InteractionContext = {
  endsAt: AFTER,
  scope: ['read', 'write'],
  resources: ['https://api.example'],
  userId: 'alice',
  client: CLIENT,
  requestIsAnswered: false,
  consentMayBeRemembered: true,
  code: null,
  prompt: [],
  maxAgeSeconds: null,
  hintedUserId: null,
  requestedAt: NOW - 30_000,
  requiredLevel: 0,
};
const visit: InteractionEvent = {
  type: 'signedIn',
  now: NOW,
  userId: 'alice',
  signedInAt: NOW - 60_000,
  level: 0,
  factorIsAwaited: false,
  remembered: null,
};
const forbidden = { prompt: ['none'] } as const;
const all = { scope: ['read', 'write'], resources: ['https://api.example'], endsAt: null };
const pageCases: Cases<typeof interactionGuards, InteractionContext, InteractionEvent> = {
  expired: [
    ['a millisecond before the end', false, { endsAt: NOW + 1 }, {}],
    ['at the end', true, { endsAt: NOW }, {}],
  ],
  clientEnded: [
    ['in force', false, {}, {}],
    ['deleted', true, { client: { ...CLIENT, isDeleted: true } }, {}],
    ['deleted, and registered again', true, { client: { ...CLIENT, epoch: 4n } }, {}],
    ['before an older epoch, as after restoring a backup', true, { client: { ...CLIENT, epoch: 2n } }, {}],
    ['without this redirect URI', true, { client: { ...CLIENT, isStillRegistered: false } }, {}],
  ],
  requestAnswered: [
    ['without an answer', false, {}, {}],
    ['answered', true, { requestIsAnswered: true }, {}],
  ],
  levelIsMissing: [
    ['any sign-in is enough', false, {}, {}],
    ['weaker', true, { requiredLevel: 1 }, {}],
    ['as strong', false, { requiredLevel: 1 }, { level: 1 }],
    ['stronger', false, { requiredLevel: 1 }, { level: 2 }],
  ],
  levelIsMissingButAskingIsForbidden: [
    ['weaker', false, { requiredLevel: 1 }, {}],
    ['weaker, and nothing may be shown', true, { ...forbidden, requiredLevel: 1 }, {}],
    ['strong enough, and nothing may be shown', false, forbidden, {}],
  ],
  factorIsNext: [
    ['signed in, strongly enough', false, {}, {}],
    ['signed in too weakly', true, { requiredLevel: 1 }, {}],
    ['a new sign-in is needed first', false, { requiredLevel: 1, prompt: ['login'] }, {}],
    ['without a session', false, { requiredLevel: 1 }, { userId: null, signedInAt: null }],
    ['the second factor is awaited', true, {}, { userId: null, signedInAt: null, factorIsAwaited: true }],
  ],
  signInIsStillNeeded: [
    ['a live session', false, {}, {}],
    ['a new sign-in is wanted, and this is older', true, { prompt: ['login'] }, {}],
    ['a new sign-in is wanted, and this is new', false, { prompt: ['login'] }, { signedInAt: NOW - 30_000 }],
    ['none', true, {}, { userId: null, signedInAt: null }],
  ],
  nobodySignedIn: [
    ['a live session', false, {}, { userId: 'alice' }],
    ['no session', true, {}, { userId: null }],
  ],
  userChanged: [
    ['the same user', false, {}, { userId: 'alice' }],
    ['another user', true, {}, { userId: 'bob' }],
    ['signed out', true, {}, { userId: null }],
    ['not signed in, then or now', true, { userId: null }, { userId: null }],
    ['not signed in then', true, { userId: null }, { userId: 'alice' }],
  ],
  consentIsRemembered: [
    ['nothing remembered', false, {}, { remembered: null }],
    ['all of it', true, {}, { remembered: all }],
    ['a millisecond before its end', true, {}, { remembered: { ...all, endsAt: AFTER } }],
    ['at its end', false, {}, { remembered: { ...all, endsAt: NOW } }],
    ['more than is asked', true, { scope: ['read'] }, { remembered: all }],
    ['less scope than is asked', false, {}, { remembered: { ...all, scope: ['read'] } }],
    ['another resource', false, {}, { remembered: { ...all, resources: ['https://other.example'] } }],
    ['a client that could be impersonated', false, { consentMayBeRemembered: false }, { remembered: all }],
    ['the client wants a new one', false, { prompt: ['consent'] }, { remembered: all }],
    ['the client wants a new sign-in', true, { prompt: ['login'] }, { remembered: all }],
    [
      'access while the end-user is away',
      false,
      { scope: ['read', 'offline_access'] },
      { remembered: { ...all, scope: ['read', 'offline_access'] } },
    ],
  ],
  consentIsSkipped: [
    ['not registered so', false, {}, {}],
    ['registered so', true, { client: { ...CLIENT, skipsConsent: true } }, {}],
    [
      'registered so, with access while the end-user is away',
      true,
      { client: { ...CLIENT, skipsConsent: true }, scope: ['read', 'offline_access'] },
      {},
    ],
    [
      'a client that could be impersonated',
      false,
      { client: { ...CLIENT, skipsConsent: true }, consentMayBeRemembered: false },
      {},
    ],
    ['the client wants it', false, { client: { ...CLIENT, skipsConsent: true }, prompt: ['consent'] }, {}],
    ['the client wants nothing shown', true, { client: { ...CLIENT, skipsConsent: true }, prompt: ['none'] }, {}],
  ],
  signInIsNeeded: [
    ['a live session', false, {}, {}],
    ['none', true, {}, { userId: null, signedInAt: null }],
    ['the client wants a new one', true, { prompt: ['login'] }, {}],
    ['the client wants a new one, and consent', true, { prompt: ['login', 'consent'] }, {}],
    ['the client wants something else', false, { prompt: ['consent', 'select_account'] }, {}],
    ['a millisecond younger than allowed', false, { maxAgeSeconds: 60 }, { signedInAt: NOW - 59_999 }],
    ['as old as allowed', true, { maxAgeSeconds: 60 }, { signedInAt: NOW - 60_000 }],
    ['any age is allowed, and it is not known', true, { maxAgeSeconds: 10_000_000_000 }, { signedInAt: null }],
    ['any age is too old', true, { maxAgeSeconds: 0 }, { signedInAt: NOW }],
    ['the user that was hinted', false, { hintedUserId: 'alice' }, {}],
    ['another user than was hinted', true, { hintedUserId: 'bob' }, {}],
  ],
  signInIsNeededButForbidden: [
    ['not needed', false, forbidden, {}],
    ['needed, and asking is allowed', false, {}, { userId: null, signedInAt: null }],
    ['no user is signed in', true, forbidden, { userId: null, signedInAt: null }],
    ['too long ago', true, { ...forbidden, maxAgeSeconds: 30 }, {}],
    ['another user than was hinted', true, { ...forbidden, hintedUserId: 'bob' }, {}],
  ],
  userIsNotHinted: [
    ['no user was hinted', false, {}, {}],
    ['the user that was hinted', false, { hintedUserId: 'alice' }, {}],
    ['another user', true, { hintedUserId: 'bob' }, {}],
    ['no user', true, { hintedUserId: 'bob' }, { userId: null }],
  ],
  accountIsToBeChosen: [
    ['not asked for', false, { prompt: ['consent'] }, {}],
    ['asked for', true, { prompt: ['consent', 'select_account'] }, {}],
  ],
  accountMayBeChosen: [
    ['not asked for', false, { prompt: ['consent'] }, {}],
    ['asked for', true, { prompt: ['consent', 'select_account'] }, {}],
    ['no user is signed in', false, { prompt: ['select_account'] }, { userId: null, signedInAt: null }],
    ['the client wants a new sign-in', false, { prompt: ['select_account', 'login'] }, {}],
    ['too long ago', false, { prompt: ['select_account'], maxAgeSeconds: 30 }, {}],
    ['another user than was hinted', false, { prompt: ['select_account'], hintedUserId: 'bob' }, {}],
    ['an account to be created, and one is there', true, { prompt: ['create'] }, {}],
    ['an account to be created, and none is there', false, { prompt: ['create'] }, { userId: null, signedInAt: null }],
  ],
  accountIsToBeCreated: [
    ['not asked for', false, { prompt: ['login', 'select_account'] }, {}],
    ['asked for', true, { prompt: ['login', 'create'] }, {}],
  ],
  askingIsForbidden: [
    ['not asked for', false, { prompt: ['login'] }, {}],
    ['asked for', true, forbidden, {}],
  ],
  consentMayBeRemembered: [
    ['a client whose identity is assured', true, { consentMayBeRemembered: true }, {}],
    ['a client that could be impersonated', false, { consentMayBeRemembered: false }, {}],
  ],
  mayGrantNothing: [
    ['something', false, { scope: ['read'] }, {}],
    ['nothing', true, { scope: [] }, {}],
    ['offline access, with no other scope', true, { scope: ['offline_access'] }, {}],
    ['offline access with other scopes', false, { scope: ['offline_access', 'read'] }, {}],
  ],
  codeIsWaiting: [
    ['none was issued', false, { code: null }, {}],
    ['exchanged', false, { code: { isUnused: false, endsAt: AFTER } }, {}],
    ['waiting', true, { code: { isUnused: true, endsAt: AFTER } }, {}],
    ['waiting, until now', false, { code: { isUnused: true, endsAt: NOW } }, {}],
    ['waiting, for one more millisecond', true, { code: { isUnused: true, endsAt: NOW + 1 } }, {}],
  ],
};

const session: SessionContext = {
  endsAt: AFTER,
  idleEndsAt: AFTER,
  useDueAt: AFTER,
  factorDueAt: AFTER,
  signIn: SINGLE_FACTOR,
  factorStands: null,
  endedBy: null,
  endReason: null,
};
const signedIn = (change: Partial<SignInFacts>) => ({ signIn: { ...SINGLE_FACTOR, ...change } });
const use: SessionEvent = { type: 'used', now: NOW };
const ended = { endReason: 'session_too_old' } as const;
const sessionCases: Cases<typeof sessionGuards, SessionContext, SessionEvent> = {
  tooOld: [
    ['a millisecond before the end', false, { endsAt: NOW + 1, idleEndsAt: NOW }, {}],
    ['at the end', true, { endsAt: NOW }, {}],
    ['after the end', true, { endsAt: NOW - 1 }, {}],
  ],
  idle: [
    ['a millisecond before it idles out', false, { idleEndsAt: NOW + 1, endsAt: NOW }, {}],
    ['as it idles out', true, { idleEndsAt: NOW }, {}],
    ['after it idled out', true, { idleEndsAt: NOW - 1 }, {}],
  ],
  useIsDue: [
    ['recorded a moment ago', false, { useDueAt: NOW + 1 }, {}],
    ['recorded a while ago', true, { useDueAt: NOW }, {}],
  ],
  waitedTooLong: [
    ['in time', false, { factorDueAt: NOW + 1, idleEndsAt: NOW }, {}],
    ['as the time is over', true, { factorDueAt: NOW }, {}],
  ],
  factorIsMissing: [
    ['one factor, of an account that has no other', false, {}, {}],
    ['one factor, where several are demanded', true, signedIn({ isFactorDemanded: true }), {}],
    ['one factor, of an account with an app', true, signedIn({ hasApp: true }), {}],
    ['one factor, of an account with a passkey that counts', true, signedIn({ hasPasskey: true }), {}],
    ['…that does not', false, signedIn({ hasPasskey: true, passkeyCounts: false }), {}],
    [
      '…after a password by mail',
      true,
      signedIn({ hasPasskey: true, passkeyCounts: false, passwordIsFromMail: true }),
      {},
    ],
    ['a password by mail, of an account without a factor', false, signedIn({ passwordIsFromMail: true }), {}],
    ['in a trusted browser', false, signedIn({ isFactorDemanded: true, hasApp: true, browserIsTrusted: true }), {}],
    [
      'several factors',
      false,
      signedIn({
        isMultiFactor: true,
        isFactorDemanded: true,
        hasApp: true,
        hasPasskey: true,
        passwordIsFromMail: true,
      }),
      {},
    ],
  ],
  factorIsGone: [
    ['none is added', false, {}, {}],
    ['it stands', false, { factorStands: true }, {}],
    ['it was removed', true, { factorStands: false }, {}],
  ],
  endedWithoutFactor: [
    ['too old', false, ended, {}],
    ['without its factor', true, { endReason: 'second_factor_missing' }, {}],
  ],
  endedByUser: [
    ['by nothing', false, {}, {}],
    ['by the server', false, { endedBy: 'server' }, {}],
    ['by the end-user', true, { endedBy: 'user' }, {}],
    ['from the list', false, { endReason: 'ended_by_user' }, {}],
  ],
  endedByServer: [
    ['by nothing', false, {}, {}],
    ['by the end-user', false, { endedBy: 'user' }, {}],
    ['by the server', true, { endedBy: 'server' }, {}],
  ],
  signedOut: [
    ['too old', false, ended, {}],
    ['signed out', true, { endReason: 'signed_out' }, {}],
  ],
  endedFromList: [
    ['too old', false, ended, {}],
    ['from the list', true, { endReason: 'ended_by_user' }, {}],
    ['by a new password', false, { endedBy: 'user' }, {}],
  ],
  endedByAdministrator: [
    ['from the list', false, { endReason: 'ended_by_user' }, {}],
    ['by an administrator', true, { endReason: 'ended_by_administrator' }, {}],
    ['by a new password', false, { endedBy: 'user' }, {}],
  ],
  replaced: [
    ['too old', false, ended, {}],
    ['another session took its place', true, { endReason: 'signed_in_again' }, {}],
  ],
  idledOut: [
    ['too old', false, ended, {}],
    ['idle', true, { endReason: 'session_idle' }, {}],
    ['its time is over, and its row does not say so yet', false, { idleEndsAt: NOW }, {}],
  ],
};

const factor: SecondFactorContext = {
  setUpEndsAt: AFTER,
  lastStep: null,
  isDemanded: false,
  hasAnother: false,
  user: { disabledAt: null },
};
const code60: AnyOf<SecondFactorEvent> = { now: NOW, step: 60, byPasswordAlone: false };
const factorCases: Cases<typeof secondFactorGuards, SecondFactorContext, SecondFactorEvent> = {
  userEnded: [
    ['enabled', false, {}, {}],
    ['disabled', true, { user: { disabledAt: NOW } }, {}],
    ['not written by this server', true, { user: null }, {}],
  ],
  setUpIsOver: [
    ['in time', false, {}, {}],
    ['at the end', true, { setUpEndsAt: NOW }, {}],
  ],
  codeDiffers: [
    ['the code of a step', false, {}, {}],
    ['the code of none', true, {}, { step: null }],
    ['the code of the first step of all', false, {}, { step: 0 }],
  ],
  codeWasUsed: [
    ['the first code', false, {}, {}],
    ['a newer code', false, { lastStep: 59 }, {}],
    ['the same code', true, { lastStep: 60 }, {}],
    ['an older code', true, { lastStep: 61 }, {}],
    ['no code', false, { lastStep: 61 }, { step: null }],
  ],
  isDemanded: [
    ['by no user', false, {}, {}],
    ['by the policy', true, { isDemanded: true }, {}],
    ['by the policy, and there is another', false, { isDemanded: true, hasAnother: true }, {}],
    ['by no user, and there is another', false, { hasAnother: true }, {}],
  ],
  byPasswordAlone: [
    ['two factors', false, {}, {}],
    ['a password', true, {}, { byPasswordAlone: true }],
  ],
  anotherHasToBeProven: [
    ['two factors', false, { hasAnother: true }, {}],
    ['a password, and no factor', false, {}, { byPasswordAlone: true }],
    ['a password, where there is a factor', true, { hasAnother: true }, { byPasswordAlone: true }],
  ],
};
const recoveryCases: Cases<typeof recoveryCodeGuards, RecoveryCodeContext, RecoveryCodeEvent> = {
  userEnded: [
    ['enabled', false, {}, {}],
    ['disabled', true, { user: { disabledAt: NOW } }, {}],
    ['not written by this server', true, { user: null }, {}],
  ],
};
const mailedUser: NonNullable<SignInCodeContext['user']> = {
  id: 'alice',
  disabledAt: null,
  epoch: 3n,
  verifiedAddress: 'alice@example.com',
};
const mailed: SignInCodeContext = {
  endsAt: AFTER,
  isOffered: true,
  wrongCodes: 0,
  wrongCodesAllowed: 4,
  userId: 'alice',
  userEpoch: 3n,
  address: 'alice@example.com',
  user: mailedUser,
};
const typed: AnyOf<SignInCodeEvent> = { now: NOW, isRight: true, fromItsBrowser: true, fromItsPlace: true };
const userWith = (change: Partial<typeof mailedUser>) => ({ user: { ...mailedUser, ...change } });
const mailedCases: Cases<typeof signInCodeGuards, SignInCodeContext, SignInCodeEvent> = {
  fromAnotherBrowser: [
    ['its own', false, {}, {}],
    ['another', true, {}, { fromItsBrowser: false }],
  ],
  fromAnotherPlace: [
    ['its own', false, {}, {}],
    ['another', true, {}, { fromItsPlace: false }],
  ],
  expired: [
    ['a millisecond before the end', false, { endsAt: NOW + 1 }, {}],
    ['at the end', true, { endsAt: NOW }, {}],
    ['after the end', true, { endsAt: NOW - 1 }, {}],
  ],
  isNotOffered: [
    ['offered', false, {}, {}],
    ['not offered', true, { isOffered: false }, {}],
  ],
  isWrong: [
    ['right', false, {}, {}],
    ['wrong', true, {}, { isRight: false }],
  ],
  isLastWrongCode: [
    ['the fourth of five', false, { wrongCodes: 3 }, {}],
    ['the fifth of five', true, { wrongCodes: 4 }, {}],
    ['one after the policy allowed fewer', true, { wrongCodes: 4, wrongCodesAllowed: 1 }, {}],
    ['the first of one', true, { wrongCodesAllowed: 0 }, {}],
  ],
  userEnded: [
    ['may sign in', false, {}, {}],
    ['may not', true, userWith({ disabledAt: NOW }), {}],
    ['is not there', true, { user: null }, {}],
  ],
  identifiesAnother: [
    ['the same', false, {}, {}],
    ['another', true, userWith({ id: 'bob' }), {}],
    ['none', false, { user: null }, {}],
  ],
  sessionsEnded: [
    ['the same epoch', false, {}, {}],
    ['a later epoch', true, userWith({ epoch: 4n }), {}],
    ['an epoch from before a restored backup', true, userWith({ epoch: 2n }), {}],
    ['no end-user', true, { user: null }, {}],
  ],
  addressIsMissing: [
    ['verified', false, {}, {}],
    ['not verified', true, userWith({ verifiedAddress: null }), {}],
    ['of no end-user', true, { user: null }, {}],
  ],
  addressDiffers: [
    ['the same', false, {}, {}],
    ['another', true, userWith({ verifiedAddress: 'alice@new.example' }), {}],
    ['not verified any more', true, userWith({ verifiedAddress: null }), {}],
    ['of no end-user', true, { user: null }, {}],
  ],
};
const jti: AnyOf<UsedJtiEvent> = { now: NOW, endsAt: NOW + 60_000, beginsAt: null };
const jtiCases: Cases<typeof usedJtiGuards, UsedJtiContext, UsedJtiEvent> = {
  expired: [
    ['a millisecond before its end', false, {}, { endsAt: NOW + 1 }],
    ['at its end', true, {}, { endsAt: NOW }],
  ],
  livesTooLong: [
    ['five minutes', false, {}, { endsAt: NOW + 300_000 }],
    ['a millisecond more', true, {}, { endsAt: NOW + 300_001 }],
    ['expired', false, {}, { endsAt: NOW - 1 }],
  ],
  isFromFuture: [
    ['without a beginning', false, {}, { beginsAt: null }],
    ['from the past', false, {}, { beginsAt: NOW - 1 }],
    ['10 seconds ahead, as a server has to accept', false, {}, { beginsAt: NOW + 10_000 }],
    ['60 seconds ahead', false, {}, { beginsAt: NOW + 60_000 }],
    ['a millisecond more, as a server has to refuse', true, {}, { beginsAt: NOW + 60_001 }],
  ],
};

const setUp: OperatorSetUpContext = {
  endsAt: AFTER,
  serverEpoch: 3n,
  liveServerEpoch: 3n,
  operator: 'none',
  usernames: null,
};
const setUpUse: AnyOf<OperatorSetUpEvent> = { now: NOW, username: 'ada', usernameOf: null, passkey: 'unregistered' };
const registration: ClientRegistrationContext = {
  isOn: true,
  isVetted: false,
  isDeleted: false,
  strength: 1,
  unusedUntil: NOW,
  othersStored: 2,
  mostStored: 3,
};
const registrationAsked: AnyOf<ClientRegistrationEvent> = { tokenIsRight: true, strength: 1, until: NOW };
const { extendedEveryMilliseconds } = REGISTRATION_BOUNDS;
const registrationCases: Cases<
  typeof clientRegistrationGuards,
  ClientRegistrationContext,
  AnyOf<ClientRegistrationEvent>
> = {
  isOff: [
    ['on', false, {}, {}],
    ['off', true, { isOn: false }, {}],
  ],
  tooManyAreStored: [
    ['one fewer', false, {}, {}],
    ['as many', true, { othersStored: 3 }, {}],
    ['more', true, { othersStored: 4 }, {}],
  ],
  tokenIsWrong: [
    ['the right token', false, {}, {}],
    ['another', true, {}, { tokenIsRight: false }],
  ],
  isDeleted: [
    ['not deleted', false, {}, {}],
    ['deleted', true, { isDeleted: true }, {}],
  ],
  isVetted: [
    ['by no operator', false, {}, {}],
    ['by an operator', true, { isVetted: true }, {}],
  ],
  weakensAuthentication: [
    ['as strong', false, {}, {}],
    ['stronger', false, {}, { strength: 2 }],
    ['weaker', true, {}, { strength: 0 }],
  ],
  wasJustExtended: [
    ['a millisecond less than a day later', true, {}, { until: NOW + extendedEveryMilliseconds - 1 }],
    ['a day later', false, {}, { until: NOW + extendedEveryMilliseconds }],
    ['without a registration', false, { unusedUntil: null }, {}],
  ],
};

const document: ClientDocumentContext = {
  originIsAllowed: true,
  isVetted: false,
  isDeleted: false,
  hasKey: false,
  fetchedAt: NOW - 1,
  freshUntil: NOW + 1,
  failedAt: null,
  othersStored: 2,
  mostStored: 3,
};
const fetchedNow: AnyOf<ClientDocumentEvent> = { now: NOW, hasKey: false };
const { backOffMilliseconds, usableMilliseconds } = DOCUMENT_BOUNDS;
const documentCases: Cases<typeof clientDocumentGuards, ClientDocumentContext, AnyOf<ClientDocumentEvent>> = {
  isVetted: [
    ['by no operator', false, {}, {}],
    ['by an operator', true, { isVetted: true }, {}],
  ],
  isDeleted: [
    ['not deleted', false, {}, {}],
    ['deleted', true, { isDeleted: true }, {}],
  ],
  originIsNotAllowed: [
    ['an allowed origin', false, {}, {}],
    ['another', true, { originIsAllowed: false }, {}],
  ],
  isFresh: [
    ['a millisecond before the end', true, {}, {}],
    ['at the end', false, { freshUntil: NOW }, {}],
    ['without a document', false, { freshUntil: null }, {}],
  ],
  hasJustFailed: [
    ['without a failure', false, {}, {}],
    ['a millisecond before the end of the pause', true, { failedAt: NOW - backOffMilliseconds + 1 }, {}],
    ['at its end', false, { failedAt: NOW - backOffMilliseconds }, {}],
  ],
  isUsable: [
    ['without a document', false, { fetchedAt: null }, {}],
    ['a millisecond before the end of its day', true, { fetchedAt: NOW - usableMilliseconds + 1 }, {}],
    ['at its end', false, { fetchedAt: NOW - usableMilliseconds }, {}],
  ],
  dropsAuthentication: [
    ['no key before and after', false, {}, {}],
    ['a key after', false, {}, { hasKey: true }],
    ['a key before and after', false, { hasKey: true }, { hasKey: true }],
    ['a key before alone', true, { hasKey: true }, {}],
  ],
  tooManyAreStored: [
    ['one fewer', false, {}, {}],
    ['as many', true, { othersStored: 3 }, {}],
    ['more', true, { othersStored: 4 }, {}],
  ],
};
const pushedRequest: PushedRequestContext = { clientId: 'web', endsAt: AFTER, othersOpen: 2, mostOpen: 3 };
const openedLink: PushedRequestEvent = { type: 'opened', now: NOW, clientId: 'web' };
const pushedRequestCases: Cases<typeof pushedRequestGuards, PushedRequestContext, PushedRequestEvent> = {
  tooManyAreOpen: [
    ['one fewer', false, {}, {}],
    ['as many', true, { othersOpen: 3 }, {}],
    ['more', true, { othersOpen: 4 }, {}],
  ],
  ofAnotherClient: [
    ['of its client', false, {}, {}],
    ['of another', true, {}, { clientId: 'other' }],
  ],
  expired: [
    ['a millisecond before the end', false, { endsAt: NOW + 1 }, {}],
    ['at the end', true, { endsAt: NOW }, {}],
  ],
};

const setUpCases: Cases<typeof operatorSetUpGuards, OperatorSetUpContext, OperatorSetUpEvent> = {
  operatorExists: [
    ['no operator', false, {}, {}],
    ['a declared operator', true, { operator: 'declared' }, {}],
    ['an operator by a link', true, { operator: 'setUp' }, {}],
  ],
  operatorIsDeclared: [
    ['no operator', false, {}, {}],
    ['a declared operator', true, { operator: 'declared' }, {}],
    ['an operator by a link', false, { operator: 'setUp' }, {}],
  ],
  serverRecovered: [
    ['the same epoch', false, {}, {}],
    ['a later epoch', true, { liveServerEpoch: 4n }, {}],
    ['an epoch from before a restored backup', true, { liveServerEpoch: 2n }, {}],
  ],
  expired: [
    ['a millisecond before the end', false, { endsAt: NOW + 1 }, {}],
    ['at the end', true, { endsAt: NOW }, {}],
    ['after the end', true, { endsAt: NOW - 1 }, {}],
  ],
  usernameIsNotExpected: [
    ['any is expected', false, {}, {}],
    ['one of the expected', false, { usernames: ['grace', 'ada'] }, {}],
    ['another', true, { usernames: ['grace'] }, {}],
    ['none is expected', true, { usernames: [] }, {}],
  ],
  usernameIsTaken: [
    ['free', false, {}, {}],
    ['taken', true, {}, { usernameOf: 'bob' }],
  ],
  passkeyIsRegistered: [
    ['fresh', false, {}, {}],
    ['registered', true, {}, { passkey: 'active' }],
    ['removed', true, {}, { passkey: 'removed' }],
  ],
};
const NO_WAYS: WaysToSignIn = { password: false, passkeys: 0, linkedIdentities: 0 };
const passkey: PasskeyContext = {
  counter: 5,
  isDemanded: false,
  hasAnother: false,
  otherWays: { password: true, passkeys: 0, linkedIdentities: 0 },
  user: { disabledAt: null },
};
const signature: AnyOf<PasskeyEvent> = { byPasswordAlone: false, counter: 6 };
const passkeyCases: Cases<typeof passkeyGuards, PasskeyContext, PasskeyEvent> = {
  userEnded: factorCases.userEnded as never,
  signatureDiffers: [
    ['verified', false, {}, {}],
    ['not verified', true, {}, { counter: null }],
    ['verified, without a counter', false, { counter: 0 }, { counter: 0 }],
  ],
  counterFellBack: [
    ['it rose', false, {}, {}],
    ['it stands', true, {}, { counter: 5 }],
    ['it fell', true, {}, { counter: 4 }],
    ['it is gone', true, {}, { counter: 0 }],
    ['there is none', false, { counter: 0 }, { counter: 0 }],
    ['it begins', false, { counter: 0 }, { counter: 1 }],
    ['no signature', false, {}, { counter: null }],
  ],
  isDemanded: factorCases.isDemanded as never,
  byPasswordAlone: factorCases.byPasswordAlone as never,
  isLastWay: [
    ['there is a password', false, {}, {}],
    ['there is another passkey', false, { otherWays: { ...NO_WAYS, passkeys: 1 } }, {}],
    ['there is a linked identity', false, { otherWays: { ...NO_WAYS, linkedIdentities: 1 } }, {}],
    ['there is nothing else', true, { otherWays: NO_WAYS }, {}],
  ],
  anotherHasToBeProven: factorCases.anotherHasToBeProven as never,
  passkeysAreFull: [
    ['there is none', false, {}, {}],
    ['there may be another', false, { otherWays: { ...NO_WAYS, passkeys: 19 } }, {}],
    ['there are as many as there may be', true, { otherWays: { ...NO_WAYS, passkeys: 20 } }, {}],
    ['there are more', true, { otherWays: { ...NO_WAYS, passkeys: 21 } }, {}],
  ],
};

const trust: TrustedBrowserContext = { endsAt: AFTER, factorStands: true, endedBy: null };
const secret: AnyOf<TrustedBrowserEvent> = { now: NOW, proofIsDemanded: false };
const trustCases: Cases<typeof trustedBrowserGuards, TrustedBrowserContext, TrustedBrowserEvent> = {
  timeIsOver: [
    ['a millisecond before the end', false, { endsAt: NOW + 1 }, {}],
    ['at the end', true, { endsAt: NOW }, {}],
    ['after the end', true, { endsAt: NOW - 1 }, {}],
  ],
  factorIsGone: [
    ['it is active', false, {}, {}],
    ['it was removed', true, { factorStands: false }, {}],
  ],
  proofIsDemanded: [
    ['no', false, {}, {}],
    ['of an administrator, or by a client', true, {}, { proofIsDemanded: true }],
  ],
  endedByUser: [
    ['by nothing', false, {}, {}],
    ['a new password', true, { endedBy: 'user' }, {}],
    ['a recovery', false, { endedBy: 'server' }, {}],
  ],
  endedByServer: [
    ['by nothing', false, {}, {}],
    ['a recovery', true, { endedBy: 'server' }, {}],
    ['a new password', false, { endedBy: 'user' }, {}],
  ],
};

const key: SigningKeyContext = { successorDueAt: AFTER, signsUntil: AFTER, publishedUntil: AFTER };
const tick: SigningKeyEvent = {
  type: 'timePassed',
  now: NOW,
  signer: null,
  successor: null,
  algorithmIsWanted: true,
  atOnce: false,
};
const over = { signsUntil: NOW };
const ready = { maySignAt: NOW };
/** Caches may not hold it. */
const published = { maySignAt: AFTER };
const keyCases: Cases<typeof signingKeyGuards, SigningKeyContext, SigningKeyEvent> = {
  noOtherSigns: [
    ['none', true, {}, { signer: null }],
    ['another', false, {}, { signer: 'another' }],
  ],
  handoverIsDue: [
    ['a millisecond before the end', false, { signsUntil: NOW + 1 }, { successor: ready }],
    ['at the end', true, over, { successor: ready }],
    ['at the end, and caches may not hold the successor', false, over, { successor: published }],
    ['at the end, and no successor waits', false, over, { successor: null }],
  ],
  endsWithoutSuccessor: [
    ['a millisecond before the end', false, { signsUntil: NOW + 1 }, { algorithmIsWanted: false }],
    ['at the end', true, over, { algorithmIsWanted: false }],
    ['the algorithm is wanted', false, over, { algorithmIsWanted: true }],
    ['a successor waits', false, over, { algorithmIsWanted: false, successor: published }],
  ],
  successorIsNeeded: [
    ['a millisecond too early', false, { successorDueAt: NOW + 1 }, {}],
    ['in time', true, { successorDueAt: NOW }, {}],
    ['a successor waits', false, { successorDueAt: NOW }, { successor: published }],
    ['the algorithm is not wanted', false, { successorDueAt: NOW }, { algorithmIsWanted: false }],
  ],
  successorMaySign: [
    ['no successor waits', false, {}, { successor: null, atOnce: true }],
    ['caches may not hold it', false, {}, { successor: published }],
    ['caches may not hold it, and it need not wait', true, {}, { successor: published, atOnce: true }],
    ['ready', true, {}, { successor: ready }],
  ],
  rotationIsAtOnce: [
    ['in its time', false, {}, { atOnce: false }],
    ['immediately', true, {}, { atOnce: true }],
  ],
  handoverIsComing: [
    ['the signer has time left', false, {}, { successor: published }],
    ['its time is over, and a successor waits', true, over, { successor: published }],
    ['its time is over, and no successor waits', false, over, { successor: null }],
  ],
  successorIsPublished: [
    ['no successor waits', false, {}, { successor: null }],
    ['published', true, {}, { successor: published }],
    ['ready', true, {}, { successor: ready }],
  ],
  lastTokenHasExpired: [
    ['a millisecond before', false, { publishedUntil: NOW + 1 }, {}],
    ['by then', true, { publishedUntil: NOW }, {}],
  ],
};

const client: ClientContext = { isDeclared: false, isConfidential: true, secretIds: ['first'] };
const secrets = (count: number) => ({ secretIds: ['first', 'second', 'third'].slice(0, count) });
const clientChange: AnyOf<ClientEvent> = {
  expectationHolds: true,
  byConfiguration: false,
  differing: ['client_name'],
  secretId: 'first',
};
const clientCases: Cases<typeof clientGuards, ClientContext, ClientEvent> = {
  expectationFails: [
    ['as expected', false, {}, { expectationHolds: true }],
    ['changed since', true, {}, { expectationHolds: false }],
  ],
  onlyConfigurationMay: [
    ['declared, by an administrator', true, { isDeclared: true }, {}],
    ['declared, by configuration', false, { isDeclared: true }, { byConfiguration: true }],
    ['not declared', false, {}, {}],
    ['not declared, by configuration', false, {}, { byConfiguration: true }],
  ],
  nothingDiffers: [
    ['the same', true, {}, { differing: [] }],
    ['another', false, {}, { differing: ['client_name'] }],
  ],
  isPublic: [
    ['with a secret', false, { isConfidential: true }, {}],
    ['without', true, { isConfidential: false }, {}],
  ],
  secretsAreFull: [
    ['none', false, secrets(0), {}],
    ['one', false, secrets(1), {}],
    ['two', true, secrets(2), {}],
    ['more, from before', true, secrets(3), {}],
  ],
  secretIsUnknown: [
    ['live', false, {}, { secretId: 'first' }],
    ['another of them', false, secrets(2), { secretId: 'second' }],
    ['unknown', true, {}, { secretId: 'second' }],
    ['of a client that has none', true, secrets(0), { secretId: 'first' }],
  ],
  secretIsTheLast: [
    ['none', true, secrets(0), {}],
    ['one', true, secrets(1), {}],
    ['two', false, secrets(2), {}],
  ],
};

const external: ExternalSignInContext = {
  endsAt: AFTER,
  beganAt: NOW,
  purpose: 'signIn',
  userId: null,
  userEpoch: null,
  lastUsedBeganAt: null,
};
const ALICE = { id: 'alice', epoch: 0n, disabledAt: null };
const noUser = { user: null, freeUsernames: [] };
const toBeRegistered = { user: null, freeUsernames: ['ada'] };
const linking = { purpose: 'link', userId: 'alice' } as const;
const returned: AnyOf<ExternalSignInEvent> = {
  now: NOW,
  fromItsBrowser: true,
  admission: 'admitted',
  sessionUserId: null,
  namesUser: true,
  user: ALICE,
  freeUsernames: [],
  identity: { linkedTo: 'alice' },
};
const externalCases: Cases<typeof externalSignInGuards, ExternalSignInContext, ExternalSignInEvent> = {
  expired: [
    ['a millisecond before the end', false, { endsAt: NOW + 1 }, {}],
    ['at the end', true, { endsAt: NOW }, {}],
  ],
  fromAnotherBrowser: [
    ['the browser that began', false, {}, { fromItsBrowser: true }],
    ['another', true, {}, { fromItsBrowser: false }],
  ],
  isOvertaken: [
    ['none was used', false, {}, {}],
    ['an earlier one has signed in', false, { lastUsedBeganAt: NOW - 1 }, {}],
    ['it has signed in itself', false, { lastUsedBeganAt: NOW }, {}],
    ['a later one has signed in', true, { lastUsedBeganAt: AFTER }, {}],
  ],
  notAdmitted: [
    ['admitted', false, {}, {}],
    ['not', true, {}, { admission: 'not_admitted' }],
    ['admitted, but signed in too long ago', true, {}, { admission: 'sign_in_too_old' }],
    ['a link in the session that began it', false, linking, { sessionUserId: 'alice' }],
    ['a link in that session, not admitted', true, linking, { sessionUserId: 'alice', admission: 'not_admitted' }],
    ['a link in the session of another', true, linking, { sessionUserId: 'bob' }],
    ['a link without a session', true, linking, {}],
    ['a link of no end-user, without a session', true, { purpose: 'link' }, {}],
  ],
  userEnded: [
    ['enabled', false, {}, {}],
    ['disabled', true, {}, { user: { ...ALICE, disabledAt: NOW } }],
    ['named in the same epoch', false, { userEpoch: 0n }, {}],
    ['named in another epoch', true, { userEpoch: 0n }, { user: { ...ALICE, epoch: 1n } }],
    ['disabled in the same epoch', true, { userEpoch: 0n }, { user: { ...ALICE, disabledAt: NOW } }],
    ['no user', false, {}, noUser],
    ['no user any more', false, { userEpoch: 0n }, noUser],
  ],
  userIsUnknown: [
    ['known', false, {}, {}],
    ['disabled', false, {}, { user: { ...ALICE, disabledAt: NOW } }],
    ['to be registered', false, {}, toBeRegistered],
    ['no user', true, {}, noUser],
    ['no user, to be linked', true, linking, toBeRegistered],
    ['not named yet', false, {}, { ...noUser, namesUser: false }],
  ],
  userIsNew: [
    ['known', false, {}, { freeUsernames: ['ada'] }],
    ['to be registered', true, {}, toBeRegistered],
    ['to be linked', false, linking, toBeRegistered],
    ['not named yet', false, {}, { ...toBeRegistered, namesUser: false }],
    ['no username is free', false, {}, noUser],
  ],
  identityIsNew: [
    ['linked', false, {}, {}],
    ['of no provider', false, {}, { identity: null }],
    ['no user so far', true, {}, { identity: { linkedTo: null } }],
  ],
  identityIsAnothers: [
    ['theirs', false, {}, {}],
    ['of no provider', false, {}, { identity: null }],
    ['no user so far', false, {}, { identity: { linkedTo: null } }],
    ['of another', true, {}, { identity: { linkedTo: 'bob' } }],
    ['of another, and the answer names no user', true, {}, { user: null, identity: { linkedTo: 'bob' } }],
  ],
};

const removal: LinkedIdentityEvent = { type: 'removalRequested', otherWays: { ...NO_WAYS, password: true } };
const identityCases: Cases<typeof linkedIdentityGuards, object, LinkedIdentityEvent> = {
  isLastWay: [
    ['there is a password', false, {}, {}],
    ['there is another identity', false, {}, { otherWays: { ...NO_WAYS, linkedIdentities: 1 } }],
    ['there is a passkey', false, {}, { otherWays: { ...NO_WAYS, passkeys: 1 } }],
    ['there is none', true, {}, { otherWays: NO_WAYS }],
  ],
};

const deliveryContext: WebhookDeliveryContext = { nextAttemptAt: NOW, attemptsLeft: 1, givesUpAt: NOW };
const deliveryEvent: AnyOf<WebhookDeliveryEvent> = { now: NOW, claim: NOW, retryAt: NOW };
const deliveryCases: Cases<typeof webhookDeliveryGuards, WebhookDeliveryContext, WebhookDeliveryEvent> = {
  notDue: [
    ['at its time', false, {}, {}],
    ['a millisecond before', true, {}, { now: NOW - 1 }],
    ['it has ended', true, { nextAttemptAt: null }, {}],
  ],
  overtaken: [
    ['the attempt that was claimed last', false, {}, {}],
    ['another was claimed', true, { nextAttemptAt: AFTER }, {}],
    ['it has ended', true, { nextAttemptAt: null }, {}],
  ],
  attemptsUsedUp: [
    ['another is left', false, {}, {}],
    ['none is left', true, { attemptsLeft: 0 }, {}],
    ['fewer are allowed by now', true, { attemptsLeft: -1 }, {}],
  ],
  tooOld: [
    ['the next attempt is in time', false, {}, {}],
    ['the next attempt is a millisecond late', true, {}, { retryAt: AFTER }],
  ],
};

const userChange: AnyOf<UserEvent> = {
  expectationHolds: true,
  usernameOf: null,
  addressOf: null,
  differing: ['claims'],
  checkedHash: 'the stored hash',
};
const userContext: UserContext = { id: 'alice', passwordHash: 'the stored hash' };
const userCases: Cases<typeof userGuards, UserContext, UserEvent> = {
  expectationFails: [
    ['as expected', false, {}, { expectationHolds: true }],
    ['changed since', true, {}, { expectationHolds: false }],
  ],
  usernameIsTaken: [
    ['free', false, {}, {}],
    ['their own', false, {}, { usernameOf: 'alice' }],
    ['taken', true, {}, { usernameOf: 'bob' }],
  ],
  addressIsTaken: [
    ['free', false, {}, {}],
    ['their own', false, {}, { addressOf: 'alice' }],
    ['taken', true, {}, { addressOf: 'bob' }],
    ['the username of another', false, {}, { usernameOf: 'bob' }],
  ],
  nothingDiffers: [
    ['the same', true, {}, { differing: [] }],
    ['another', false, {}, {}],
  ],
  passwordDiffers: [
    ['the same', false, {}, { differing: ['username', 'claims'] }],
    ['another', true, {}, { differing: ['username', 'password'] }],
  ],
  hashIsAnother: [
    ['the hash that was checked', false, {}, {}],
    ['a new password', true, { passwordHash: 'of a new password' }, {}],
    ['no end-user', true, { passwordHash: null }, {}],
  ],
};

const owner = {
  disabledAt: null,
  epoch: 3n,
  address: 'alice@example.com',
  addressIsVerified: true,
  passwordByLinkAt: null,
};
const ownerWith = (change: Partial<NonNullable<EmailChallengeContext['user']>>) => ({ user: { ...owner, ...change } });
const link: EmailChallengeContext = {
  purpose: 'verify_address',
  endsAt: AFTER,
  isOffered: true,
  passkeyIsOffered: true,
  address: 'alice@example.com',
  userId: 'alice',
  userEpoch: 3n,
  user: owner,
  oldestFactorAt: null,
  newerLinks: 0,
  newerLinksAllowed: 2,
};
const press: AnyOf<EmailChallengeEvent> = {
  now: NOW,
  usernameOf: null,
  addressOf: null,
  passkey: 'unregistered',
  passwordIsProven: false,
  newerAddress: 'alice@example.com',
};
const unverified = ownerWith({ addressIsVerified: false });
const elsewhere = ownerWith({ address: 'alice@new.example' });
const byLink = { ...ownerWith({ passwordByLinkAt: NOW }), oldestFactorAt: NOW };
const linkCases: Cases<typeof emailChallengeGuards, EmailChallengeContext, EmailChallengeEvent> = {
  expired: [
    ['a millisecond before the end', false, { endsAt: NOW + 1 }, {}],
    ['at the end', true, { endsAt: NOW }, {}],
    ['after the end', true, { endsAt: NOW - 1 }, {}],
  ],
  isNotOffered: [
    ['offered', false, {}, {}],
    ['not offered', true, { isOffered: false }, {}],
  ],
  userEnded: [
    ['may sign in', false, {}, {}],
    ['may not', true, ownerWith({ disabledAt: NOW }), {}],
    ['is not there', true, { user: null }, {}],
    ['the link makes the account', false, { userId: null, user: null }, {}],
  ],
  passwordChanged: [
    ['the same', false, {}, {}],
    ['another', true, ownerWith({ epoch: 4n }), {}],
    ['another, before the restored backup', true, ownerWith({ epoch: 2n }), {}],
    ['another, and an undo', false, { ...ownerWith({ epoch: 4n }), purpose: 'undo_change' }, {}],
    ['another, and a link for a new password', true, { ...ownerWith({ epoch: 4n }), purpose: 'reset_password' }, {}],
    ['no end-user', true, { user: null }, {}],
    ['the link makes the account', false, { userId: null, userEpoch: null, user: null }, {}],
  ],
  addressDiffers: [
    ['the same', false, {}, {}],
    ['another', true, ownerWith({ address: 'alice@new.example' }), {}],
    ['none', true, ownerWith({ address: null }), {}],
    ['of no end-user', true, { user: null }, {}],
    ['to be verified', false, ownerWith({ addressIsVerified: false }), {}],
    ['for a new password', false, { purpose: 'reset_password' }, {}],
    ['for a new password, not verified', true, { ...unverified, purpose: 'reset_password' }, {}],
    ['for lost factors, not verified', true, { ...unverified, purpose: 'lost_factors' }, {}],
    ['another, for lost factors', true, { ...elsewhere, purpose: 'lost_factors' }, {}],
    ['another, that the link brings', false, { ...elsewhere, purpose: 'change_address' }, {}],
    ['another, that an undo brings back', false, { ...elsewhere, purpose: 'undo_change' }, {}],
    ['of a new account', false, { purpose: 'sign_up', user: null }, {}],
    ['of an invitation', false, { purpose: 'invitation', user: null }, {}],
  ],
  usernameIsTaken: [
    ['free', false, {}, {}],
    ['taken', true, {}, { usernameOf: 'bob' }],
  ],
  addressIsTaken: [
    ['free', false, {}, {}],
    ['their own', false, {}, { addressOf: 'alice' }],
    ['taken', true, {}, { addressOf: 'bob' }],
    ['taken, and the link makes the account', true, { userId: null, user: null }, { addressOf: 'bob' }],
    ['the username of another', false, {}, { usernameOf: 'bob' }],
  ],
  makesNoAccount: [
    ['of an account that exists', true, {}, {}],
    ['of a new account', false, { userId: null, user: null }, {}],
  ],
  passkeyIsNotOffered: [
    ['offered', false, {}, {}],
    ['not offered', true, { passkeyIsOffered: false }, {}],
  ],
  passkeyIsRegistered: [
    ['a fresh one', false, {}, { passkey: 'unregistered' }],
    ['registered', true, {}, { passkey: 'active' }],
    ['registered, and removed', true, {}, { passkey: 'removed' }],
  ],
  newerGoesElsewhere: [
    ['to the same address', false, {}, {}],
    ['to another address', true, {}, { newerAddress: 'alice@new.example' }],
  ],
  isOutnumbered: [
    ['the first newer link, of two that leave it active', false, {}, {}],
    ['the second', false, { newerLinks: 1 }, {}],
    ['the third', true, { newerLinks: 2 }, {}],
    ['the fourth', true, { newerLinks: 3 }, {}],
    ['the first of none', true, { newerLinksAllowed: 0 }, {}],
    ['one of any number', false, { newerLinks: 1000, newerLinksAllowed: Number.POSITIVE_INFINITY }, {}],
  ],
  passwordIsFromMail: [
    ['it is not', false, { purpose: 'lost_factors', oldestFactorAt: NOW }, {}],
    ['it is, since the oldest factor was added', true, { ...byLink, purpose: 'lost_factors' }, {}],
    ['it was, before every factor', false, { ...byLink, oldestFactorAt: AFTER, purpose: 'lost_factors' }, {}],
    ['it is, and there is no factor', false, { ...byLink, oldestFactorAt: null, purpose: 'lost_factors' }, {}],
    ['it is, and a link for a new password', false, { ...byLink, purpose: 'reset_password' }, {}],
    ['there is no end-user', false, { ...byLink, user: null, purpose: 'lost_factors' }, {}],
  ],
  passwordIsMissing: [
    ['proven', false, { purpose: 'lost_factors' }, { passwordIsProven: true }],
    ['not proven', true, { purpose: 'lost_factors' }, {}],
    ['not proven, and a link for a new password', false, { purpose: 'reset_password' }, {}],
  ],
  verifiesAddress: [
    ['it does', true, {}, {}],
    ['another purpose', false, { purpose: 'change_address' }, {}],
  ],
  resetsPassword: [
    ['it does', true, { purpose: 'reset_password' }, {}],
    ['another purpose', false, {}, {}],
  ],
  changesAddress: [
    ['it does', true, { purpose: 'change_address' }, {}],
    ['another purpose', false, { purpose: 'undo_change' }, {}],
  ],
  undoesChange: [
    ['it does', true, { purpose: 'undo_change' }, {}],
    ['another purpose', false, { purpose: 'change_address' }, {}],
  ],
  removesFactors: [
    ['it does', true, { purpose: 'lost_factors' }, {}],
    ['another purpose', false, { purpose: 'reset_password' }, {}],
  ],
};

type AnyGuard = (asked: { context: object; event: object }) => boolean;
const MACHINES: readonly (readonly [string, object, Cases<Record<string, unknown>, object, object>, object, object])[] =
  [
    ['authorization code', authorizationCodeGuards, codeCases, code, exchange],
    ['refresh token', refreshTokenGuards, tokenCases, token, refresh],
    ['interaction', interactionGuards, pageCases, page, visit],
    ['session', sessionGuards, sessionCases, session, use],
    ['secondFactor', secondFactorGuards, factorCases, factor, code60],
    ['recoveryCode', recoveryCodeGuards, recoveryCases, { user: { disabledAt: null } }, { type: 'presented' }],
    ['signInCode', signInCodeGuards, mailedCases, mailed, typed],
    ['operatorSetUp', operatorSetUpGuards, setUpCases, setUp, setUpUse],
    ['pushedRequest', pushedRequestGuards, pushedRequestCases, pushedRequest, openedLink],
    ['clientRegistration', clientRegistrationGuards, registrationCases, registration, registrationAsked],
    ['clientDocument', clientDocumentGuards, documentCases, document, fetchedNow],
    ['usedJti', usedJtiGuards, jtiCases, {}, jti],
    ['passkey', passkeyGuards, passkeyCases, passkey, signature],
    ['trustedBrowser', trustedBrowserGuards, trustCases, trust, secret],
    ['signing key', signingKeyGuards, keyCases, key, tick],
    ['client', clientGuards, clientCases, client, clientChange],
    ['user', userGuards, userCases, userContext, userChange],
    ['e-mail challenge', emailChallengeGuards, linkCases, link, press],
    ['externalSignIn', externalSignInGuards, externalCases, external, returned],
    ['linkedIdentity', linkedIdentityGuards, identityCases, {}, removal],
    ['webhookDelivery', webhookDeliveryGuards, deliveryCases, deliveryContext, deliveryEvent],
    ['mail', mailGuards, deliveryCases, deliveryContext, deliveryEvent],
  ];

describe.each(MACHINES)('%s', (_, guards, cases, context, event) => {
  const named = Object.entries(guards) as [string, AnyGuard][];

  describe.each(named)('%s', (name, guard) => {
    test.each(cases[name] ?? [])('%s: %s', (_what, outcome, otherContext, otherEvent) => {
      expect(guard({ context: { ...context, ...otherContext }, event: { ...event, ...otherEvent } })).toBe(outcome);
    });
    test('is shown to be true and to be false', () => {
      expect(new Set(cases[name]?.map(([, outcome]) => outcome))).toEqual(new Set([true, false]));
    });
    test('is one expression, of context and event alone', () => {
      expect(guard.toString()).toMatch(/^\(\{ (context, event|context|event) \}\s*\) =>\s*[^{\s]/);
    });
  });
});
