/** A delivery in memory, under the same contract as in Postgres (src/storage/webhooks.ts). */
import type { WebhookDeliveryCommit } from '../../../lifecycles/webhook-delivery.ts';
import type { WebhookDelivery } from '../../../model/webhook.ts';
import type { Stored } from './terms.ts';

/** Of a delivery, and of a mail. */
type Attempted = Pick<WebhookDelivery, 'attempts' | 'nextAttemptAt'> & { readonly state: string };
type Fact = (stored: Attempted, before: Attempted) => boolean;

/** Every fact that the commit compares, by name, so that each can be left out to see what that would allow. */
export const DELIVERY_GUARD: Readonly<Record<string, Fact>> = {
  deliveryStateIsLoaded: (stored, before) => stored.state === before.state,
  attemptsAreLoaded: (stored, before) => stored.attempts === before.attempts,
  nextAttemptIsLoaded: (stored, before) => stored.nextAttemptAt?.getTime() === before.nextAttemptAt?.getTime(),
};

/** @returns null when a fact did not hold: nothing changed. */
export function commitDelivery(
  { delivery }: Stored,
  { before, after }: WebhookDeliveryCommit,
  guard = DELIVERY_GUARD,
): Stored | null {
  return Object.values(guard).every((fact) => fact(delivery, before)) ? { delivery: after } : null;
}
