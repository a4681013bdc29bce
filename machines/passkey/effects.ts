import { rejectWith, shared } from '../shared/effects.ts';
import type { FactorRejectReason } from '../shared/facts.ts';

/** What the engine makes true for this machine, as data: XState never executes an effect. */
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
