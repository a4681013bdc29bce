import type { WebhookDeliveryContext, WebhookDeliveryEvent } from './facts.ts';

type Delivery = { context: WebhookDeliveryContext; event: Omit<WebhookDeliveryEvent, 'type'> };

export const webhookDeliveryGuards = {
  notDue: ({ context, event }: Delivery) => context.nextAttemptAt === null || event.now < context.nextAttemptAt,
  overtaken: ({ context, event }: Delivery) => event.claim !== context.nextAttemptAt,
  attemptsUsedUp: ({ context }: Delivery) => context.attemptsLeft <= 0,
  tooOld: ({ context, event }: Delivery) => event.retryAt > context.givesUpAt,
};
