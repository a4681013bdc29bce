import { maySignIn } from '../shared/end-user.ts';
import type { SignInCodeContext, SignInCodeEvent } from './facts.ts';

type Code = { context: SignInCodeContext };
type Timely = Code & { event: Extract<SignInCodeEvent, { now: unknown }> };
type Presented = Code & { event: Extract<SignInCodeEvent, { isRight: unknown }> };

export const signInCodeGuards = {
  fromAnotherBrowser: ({ event }: Presented) => !event.fromItsBrowser,
  fromAnotherPlace: ({ event }: Presented) => !event.fromItsPlace,
  expired: ({ context, event }: Timely) => event.now >= context.endsAt,
  isNotOffered: ({ context }: Code) => !context.isOffered,
  isWrong: ({ event }: Presented) => !event.isRight,
  /** The wrong code of the event is not counted yet. */
  isLastWrongCode: ({ context }: Code) => context.wrongCodes >= context.wrongCodesAllowed,
  userEnded: ({ context }: Code) => !maySignIn(context.user),
  identifiesAnother: ({ context }: Code) => context.user !== null && context.user.id !== context.userId,
  sessionsEnded: ({ context }: Code) => context.user === null || context.user.epoch !== context.userEpoch,
  addressIsMissing: ({ context }: Code) => context.user === null || context.user.verifiedAddress === null,
  addressDiffers: ({ context }: Code) => context.user === null || context.user.verifiedAddress !== context.address,
};
