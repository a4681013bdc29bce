import type { Claimed, Failed, WebhookDeliveryContext } from './facts.ts';

type Delivery = { context: WebhookDeliveryContext };
type Claim = Delivery & { event: Pick<Claimed, 'now'> };
type Report = Delivery & { event: Pick<Failed, 'claim'> };
type Retry = Delivery & { event: Pick<Failed, 'retryAt'> };

export const webhookDeliveryGuards = {
  notDue: ({ context, event }: Claim) => context.nextAttemptAt === null || event.now < context.nextAttemptAt,
  overtaken: ({ context, event }: Report) => event.claim !== context.nextAttemptAt,
  attemptsUsedUp: ({ context }: Delivery) => context.attemptsLeft <= 0,
  tooOld: ({ context, event }: Retry) => event.retryAt > context.givesUpAt,
};
