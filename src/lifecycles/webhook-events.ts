/** The decisions that webhooks deliver to other systems, by the words of a machine (webhooks.yaml). */
import type { WebhookEventName } from '../../policies/webhooks-schema.ts';

export type WebhookEvents = { readonly [Name in WebhookEventName]?: readonly WebhookEventRule[] };

/** The ledger entries that are such an event. An absent member matches every entry. */
export type WebhookEventRule = {
  /** Absent: the machine of the table. */
  readonly machine?: string;
  readonly events?: readonly string[];
  readonly from?: readonly string[];
  readonly to?: readonly string[];
  /** Of the entry. */
  readonly reasons?: readonly string[];
  readonly notReasons?: readonly string[];
  /** Whether the password is among the fields that changed. */
  readonly changesPassword?: boolean;
  /** The kind of the factor or credential in the event. */
  readonly kind?: string;
};
