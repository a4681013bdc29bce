import { proofGuards } from '../shared/proof.ts';
import { within } from '../shared/within.ts';
import type { AuthorizationCodeContext, AuthorizationCodeEvent } from './facts.ts';

type Code = { context: AuthorizationCodeContext; event: AuthorizationCodeEvent };

export const authorizationCodeGuards = {
  byAnotherClient: ({ context, event }: Code) => event.clientId !== context.clientId,
  redirectUriDiffers: ({ context, event }: Code) =>
    event.redirectUri !== null && event.redirectUri !== context.redirectUri,
  verifierDiffers: ({ context, event }: Code) => event.challengeOfVerifier !== context.codeChallenge,
  ...proofGuards,
  expired: ({ context, event }: Code) => event.now >= context.endsAt,
  nothingIsLeft: ({ context }: Code) => context.scopeToday.length === 0,
  resourceExceedsGrant: ({ context, event }: Code) =>
    event.resources !== null && !within(event.resources, context.resources),
  endedByClient: ({ context }: Code) => context.endedBy === 'client',
  endedByUser: ({ context }: Code) => context.endedBy === 'user',
  endedByServer: ({ context }: Code) => context.endedBy === 'server',
};
