/**
 * Every predicate that a machine may use. Pure: a guard sees the context (facts that src/lifecycles derives from what was loaded,
 * under the policy in force) and the event, nothing else. It reads no clock and does no I/O.
 */
import type {
  AuthorizationCodeContext,
  AuthorizationCodeEvent,
  ClientContext,
  ClientEvent,
  EmailChallengeContext,
  EmailChallengeEvent,
  ExternalSignInContext,
  ExternalSignInEvent,
  InteractionContext,
  InteractionEvent,
  LinkedIdentityEvent,
  PasskeyContext,
  PasskeyEvent,
  RecoveryCodeContext,
  RefreshTokenContext,
  RefreshTokenEvent,
  SecondFactorContext,
  SecondFactorEvent,
  SessionContext,
  SessionEvent,
  SigningKeyContext,
  SigningKeyEvent,
  UserEvent,
  WebhookDeliveryContext,
  WebhookDeliveryEvent,
} from './vocabulary.ts';

type Code = { context: AuthorizationCodeContext; event: AuthorizationCodeEvent };
type Refresh = { context: RefreshTokenContext; event: RefreshTokenEvent };
type Interaction = { context: InteractionContext; event: InteractionEvent };
type Session = { context: SessionContext; event: SessionEvent };
type Key = { context: SigningKeyContext; event: SigningKeyEvent };
type Client = { context: ClientContext; event: ClientEvent };
type User = { event: UserEvent };
type Link = { context: EmailChallengeContext; event: EmailChallengeEvent };
type External = { context: ExternalSignInContext; event: ExternalSignInEvent };
type Identity = { event: LinkedIdentityEvent };
type Delivery = { context: WebhookDeliveryContext; event: Omit<WebhookDeliveryEvent, 'type'> };
type Factor = { context: SecondFactorContext; event: SecondFactorEvent };
type RecoveryCode = { context: RecoveryCodeContext };
type Passkey = { context: PasskeyContext; event: PasskeyEvent };

/** Every constant that a guard may name: a guard compares facts with facts, and writes no value of its own. */
export const BOUNDS = {
  /** A secret is exchanged without an outage when the next secret works before the last secret is removed. */
  liveSecrets: 2,
  millisecondsPerSecond: 1000,
  /** OpenID Connect Core §11. */
  offlineAccess: 'offline_access',
} as const;

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
  (event.signedInAt === null || event.now - event.signedInAt >= context.maxAgeSeconds * BOUNDS.millisecondsPerSecond);
const needsSignIn = ({ context, event }: Interaction) =>
  event.userId === null ||
  context.prompt.includes('login') ||
  isTooOld({ context, event }) ||
  isNotHinted({ context, event });
const levelIsMissing = ({ context, event }: Interaction) => event.level < context.requiredLevel;

/** What guards ask in common, so that reviews show it beside them. */
export const sharedPredicates = { within, isNotHinted, isTooOld, needsSignIn, levelIsMissing };

