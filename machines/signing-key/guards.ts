import type { SigningKeyContext, SigningKeyEvent } from './facts.ts';

type Key = { context: SigningKeyContext; event: SigningKeyEvent };

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
