/** Mails, by outcome. */
import { Counter, type Registry } from 'prom-client';
import { mailsHandled } from '../system/observed.ts';

const OUTCOMES = { sent: 'sent', givenUp: 'given_up', dropped: 'dropped' } as const;

/** @returns a function that ends the counting. */
export function countMails(registry: Registry): () => void {
  const mails = new Counter({
    name: 'statehouse_mails_total',
    help: 'Mails, by purpose: sent, given_up (after the last attempt), or dropped (the queue was full, or a notice could not be stored).',
    labelNames: ['purpose', 'outcome'],
    registers: [registry],
  });
  return mailsHandled.listen(({ purpose, outcome }) => mails.inc({ purpose, outcome: OUTCOMES[outcome] }));
}
