import { rejectWith, shared } from '../shared/effects.ts';
import type { FactorRejectReason } from '../shared/facts.ts';

/** The effects of this machine are data: the engine applies them, and XState never executes them. */
export const passkeyEffects = {
  reject: rejectWith<FactorRejectReason>(),
  accept: shared.accept,
  removeFactor: shared.removeFactor,
  /** Store the signature counter and the time. */
  recordSignature(): void {},
  /** Store the public key. */
  registerPasskey(): void {},
  /** Store another name of the passkey. */
  renamePasskey(): void {},
};
