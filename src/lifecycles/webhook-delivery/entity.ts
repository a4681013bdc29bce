/** Events for other systems, and their deliveries. */
import { tableOf } from '../../engine/commit.ts';
import type { StoredRow } from '../table.ts';
import type { webhookDeliveries } from './table.ts';

/** One row of `webhook_deliveries`: an event on its way to a receiver. */
export type WebhookDelivery = StoredRow<typeof webhookDeliveries>;

export const WEBHOOK_DELIVERIES = tableOf<WebhookDelivery>('webhookDeliveries');

/** An operator asked whether a receiver is there: the only event that is no line of the ledger. */
export const TEST_EVENT = 'webhook.test';

/** With its kind in front. The `jti` of a Security Event Token, too. */
export const webhookIdOf = ({ eventId }: Pick<WebhookDelivery, 'eventId'>): string => `evt_${eventId}`;
