import { rejectWith, shared } from '../shared/effects.ts';
import type { TokenRejectReason } from '../shared/facts.ts';

/** The effects of this machine are data: the engine applies them, and XState never executes them. */
export const refreshTokenEffects = {
  issueTokens: shared.issueTokens,
  /** Move the chain's head: the presented token becomes used, its successor is the new head. */
  rotate(): void {},
  /** Answer with the head again, as it is: the chain does not change. */
  repeatHead(): void {},
  revokeGrant: shared.revokeGrant,
  reject: rejectWith<TokenRejectReason>(),
};
