/**
 * Every predicate that a machine may use. Pure: a guard sees the context (facts that src/lifecycles derives from what was loaded,
 * under the policy in force) and the event, nothing else. It reads no clock and does no I/O.
 */
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
} from './vocabulary.ts';

type Code = { context: AuthorizationCodeContext; event: AuthorizationCodeEvent };
type Refresh = { context: RefreshTokenContext; event: RefreshTokenEvent };
type Interaction = { context: InteractionContext; event: InteractionEvent };
type Session = { context: SessionContext; event: SessionEvent };
type Key = { context: SigningKeyContext; event: SigningKeyEvent };
type Client = { context: ClientContext; event: ClientEvent };
type User = { event: UserEvent };

const within = (asked: readonly string[], allowed: readonly string[]) => asked.every((item) => allowed.includes(item));

export const authorizationCodeGuards = {
  byAnotherClient: ({ context, event }: Code) => event.clientId !== context.clientId,
  redirectUriDiffers: ({ context, event }: Code) =>
    event.redirectUri !== null && event.redirectUri !== context.redirectUri,
  verifierDiffers: ({ context, event }: Code) => event.challengeOfVerifier !== context.codeChallenge,
  expired: ({ context, event }: Code) => event.now >= context.endsAt,
  nothingIsLeft: ({ context }: Code) => context.scopeToday.length === 0,
  resourceExceedsGrant: ({ context, event }: Code) =>
    event.resources !== null && !within(event.resources, context.resources),
  endedByClient: ({ context }: Code) => context.endedBy === 'client',
  endedByUser: ({ context }: Code) => context.endedBy === 'user',
  endedByServer: ({ context }: Code) => context.endedBy === 'server',
};

export const refreshTokenGuards = {
  byAnotherClient: ({ context, event }: Refresh) => event.clientId !== context.clientId,
  expired: ({ context, event }: Refresh) => event.now >= context.endsAt,
  mayNotRefresh: ({ context }: Refresh) => !context.mayRefresh,
  nothingIsLeft: ({ context }: Refresh) => context.scopeToday.length === 0,
  scopeExceedsGrant: ({ context, event }: Refresh) => event.scope !== null && !within(event.scope, context.scope),
  resourceExceedsGrant: ({ context, event }: Refresh) =>
    event.resources !== null && !within(event.resources, context.resources),
  endedByClient: ({ context }: Refresh) => context.endedBy === 'client',
  endedByUser: ({ context }: Refresh) => context.endedBy === 'user',
  endedByServer: ({ context }: Refresh) => context.endedBy === 'server',
};

const isNotHinted = ({ context, event }: Interaction) =>
  context.hintedUserId !== null && event.userId !== context.hintedUserId;
/** At `max_age=0` every earlier sign-in is too old. */
const isTooOld = ({ context, event }: Interaction) =>
  context.maxAgeSeconds !== null &&
  (event.signedInAt === null || event.now - event.signedInAt >= context.maxAgeSeconds * 1000);
const needsSignIn = ({ context, event }: Interaction) =>
  event.userId === null ||
  context.prompt.includes('login') ||
  isTooOld({ context, event }) ||
  isNotHinted({ context, event });

export const interactionGuards = {
  expired: ({ context, event }: Interaction) => event.now >= context.endsAt,
  clientEnded: ({ context }: Interaction) => context.clientEnded,
  signInIsNeeded: ({ context, event }: Interaction) => needsSignIn({ context, event }),
  signInIsNeededButForbidden: ({ context, event }: Interaction) =>
    context.prompt.includes('none') && needsSignIn({ context, event }),
  userIsNotHinted: ({ context, event }: Interaction) => isNotHinted({ context, event }),
  accountIsToBeChosen: ({ context }: Interaction) => context.prompt.includes('select_account'),
  accountMayBeChosen: ({ context, event }: Interaction) =>
    context.prompt.includes('select_account') && !needsSignIn({ context, event }),
  askingIsForbidden: ({ context }: Interaction) => context.prompt.includes('none'),
  nobodySignedIn: ({ event }: Interaction) => event.userId === null,
  userChanged: ({ context, event }: Interaction) => event.userId === null || event.userId !== context.userId,
  consentIsRemembered: ({ context, event }: Interaction) =>
    context.consentMayBeRemembered &&
    !context.prompt.includes('consent') &&
    // OpenID Connect Core §11: offline access MUST always be consented to, so it is asked for each time.
    !context.scope.includes('offline_access') &&
    event.remembered !== null &&
    within(context.scope, event.remembered.scope) &&
    within(context.resources, event.remembered.resources),
  consentMayBeRemembered: ({ context }: Interaction) => context.consentMayBeRemembered,
  codeIsWaiting: ({ context }: Interaction) => context.codeIsWaiting,
};

export const sessionGuards = {
  tooOld: ({ context, event }: Session) => event.now >= context.endsAt,
  idle: ({ context, event }: Session) => event.now >= context.idleEndsAt,
  useIsDue: ({ context, event }: Session) => event.now >= context.useDueAt,
  endedByUser: ({ context }: Session) => context.endedBy === 'user',
  endedByServer: ({ context }: Session) => context.endedBy === 'server',
  signedOut: ({ context }: Session) => context.endReason === 'signed_out',
  endedFromList: ({ context }: Session) => context.endReason === 'ended_by_user',
  replaced: ({ context }: Session) => context.endReason === 'signed_in_again',
  idledOut: ({ context }: Session) => context.endReason === 'session_idle',
};

export const signingKeyGuards = {
  noOtherSigns: ({ event }: Key) => !event.anotherSigns,
  handoverIsDue: ({ context, event }: Key) => event.now >= context.signsUntil && event.successor === 'ready',
  endsWithoutSuccessor: ({ context, event }: Key) =>
    event.now >= context.signsUntil && event.successor === 'none' && !event.algorithmIsWanted,
  successorIsNeeded: ({ context, event }: Key) =>
    event.now >= context.successorDueAt && event.successor === 'none' && event.algorithmIsWanted,
  successorMaySign: ({ event }: Key) =>
    event.successor === 'ready' || (event.successor === 'published' && event.atOnce),
  rotationIsAtOnce: ({ event }: Key) => event.atOnce,
  handoverIsComing: ({ context, event }: Key) => event.now >= context.signsUntil && event.successor !== 'none',
  successorIsPublished: ({ event }: Key) => event.successor !== 'none',
  lastTokenHasExpired: ({ context, event }: Key) => event.now >= context.publishedUntil,
};

/** A secret is exchanged without an outage when the next secret works before the last secret is removed. */
const MAX_LIVE_SECRETS = 2;

export const clientGuards = {
  expectationFails: ({ event }: Client) => !event.expectationHolds,
  onlyConfigurationMay: ({ context, event }: Client) => context.isDeclared && !event.byConfiguration,
  nothingDiffers: ({ event }: Client) => !event.differs,
  isPublic: ({ context }: Client) => !context.isConfidential,
  secretsAreFull: ({ context }: Client) => context.liveSecrets >= MAX_LIVE_SECRETS,
  secretIsUnknown: ({ event }: Client) => !event.secretIsLive,
  secretIsTheLast: ({ context }: Client) => context.liveSecrets <= 1,
};

export const userGuards = {
  expectationFails: ({ event }: User) => !event.expectationHolds,
  usernameIsTaken: ({ event }: User) => event.usernameIsTaken,
  nothingDiffers: ({ event }: User) => !event.differs,
  passwordDiffers: ({ event }: User) => event.passwordDiffers,
};
