import { rejectWith, shared } from '../shared/effects.ts';
import type { TokenRejectReason } from '../shared/facts.ts';

/** The effects of this machine are data: the engine applies them, and XState never executes them. */
export const authorizationCodeEffects = {
  issueTokens: shared.issueTokens,
  /** The code becomes used: the chain of refresh tokens begins, at generation 0. */
  beginChain(): void {},
  revokeGrant: shared.revokeGrant,
  reject: rejectWith<TokenRejectReason>(),
};
