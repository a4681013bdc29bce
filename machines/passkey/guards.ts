import type { PasskeyContext, PasskeyEvent } from './facts.ts';

type Passkey = { context: PasskeyContext };
type Signature = Passkey & { event: Extract<PasskeyEvent, { counter: unknown }> };
type ByEndUser = Passkey & { event: Extract<PasskeyEvent, { byPasswordAlone: unknown }> };

export const passkeyGuards = {
  userEnded: ({ context }: Passkey) => context.userEnded,
  signatureDiffers: ({ event }: Signature) => event.counter === null,
  /** WebAuthn §7.2 step 22: it has to rise, unless the authenticator has no counter. */
  counterFellBack: ({ context, event }: Signature) =>
    event.counter !== null && (context.counter > 0 || event.counter > 0) && event.counter <= context.counter,
  isDemanded: ({ context }: Passkey) => context.isDemanded && !context.hasAnother,
  byPasswordAlone: ({ event }: ByEndUser) => event.byPasswordAlone,
  isLastWay: ({ context }: Passkey) => !context.hasAnotherWay,
  anotherHasToBeProven: ({ context, event }: ByEndUser) => event.byPasswordAlone && context.hasAnother,
  passkeysAreFull: ({ context }: Passkey) => context.isFull,
};
