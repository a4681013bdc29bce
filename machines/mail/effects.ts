import { shared } from '../shared/effects.ts';
import type { DropReason } from './facts.ts';

/** The effects of this machine are data: the engine applies them, and XState never executes them. */
export const mailEffects = {
  claimDelivery: shared.claimDelivery,
  retryDelivery: shared.retryDelivery,
  recordDelivery: shared.recordDelivery,
  /** Send the mail no more, and erase its contents. */
  dropMail(_: unknown, _params: { reason: DropReason }): void {},
};

export const dropMail = (reason: DropReason) => ({ type: 'dropMail', params: { reason } }) as const;
