import { rejectWith, shared } from '../shared/effects.ts';
import type { RecoveryCodeRejectReason } from './facts.ts';

/** The effects of this machine are data: the engine applies them, and XState never executes them. */
export const recoveryCodeEffects = {
  reject: rejectWith<RecoveryCodeRejectReason>(),
  accept: shared.accept,
  /** The recovery code is spent. */
  spendCode(): void {},
  /** The recovery code becomes invalid: new codes replace it. */
  replaceCode(): void {},
};
