import { shared } from '../shared/effects.ts';
import type { AbandonReason } from './facts.ts';

/** What the engine makes true for this machine, as data: XState never executes an effect. */
export const webhookDeliveryEffects = {
  claimDelivery: shared.claimDelivery,
  retryDelivery: shared.retryDelivery,
  recordDelivery: shared.recordDelivery,
  /** Send the event no more. */
  abandonDelivery(_: unknown, _params: { reason: AbandonReason }): void {},
  /** Send the event immediately, with all attempts again. */
  repeatDelivery(): void {},
};

export const abandonDelivery = (reason: AbandonReason) => ({ type: 'abandonDelivery', params: { reason } }) as const;
