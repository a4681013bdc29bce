import { shared } from '../shared/effects.ts';
import type { AbandonReason } from './facts.ts';

/** The effects of this machine are data: the engine applies them, and XState never executes them. */
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
