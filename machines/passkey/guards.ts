import { isNoWay, maySignIn } from '../shared/end-user.ts';
import type { PasskeyContext, PasskeyEvent } from './facts.ts';

type Passkey = { context: PasskeyContext };
type Signature = Passkey & { event: Extract<PasskeyEvent, { counter: unknown }> };
type ByEndUser = Passkey & { event: Extract<PasskeyEvent, { byPasswordAlone: unknown }> };

/** Every constant that a guard may name: a guard compares facts with facts, and writes no value of its own. */
export const BOUNDS = {
  /** Of one end-user. */
  activePasskeys: 20,
} as const;

export const passkeyGuards = {
  userEnded: ({ context }: Passkey) => !maySignIn(context.user),
  signatureDiffers: ({ event }: Signature) => event.counter === null,
  /** WebAuthn §7.2 step 22: it has to rise, unless the authenticator has no counter. */
  counterFellBack: ({ context, event }: Signature) =>
    event.counter !== null && (context.counter > 0 || event.counter > 0) && event.counter <= context.counter,
  isDemanded: ({ context }: Passkey) => context.isDemanded && !context.hasAnother,
  byPasswordAlone: ({ event }: ByEndUser) => event.byPasswordAlone,
  isLastWay: ({ context }: Passkey) => isNoWay(context.otherWays),
  anotherHasToBeProven: ({ context, event }: ByEndUser) => event.byPasswordAlone && context.hasAnother,
  passkeysAreFull: ({ context }: Passkey) => context.otherWays.passkeys >= BOUNDS.activePasskeys,
};
