import type { PasskeyContext, PasskeyEvent } from './facts.ts';

type Passkey = { context: PasskeyContext; event: PasskeyEvent };

export const passkeyGuards = {
  userEnded: ({ context }: Passkey) => context.userEnded,
  signatureDiffers: ({ event }: Passkey) => event.counter === null,
  /** WebAuthn §7.2 step 22: it has to rise, unless the authenticator has no counter. */
  counterFellBack: ({ context, event }: Passkey) =>
    event.counter !== null && (context.counter > 0 || event.counter > 0) && event.counter <= context.counter,
  isDemanded: ({ context }: Passkey) => context.isDemanded,
  byPasswordAlone: ({ event }: Passkey) => event.byPasswordAlone,
  isLastWay: ({ context }: Passkey) => context.isLastWay,
  anotherHasToBeProven: ({ context, event }: Passkey) => event.byPasswordAlone && context.hasAnother,
  passkeysAreFull: ({ context }: Passkey) => context.isFull,
};
