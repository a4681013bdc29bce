import type { WebhookDeliveryContext, WebhookDeliveryEvent } from '../webhook-delivery/facts.ts';

/** Why a mail is not sent any more. */
export type DropReason = 'attempts_used_up' | 'too_old' | 'refused' | 'queue_full';

export type MailState = 'pending' | 'sent' | 'dropped';

/** A node attempts a mail as it attempts the delivery of an event. */
export type MailContext = WebhookDeliveryContext;

export type MailEvent = Omit<WebhookDeliveryEvent, 'type'> & {
  readonly type: 'claimed' | 'succeeded' | 'failed' | 'refused' | 'displaced';
};
