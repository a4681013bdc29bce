import { rejectWith, shared } from '../shared/effects.ts';
import type { FactorRejectReason } from '../shared/facts.ts';

/** The effects of this machine are data: the engine applies them, and XState never executes them. */
export const secondFactorEffects = {
  reject: rejectWith<FactorRejectReason>(),
  accept: shared.accept,
  /** From now on the factor is asked for. */
  activateFactor(): void {},
  /** Store the time step of the code: neither it nor an earlier step is accepted again. */
  recordStep(): void {},
  removeFactor: shared.removeFactor,
};
