/** Events for other systems: what came of the attempts. */
import { Counter, type Registry } from 'prom-client';
import { webhookAttempts } from '../system/observed.ts';

/** @returns a function that ends the counting. */
export function countWebhookAttempts(registry: Registry): () => void {
  const attempts = new Counter({
    name: 'statehouse_webhook_attempts_total',
    help: 'Attempts to bring an event to its receiver, by what came of them.',
    labelNames: ['receiver', 'outcome'],
    registers: [registry],
  });
  return webhookAttempts.listen(({ receiver, outcome }) => attempts.inc({ receiver, outcome }));
}
