import { rejectWith, shared } from '../shared/effects.ts';
import type { TokenRejectReason } from '../shared/facts.ts';

/** What the engine makes true for this machine, as data: XState never executes an effect. */
export const refreshTokenEffects = {
  issueTokens: shared.issueTokens,
  /** Move the chain's head: the presented token becomes used, its successor is the new head. */
  rotate(): void {},
  revokeGrant: shared.revokeGrant,
  reject: rejectWith<TokenRejectReason>(),
};
