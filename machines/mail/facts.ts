import type { Instant } from '../shared/facts.ts';
import type { Claimed, Failed, WebhookDeliveryContext } from '../webhook-delivery/facts.ts';

/** Why the server no longer sends a mail. */
export type DropReason = 'attempts_used_up' | 'too_old' | 'refused' | 'queue_full';

export type MailState = 'pending' | 'sent' | 'dropped';

/** A node attempts a mail as it attempts the delivery of an event. */
export type MailContext = WebhookDeliveryContext;

export type MailEvent =
  /** `now` counts as the next attempt: a claim that comes too late drops the mail. */
  (Claimed & { readonly retryAt: Instant }) | Failed | { readonly type: 'succeeded' | 'refused' | 'displaced' };
