/**
 * Every predicate that a machine may ask, one line each. Pure: all they see is the loaded row (context)
 * and what happened (event). Whatever looks like I/O, such as the time, arrived inside the event.
 */
import type {
  AuthorizationCodeContext,
  AuthorizationCodeEvent,
  InteractionContext,
  InteractionEvent,
  RefreshTokenContext,
  RefreshTokenEvent,
} from './vocabulary.ts';

type Code = { context: AuthorizationCodeContext; event: AuthorizationCodeEvent };
type Refresh = { context: RefreshTokenContext; event: RefreshTokenEvent };
type Interaction = { context: InteractionContext; event: InteractionEvent };

const within = (asked: readonly string[], allowed: readonly string[]) => asked.every((one) => allowed.includes(one));

export const authorizationCodeGuards = {
  byAnotherClient: ({ context, event }: Code) => event.clientId !== context.clientId,
  redirectUriDiffers: ({ context, event }: Code) =>
    event.redirectUri !== null && event.redirectUri !== context.redirectUri,
  verifierDiffers: ({ context, event }: Code) => event.challengeOfVerifier !== context.codeChallenge,
  expired: ({ context, event }: Code) => event.now >= context.endsAt,
  resourceExceedsGrant: ({ context, event }: Code) =>
    event.resources !== null && !within(event.resources, context.resources),
  endedByClient: ({ context }: Code) => context.endedBy === 'client',
  endedBySubject: ({ context }: Code) => context.endedBy === 'subject',
  endedByServer: ({ context }: Code) => context.endedBy === 'server',
};

export const refreshTokenGuards = {
  byAnotherClient: ({ context, event }: Refresh) => event.clientId !== context.clientId,
  expired: ({ context, event }: Refresh) => event.now >= context.endsAt,
  scopeExceedsGrant: ({ context, event }: Refresh) => event.scope !== null && !within(event.scope, context.scope),
  resourceExceedsGrant: ({ context, event }: Refresh) =>
    event.resources !== null && !within(event.resources, context.resources),
  aheadOfItsChain: ({ context }: Refresh) => context.aheadOfChain,
  endedByClient: ({ context }: Refresh) => context.endedBy === 'client',
  endedBySubject: ({ context }: Refresh) => context.endedBy === 'subject',
  endedByServer: ({ context }: Refresh) => context.endedBy === 'server',
};

export const interactionGuards = {
  expired: ({ context, event }: Interaction) => event.now >= context.endsAt,
  clientEnded: ({ context }: Interaction) => context.clientEnded,
  nobodySignedIn: ({ event }: Interaction) => event.subjectId === null,
  signedInAsAnother: ({ context, event }: Interaction) =>
    event.subjectId === null || event.subjectId !== context.subjectId,
  consentIsRemembered: ({ context, event }: Interaction) =>
    context.consentMayBeRemembered &&
    event.remembered !== null &&
    within(context.scope, event.remembered.scope) &&
    within(context.resources, event.remembered.resources),
  consentMayBeRemembered: ({ context }: Interaction) => context.consentMayBeRemembered,
  codeIsWaiting: ({ context }: Interaction) => context.codeIsWaiting,
};
