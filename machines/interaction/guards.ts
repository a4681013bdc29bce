import { within } from '../shared/within.ts';
import type { InteractionContext, InteractionEvent } from './facts.ts';

type Interaction = { context: InteractionContext; event: InteractionEvent };

/** Every constant that a guard may name: a guard compares facts with facts, and writes no value of its own. */
export const BOUNDS = {
  millisecondsPerSecond: 1000,
  /** OpenID Connect Core §11. */
  offlineAccess: 'offline_access',
} as const;

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

/** Predicates that several guards share, so that reviews show them beside the guards. */
export const sharedPredicates = { isNotHinted, isTooOld, needsSignIn, levelIsMissing };

export const interactionGuards = {
  expired: ({ context, event }: Interaction) => event.now >= context.endsAt,
  clientEnded: ({ context }: Interaction) =>
    context.client.isDeleted ||
    context.client.epoch !== context.client.epochAtRequest ||
    !context.client.isStillRegistered,
  requestAnswered: ({ context }: Interaction) => context.requestIsAnswered,
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
  // OpenID Connect Core §11 allows offline access without consent where other conditions hold: the operator's registration.
  consentIsSkipped: ({ context }: Interaction) =>
    context.client.skipsConsent && context.consentMayBeRemembered && !context.prompt.includes('consent'),
  mayGrantNothing: ({ context }: Interaction) => context.scope.every((name) => name === BOUNDS.offlineAccess),
  consentMayBeRemembered: ({ context }: Interaction) => context.consentMayBeRemembered,
  codeIsWaiting: ({ context, event }: Interaction) =>
    context.code !== null && event.now < context.code.endsAt && context.code.isUnused,
};
