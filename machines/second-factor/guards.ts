import { maySignIn } from '../shared/end-user.ts';
import type { SecondFactorContext, SecondFactorEvent } from './facts.ts';

type Factor = { context: SecondFactorContext };
type First = Factor & { event: Extract<SecondFactorEvent, { now: unknown }> };
type Code = Factor & { event: Extract<SecondFactorEvent, { step: unknown }> };
type ByEndUser = Factor & { event: Extract<SecondFactorEvent, { byPasswordAlone: unknown }> };

export const secondFactorGuards = {
  userEnded: ({ context }: Factor) => !maySignIn(context.user),
  setUpIsOver: ({ context, event }: First) => event.now >= context.setUpEndsAt,
  codeDiffers: ({ event }: Code) => event.step === null,
  /** RFC 6238 §5.2: a code is accepted once; neither are the codes of steps before it. */
  codeWasUsed: ({ context, event }: Code) =>
    context.lastStep !== null && event.step !== null && event.step <= context.lastStep,
  isDemanded: ({ context }: Factor) => context.isDemanded && !context.hasAnother,
  byPasswordAlone: ({ event }: ByEndUser) => event.byPasswordAlone,
  anotherHasToBeProven: ({ context, event }: ByEndUser) => event.byPasswordAlone && context.hasAnother,
};
