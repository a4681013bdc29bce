/** Events for other systems, and their deliveries. */

import type { AbandonReason, WebhookDeliveryState } from '../../../machines/webhook-delivery/facts.ts';
import { tableOf } from '../../engine/commit.ts';

/** One row of `webhook_deliveries`: an event on its way to a receiver. */
export type WebhookDelivery = {
  readonly id: string;
  /** The name of the receiver in webhooks.yaml. */
  readonly receiver: string;
  /** The same for every receiver of the event; with `evt_` in front the `webhook-id` of every attempt. */
  readonly eventId: string;
  /** Such as `session.ended` (src/webhooks/events.ts). */
  readonly eventType: string;
  /** The `sub` of the end-user that the event is about; null: it concerns no end-user. */
  readonly userId: string | null;
  /** The member `data` of the body. */
  readonly data: WebhookData;
  /** When the decision was taken. */
  readonly occurredAt: Date;
  readonly state: WebhookDeliveryState;
  /** Since it was recorded, or since it was repeated last. */
  readonly attempts: number;
  /** No node attempts it before; while an attempt is under way, how long it has. Null: it has ended. */
  readonly nextAttemptAt: Date | null;
  readonly givesUpAt: Date;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  readonly abandonedReason: AbandonReason | null;
  /** The outcome of the last attempt, in a word that metrics use too; null: no attempt has ended. */
  readonly lastOutcome: AttemptOutcome | null;
};

export const WEBHOOK_DELIVERIES = tableOf<WebhookDelivery>('webhookDeliveries');

export type WebhookData = Readonly<Record<string, string | readonly string[] | number | null>>;

/** A closed union: log lines, metrics and lists use these words, and nothing of an endpoint's answer. */
export const ATTEMPT_OUTCOMES = [
  'delivered',
  /** 410. */
  'gone',
  /** 3xx: redirects are not followed. */
  'redirected',
  /** 4xx. */
  'refused',
  /** 5xx, or another status that is none of the above. */
  'failed',
  'timed_out',
  /** The certificate is not right for the name, or not trusted. */
  'certificate_not_trusted',
  /** The name leads to an address that is not of the public internet. */
  'address_not_public',
  /** No connection, or no answer of HTTP. */
  'unreachable',
] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** An operator asked whether a receiver is there: the only event that is no line of the ledger. */
export const TEST_EVENT = 'webhook.test';

/** With its kind in front. The `jti` of a Security Event Token, too. */
export const webhookIdOf = ({ eventId }: Pick<WebhookDelivery, 'eventId'>): string => `evt_${eventId}`;
