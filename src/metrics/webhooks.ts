/** Webhook deliveries: the outcomes of their attempts. */
import { Counter, type Registry } from 'prom-client';
import { webhookAttempts } from '../system/observed.ts';

/** @returns a function that ends the counting. */
export function countWebhookAttempts(registry: Registry): () => void {
  const attempts = new Counter({
    name: 'statehouse_webhook_attempts_total',
    help: 'Attempts to deliver an event to its endpoint, by outcome.',
    labelNames: ['receiver', 'outcome'],
    registers: [registry],
  });
  return webhookAttempts.listen(({ receiver, outcome }) => attempts.inc({ receiver, outcome }));
}
