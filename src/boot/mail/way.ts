/** How this server sends mails: by SMTP; into the terminal, on the embedded database; or not at all. */
import { hasDemo } from '../demo-operator.ts';
import type { Runtime } from '../runtime.ts';
import type { KeptMail } from './mailbox.ts';
import type { Deliver } from './outbox.ts';

export type MailWay = {
  readonly deliver: Deliver;
  /** The mails for /mail, newest first; null: there is no such page. */
  readonly newest: (() => readonly KeptMail[]) | null;
  readonly close: () => void;
};

/** @returns null: no mails are sent, so what needs them is off. */
export async function mailWay(runtime: Runtime): Promise<MailWay | null> {
  const { environment, database } = runtime;
  if (environment.smtp !== null) {
    const { smtpDelivery } = await import('./smtp.ts');
    return { ...smtpDelivery(environment.smtp), newest: null };
  }
  if (database.kind !== 'embedded') return null;
  const { openMailbox } = await import('./mailbox.ts');
  const { deliver, newest } = openMailbox((text) => void process.stdout.write(text));
  // Links in mails are for their readers alone: a page that other machines can open would show them to everybody.
  return { deliver, newest: hasDemo(runtime) ? newest : null, close: () => {} };
}
