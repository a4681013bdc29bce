import { rejectWith, shared } from '../shared/effects.ts';
import type { TrustEndReason, TrustedBrowserRejectReason } from './facts.ts';

/** The effects of this machine are data: the engine applies them, and XState never executes them. */
export const trustedBrowserEffects = {
  raiseEpoch: shared.raiseEpoch,
  reject: rejectWith<TrustedBrowserRejectReason>(),
  accept: shared.accept,
  /** From now on the secret of the browser stands in for the second factor. */
  trustBrowser(): void {},
  /** This sign-in needs no second factor: store its time. */
  skipFactor(): void {},
  /** Drop the hash of the secret, for good. */
  endTrust(_: unknown, _params: { reason: TrustEndReason }): void {},
};

export const endTrust = (reason: TrustEndReason) => ({ type: 'endTrust', params: { reason } }) as const;
