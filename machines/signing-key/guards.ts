import type { SigningKeyContext, SigningKeyEvent } from './facts.ts';

type Key = { context: SigningKeyContext; event: SigningKeyEvent };

export const signingKeyGuards = {
  noOtherSigns: ({ event }: Key) => event.signer === null,
  handoverIsDue: ({ context, event }: Key) =>
    event.now >= context.signsUntil && event.successor !== null && event.now >= event.successor.maySignAt,
  endsWithoutSuccessor: ({ context, event }: Key) =>
    event.now >= context.signsUntil && event.successor === null && !event.algorithmIsWanted,
  successorIsNeeded: ({ context, event }: Key) =>
    event.now >= context.successorDueAt && event.successor === null && event.algorithmIsWanted,
  successorMaySign: ({ event }: Key) =>
    event.successor !== null && (event.atOnce || event.now >= event.successor.maySignAt),
  rotationIsAtOnce: ({ event }: Key) => event.atOnce,
  handoverIsComing: ({ context, event }: Key) => event.now >= context.signsUntil && event.successor !== null,
  successorIsPublished: ({ event }: Key) => event.successor !== null,
  lastTokenHasExpired: ({ context, event }: Key) => event.now >= context.publishedUntil,
};