export const interactionGuards = {
  expired: ({ context, event }: Interaction) => event.now >= context.endsAt,
  clientEnded: ({ context }: Interaction) => context.clientEnded,
  signInIsNeeded: ({ context, event }: Interaction) => needsSignIn({ context, event }),
  signInIsNeededButForbidden: ({ context, event }: Interaction) =>
    context.prompt.includes('none') && needsSignIn({ context, event }),
  signInIsStillNeeded: ({ context, event }: Interaction) =>
    needsSignIn({ context, event }) && (event.signedInAt === null || event.signedInAt < context.requestedAt),
  levelIsMissing: ({ context, event }: Interaction) => levelIsMissing({ context, event }),
  levelIsMissingButAskingIsForbidden: ({ context, event }: Interaction) =>
    context.prompt.includes('none') && levelIsMissing({ context, event }),
  factorIsNext: ({ context, event }: Interaction) =>
    event.factorIsAwaited || (!needsSignIn({ context, event }) && levelIsMissing({ context, event })),
  userIsNotHinted: ({ context, event }: Interaction) => isNotHinted({ context, event }),
  accountIsToBeChosen: ({ context }: Interaction) => context.prompt.includes('select_account'),
  accountMayBeChosen: ({ context, event }: Interaction) =>
    (context.prompt.includes('select_account') || context.prompt.includes('create')) &&
    !needsSignIn({ context, event }),
  accountIsToBeCreated: ({ context }: Interaction) => context.prompt.includes('create'),
  askingIsForbidden: ({ context }: Interaction) => context.prompt.includes('none'),
  nobodySignedIn: ({ event }: Interaction) => event.userId === null,
  userChanged: ({ context, event }: Interaction) => event.userId === null || event.userId !== context.userId,
  consentIsRemembered: ({ context, event }: Interaction) =>
    context.consentMayBeRemembered &&
    !context.prompt.includes('consent') &&
    // OpenID Connect Core §11: offline access MUST always be consented to, so it is asked for each time.
    !context.scope.includes(BOUNDS.offlineAccess) &&
    event.remembered !== null &&
    (event.remembered.endsAt === null || event.now < event.remembered.endsAt) &&
    within(context.scope, event.remembered.scope) &&
    within(context.resources, event.remembered.resources),
  mayGrantNothing: ({ context }: Interaction) => context.scope.every((name) => name === BOUNDS.offlineAccess),
  consentMayBeRemembered: ({ context }: Interaction) => context.consentMayBeRemembered,
  codeIsWaiting: ({ context }: Interaction) => context.codeIsWaiting,
};

export const sessionGuards = {
  tooOld: ({ context, event }: Session) => event.now >= context.endsAt,
  idle: ({ context, event }: Session) => event.now >= context.idleEndsAt,
  useIsDue: ({ context, event }: Session) => event.now >= context.useDueAt,
  waitedTooLong: ({ context, event }: Session) => event.now >= context.factorDueAt,
  /** A mailbox that is read by somebody else opens no account that has a factor, whatever the policy says of passkeys. */
  factorIsMissing: ({ context }: { context: Pick<SessionContext, 'signIn'> }) =>
    !context.signIn.isMultiFactor &&
    (context.signIn.isFactorDemanded ||
      context.signIn.hasApp ||
      (context.signIn.hasPasskey && (context.signIn.passkeyCounts || context.signIn.passwordIsFromMail))),
  factorIsGone: ({ context }: Session) => context.factorIsGone,
  endedByUser: ({ context }: Session) => context.endedBy === 'user',
  endedByServer: ({ context }: Session) => context.endedBy === 'server',
  signedOut: ({ context }: Session) => context.endReason === 'signed_out',
  endedFromList: ({ context }: Session) => context.endReason === 'ended_by_user',
  endedByAdministrator: ({ context }: Session) => context.endReason === 'ended_by_administrator',
  replaced: ({ context }: Session) => context.endReason === 'signed_in_again',
  idledOut: ({ context }: Session) => context.endReason === 'session_idle',
  endedWithoutFactor: ({ context }: Session) => context.endReason === 'second_factor_missing',
};

export const secondFactorGuards = {
  userEnded: ({ context }: Factor) => context.userEnded,
  setUpIsOver: ({ context, event }: Factor) => event.now >= context.setUpEndsAt,
  codeDiffers: ({ event }: Factor) => event.step === null,
  /** RFC 6238 §5.2: a code is accepted once; neither are the codes of steps before it. */
  codeWasUsed: ({ context, event }: Factor) =>
    context.lastStep !== null && event.step !== null && event.step <= context.lastStep,
  isDemanded: ({ context }: Factor) => context.isDemanded,
  byPasswordAlone: ({ event }: Factor) => event.byPasswordAlone,
  anotherHasToBeProven: ({ context, event }: Factor) => event.byPasswordAlone && context.hasAnother,
};

export const recoveryCodeGuards = {
  userEnded: ({ context }: RecoveryCode) => context.userEnded,
};

