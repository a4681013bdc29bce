import { rejectWith, shared } from '../shared/effects.ts';
import type { RecoveryCodeRejectReason } from './facts.ts';

/** What the engine makes true for this machine, as data: XState never executes an effect. */
export const recoveryCodeEffects = {
  reject: rejectWith<RecoveryCodeRejectReason>(),
  accept: shared.accept,
  /** The recovery code is spent. */
  spendCode(): void {},
  /** The recovery code becomes invalid: new codes replace it. */
  replaceCode(): void {},
};
