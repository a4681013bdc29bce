import type { SecondFactorContext, SecondFactorEvent } from './facts.ts';

type Factor = { context: SecondFactorContext; event: SecondFactorEvent };

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