export const passkeyGuards = {
  userEnded: ({ context }: Passkey) => context.userEnded,
  signatureDiffers: ({ event }: Passkey) => event.counter === null,
  /** WebAuthn §7.2 step 22: it has to rise, unless the authenticator has no counter. */
  counterFellBack: ({ context, event }: Passkey) =>
    event.counter !== null && (context.counter > 0 || event.counter > 0) && event.counter <= context.counter,
  isDemanded: ({ context }: Passkey) => context.isDemanded,
  byPasswordAlone: ({ event }: Passkey) => event.byPasswordAlone,
  isLastWay: ({ context }: Passkey) => context.isLastWay,
  anotherHasToBeProven: ({ context, event }: Passkey) => event.byPasswordAlone && context.hasAnother,
  passkeysAreFull: ({ context }: Passkey) => context.isFull,
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

export const clientGuards = {
  expectationFails: ({ event }: Client) => !event.expectationHolds,
  onlyConfigurationMay: ({ context, event }: Client) => context.isDeclared && !event.byConfiguration,
  nothingDiffers: ({ event }: Client) => !event.differs,
  isPublic: ({ context }: Client) => !context.isConfidential,
  secretsAreFull: ({ context }: Client) => context.liveSecrets >= BOUNDS.liveSecrets,
  secretIsUnknown: ({ event }: Client) => !event.secretIsLive,
  secretIsTheLast: ({ context }: Client) => context.liveSecrets <= 1,
};

export const userGuards = {
  expectationFails: ({ event }: User) => !event.expectationHolds,
  usernameIsTaken: ({ event }: User) => event.usernameIsTaken,
  nothingDiffers: ({ event }: User) => !event.differs,
  passwordDiffers: ({ event }: User) => event.passwordDiffers,
  hashIsAnother: ({ event }: User) => event.hashIsAnother,
};

export const externalSignInGuards = {
  expired: ({ context, event }: External) => event.now >= context.endsAt,
  fromAnotherBrowser: ({ event }: External) => !event.fromItsBrowser,
  isOvertaken: ({ context }: External) => context.isOvertaken,
  notAdmitted: ({ event }: External) => !event.isAdmitted,
  userEnded: ({ event }: External) => event.user === 'ended',
  userIsUnknown: ({ event }: External) => event.user === 'unknown',
  userIsNew: ({ event }: External) => event.user === 'new',
  identityIsNew: ({ event }: External) => event.identity === 'unlinked',
  identityIsAnothers: ({ event }: External) => event.identity === 'linkedElsewhere',
};

export const linkedIdentityGuards = {
  isLastWay: ({ event }: Identity) => event.isLastWay,
};

export const webhookDeliveryGuards = {
  notDue: ({ context, event }: Delivery) => context.nextAttemptAt === null || event.now < context.nextAttemptAt,
  overtaken: ({ context, event }: Delivery) => event.claim !== context.nextAttemptAt,
  attemptsUsedUp: ({ context }: Delivery) => context.attemptsLeft <= 0,
  tooOld: ({ context, event }: Delivery) => event.retryAt > context.givesUpAt,
};

/** The same questions about an attempt. */
export const mailGuards = { ...webhookDeliveryGuards };

export const emailChallengeGuards = {
  expired: ({ context, event }: Link) => event.now >= context.endsAt,
  isNotOffered: ({ context }: Link) => !context.isOffered,
  userEnded: ({ context }: Link) => !context.userStands,
  /** An undo outlives a new password: a thief who changed the address sets that too. */
  passwordChanged: ({ context }: Link) => !context.epochStands && context.purpose !== 'undo_change',
  addressDiffers: ({ context }: Link) => !context.addressStands,
  /** Who reads the mailbox has set the password by it: that is one proof, not two. */
  passwordIsFromMail: ({ context }: Link) => context.purpose === 'lost_factors' && context.passwordIsFromMail,
  passwordIsMissing: ({ context, event }: Link) => context.purpose === 'lost_factors' && !event.passwordIsProven,
  usernameIsTaken: ({ event }: Link) => event.usernameIsTaken,
  newerGoesElsewhere: ({ event }: Link) => event.goesElsewhere,
  /** The newer link of the event is not counted yet. */
  isOutnumbered: ({ context }: Link) => context.newerLinks >= context.newerLinksAllowed,
  verifiesAddress: ({ context }: Link) => context.purpose === 'verify_address',
  resetsPassword: ({ context }: Link) => context.purpose === 'reset_password',
  changesAddress: ({ context }: Link) => context.purpose === 'change_address',
  undoesChange: ({ context }: Link) => context.purpose === 'undo_change',
  removesFactors: ({ context }: Link) => context.purpose === 'lost_factors',
};
