import { rejectWith, shared } from '../shared/effects.ts';
import type { SignInCodeRejectReason } from './facts.ts';

/** The effects of this machine are data: the engine applies them, and XState never executes them. */
export const signInCodeEffects = {
  reject: rejectWith<SignInCodeRejectReason>(),
  accept: shared.accept,
  /** Store the keyed hash of a fresh code, for no end-user yet. */
  storeCode(): void {},
  /** Send `overtaken` to the older code of the same browser and place that is still open. */
  overtakeOlderCode(): void {},
  /** The code becomes that of the end-user; the mail follows the commit. */
  sendCode(): void {},
  /** The mail follows once more, with the same code. */
  repeatCode(): void {},
  /** One more wrong code was typed. */
  countWrongCode(): void {},
  /** One more wrong code was typed, and was the last: the code becomes invalid. */
  spendWrongCodes(): void {},
  /** A newer code replaces it. */
  supersedeCode(): void {},
  /** The code's only use. */
  useCode(): void {},
};
