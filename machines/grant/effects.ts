import { shared } from '../shared/effects.ts';
import type { RevocationReason } from './facts.ts';

/** The effects of this machine are data: the engine applies them, and XState never executes them. */
export const grantEffects = {
  /** End the grant, and with it its code and every refresh token of the chain. */
  writeRevoked(_: unknown, _params: { reason: RevocationReason }): void {},
  raiseEpoch: shared.raiseEpoch,
};

export const writeRevoked = (reason: RevocationReason) => ({ type: 'writeRevoked', params: { reason } }) as const;
