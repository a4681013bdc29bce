import { rejectWith, shared } from '../shared/effects.ts';
import type { TokenRejectReason } from '../shared/facts.ts';

/** What the engine makes true for this machine, as data: XState never executes an effect. */
export const authorizationCodeEffects = {
  issueTokens: shared.issueTokens,
  /** The code becomes used: the chain of refresh tokens begins, at generation 0. */
  beginChain(): void {},
  revokeGrant: shared.revokeGrant,
  reject: rejectWith<TokenRejectReason>(),
};
