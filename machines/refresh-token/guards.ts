import { proofGuards } from '../shared/proof.ts';
import { within } from '../shared/within.ts';
import type { RefreshTokenContext, RefreshTokenEvent } from './facts.ts';

type Refresh = { context: RefreshTokenContext; event: RefreshTokenEvent };

export const refreshTokenGuards = {
  byAnotherClient: ({ context, event }: Refresh) => event.clientId !== context.clientId,
  ...proofGuards,
  retryIsOff: ({ context }: Refresh) => context.retryEndsAt === null,
  /** A token that is bound to a key or a certificate is proven by that alone, another by the authentication of its client. */
  holderUnproven: ({ context, event }: Refresh) =>
    (context.boundTo === null && !event.clientProvesKey) ||
    (context.boundTo !== null && event.proof.key !== context.boundTo && event.proof.certificate !== context.boundTo),
  notThePredecessor: ({ context }: Refresh) => !context.isPredecessor,
  retriedTooLate: ({ context, event }: Refresh) => context.retryEndsAt !== null && event.now >= context.retryEndsAt,
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
