/** Which decisions about a machine other systems may be told of, by the words of its machine (webhooks.yaml). */
import type { WebhookEventName } from '../../policies/webhooks-schema.ts';

export type Told = { readonly [Name in WebhookEventName]?: readonly Telling[] };

/** An entry of the ledger that is such an event. What is absent may be any. */
export type Telling = {
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
  /** What the event says of the factor or the credential. */
  readonly kind?: string;
};
