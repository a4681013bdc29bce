/** The predicates themselves, with real contexts and events: both outcomes of each, and the edges between them. */
import { describe, expect, test } from 'vitest';
import {
  authorizationCodeGuards,
  clientGuards,
  interactionGuards,
  refreshTokenGuards,
  sessionGuards,
  signingKeyGuards,
  userGuards,
} from '../../../machines/guards.ts';
import type {
  AuthorizationCodeContext,
  AuthorizationCodeEvent,
  ClientContext,
  ClientEvent,
  InteractionContext,
  InteractionEvent,
  RefreshTokenContext,
  RefreshTokenEvent,
  SessionContext,
  SessionEvent,
  SigningKeyContext,
  SigningKeyEvent,
  UserEvent,
} from '../../../machines/vocabulary.ts';

const NOW = Date.UTC(2030, 0, 1);
const AFTER = NOW + 1;

type Case<Context, Event> = readonly [
  what: string,
  outcome: boolean,
  context: Partial<Context>,
  event: Partial<Omit<Event, 'type'>>,
];
type Cases<Guards, Context, Event> = Readonly<Record<keyof Guards, readonly Case<Context, Event>[]>>;

const code: AuthorizationCodeContext = {
  clientId: 'shop',
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
  scope: ['read', 'write'],
  scopeToday: ['read', 'write'],
  mayRefresh: true,
  resources: ['https://api.example'],
  endsAt: AFTER,
  endedBy: null,
};
const refresh: RefreshTokenEvent = { type: 'presented', now: NOW, clientId: 'shop', scope: null, resources: null };
const tokenCases: Cases<typeof refreshTokenGuards, RefreshTokenContext, RefreshTokenEvent> = {
  byAnotherClient: [
    ['its client', false, {}, { clientId: 'shop' }],
    ['another', true, {}, { clientId: 'thief' }],
  ],
  expired: [
    ['a millisecond before the end', false, { endsAt: NOW + 1 }, {}],
    ['at the end', true, { endsAt: NOW }, {}],
    ['after the end', true, { endsAt: NOW - 1 }, {}],
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

const page: InteractionContext = {
  endsAt: AFTER,
  scope: ['read', 'write'],
  resources: ['https://api.example'],
  userId: 'alice',
  clientEnded: false,
  consentMayBeRemembered: true,
  codeIsWaiting: false,
  prompt: [],
  maxAgeSeconds: null,
  hintedUserId: null,
};
const visit: InteractionEvent = {
  type: 'signedIn',
  now: NOW,
  userId: 'alice',
  signedInAt: NOW - 60_000,
  remembered: null,
};
const forbidden = { prompt: ['none'] } as const;
const all = { scope: ['read', 'write'], resources: ['https://api.example'] };
const pageCases: Cases<typeof interactionGuards, InteractionContext, InteractionEvent> = {
  expired: [
    ['a millisecond before the end', false, { endsAt: NOW + 1 }, {}],
    ['at the end', true, { endsAt: NOW }, {}],
  ],
  clientEnded: [
    ['in force', false, { clientEnded: false }, {}],
    ['ended', true, { clientEnded: true }, {}],
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
  ],
  askingIsForbidden: [
    ['not asked for', false, { prompt: ['login'] }, {}],
    ['asked for', true, forbidden, {}],
  ],
  consentMayBeRemembered: [
    ['a client whose identity is assured', true, { consentMayBeRemembered: true }, {}],
    ['a client that could be impersonated', false, { consentMayBeRemembered: false }, {}],
  ],
  codeIsWaiting: [
    ['exchanged or over', false, { codeIsWaiting: false }, {}],
    ['waiting', true, { codeIsWaiting: true }, {}],
  ],
};

const session: SessionContext = { endsAt: AFTER, idleEndsAt: AFTER, useDueAt: AFTER, endedBy: null, endReason: null };
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

const key: SigningKeyContext = { successorDueAt: AFTER, signsUntil: AFTER, publishedUntil: AFTER };
const tick: SigningKeyEvent = {
  type: 'timePassed',
  now: NOW,
  anotherSigns: false,
  successor: 'none',
  algorithmIsWanted: true,
  atOnce: false,
};
const over = { signsUntil: NOW };
const keyCases: Cases<typeof signingKeyGuards, SigningKeyContext, SigningKeyEvent> = {
  noOtherSigns: [
    ['none', true, {}, { anotherSigns: false }],
    ['another', false, {}, { anotherSigns: true }],
  ],
  handoverIsDue: [
    ['a millisecond before the end', false, { signsUntil: NOW + 1 }, { successor: 'ready' }],
    ['at the end', true, over, { successor: 'ready' }],
    ['at the end, and caches may not hold the successor', false, over, { successor: 'published' }],
    ['at the end, and no successor waits', false, over, { successor: 'none' }],
  ],
  endsWithoutSuccessor: [
    ['a millisecond before the end', false, { signsUntil: NOW + 1 }, { algorithmIsWanted: false }],
    ['at the end', true, over, { algorithmIsWanted: false }],
    ['the algorithm is wanted', false, over, { algorithmIsWanted: true }],
    ['a successor waits', false, over, { algorithmIsWanted: false, successor: 'published' }],
  ],
  successorIsNeeded: [
    ['a millisecond too early', false, { successorDueAt: NOW + 1 }, {}],
    ['in time', true, { successorDueAt: NOW }, {}],
    ['a successor waits', false, { successorDueAt: NOW }, { successor: 'published' }],
    ['the algorithm is not wanted', false, { successorDueAt: NOW }, { algorithmIsWanted: false }],
  ],
  successorMaySign: [
    ['no successor waits', false, {}, { successor: 'none', atOnce: true }],
    ['caches may not hold it', false, {}, { successor: 'published' }],
    ['caches may not hold it, and it need not wait', true, {}, { successor: 'published', atOnce: true }],
    ['ready', true, {}, { successor: 'ready' }],
  ],
  rotationIsAtOnce: [
    ['in its time', false, {}, { atOnce: false }],
    ['at once', true, {}, { atOnce: true }],
  ],
  handoverIsComing: [
    ['the signer has time left', false, {}, { successor: 'published' }],
    ['its time is over, and a successor waits', true, over, { successor: 'published' }],
    ['its time is over, and no successor waits', false, over, { successor: 'none' }],
  ],
  successorIsPublished: [
    ['no successor waits', false, {}, { successor: 'none' }],
    ['published', true, {}, { successor: 'published' }],
    ['ready', true, {}, { successor: 'ready' }],
  ],
  lastTokenHasExpired: [
    ['a millisecond before', false, { publishedUntil: NOW + 1 }, {}],
    ['by then', true, { publishedUntil: NOW }, {}],
  ],
};

const client: ClientContext = { isDeclared: false, isConfidential: true, liveSecrets: 1 };
const clientChange: ClientEvent = {
  type: 'registrationRequested',
  expectationHolds: true,
  byConfiguration: false,
  differs: true,
  secretIsLive: true,
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
    ['the same', true, {}, { differs: false }],
    ['another', false, {}, { differs: true }],
  ],
  isPublic: [
    ['with a secret', false, { isConfidential: true }, {}],
    ['without', true, { isConfidential: false }, {}],
  ],
  secretsAreFull: [
    ['none', false, { liveSecrets: 0 }, {}],
    ['one', false, { liveSecrets: 1 }, {}],
    ['two', true, { liveSecrets: 2 }, {}],
    ['more, from before', true, { liveSecrets: 3 }, {}],
  ],
  secretIsUnknown: [
    ['live', false, {}, { secretIsLive: true }],
    ['unknown', true, {}, { secretIsLive: false }],
  ],
  secretIsTheLast: [
    ['none', true, { liveSecrets: 0 }, {}],
    ['one', true, { liveSecrets: 1 }, {}],
    ['two', false, { liveSecrets: 2 }, {}],
  ],
};

const userChange: UserEvent = {
  type: 'registrationRequested',
  expectationHolds: true,
  usernameIsTaken: false,
  differs: true,
  passwordDiffers: false,
};
const userCases: Cases<typeof userGuards, object, UserEvent> = {
  expectationFails: [
    ['as expected', false, {}, { expectationHolds: true }],
    ['changed since', true, {}, { expectationHolds: false }],
  ],
  usernameIsTaken: [
    ['free', false, {}, { usernameIsTaken: false }],
    ['taken', true, {}, { usernameIsTaken: true }],
  ],
  nothingDiffers: [
    ['the same', true, {}, { differs: false }],
    ['another', false, {}, { differs: true }],
  ],
  passwordDiffers: [
    ['the same', false, {}, { passwordDiffers: false }],
    ['another', true, {}, { passwordDiffers: true }],
  ],
};

type AnyGuard = (asked: { context: object; event: object }) => boolean;
const MACHINES: readonly (readonly [string, object, Cases<Record<string, unknown>, object, object>, object, object])[] =
  [
    ['authorization code', authorizationCodeGuards, codeCases, code, exchange],
    ['refresh token', refreshTokenGuards, tokenCases, token, refresh],
    ['interaction', interactionGuards, pageCases, page, visit],
    ['session', sessionGuards, sessionCases, session, use],
    ['signing key', signingKeyGuards, keyCases, key, tick],
    ['client', clientGuards, clientCases, client, clientChange],
    ['user', userGuards, userCases, {}, userChange],
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
      expect(guard.toString()).toMatch(/^\(\{ (context, event|context|event) \}\) =>\s*[^{\s]/);
    });
  });
});
