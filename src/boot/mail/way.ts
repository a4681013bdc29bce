/** How this server sends mails: by SMTP; into the terminal, on the embedded database; or not at all. */
import { hasDemo } from '../demo-operator.ts';
import type { Runtime } from '../runtime.ts';
import type { KeptMail } from './mailbox.ts';
import type { Deliver } from './outbox.ts';

export type MailWay = {
  readonly deliver: Deliver;
  /** The mails for /mail, newest first; null: the page does not exist. */
  readonly newest: (() => readonly KeptMail[]) | null;
  readonly close: () => void;
};

/** @returns null: the server sends no mails, and features that need them are off. */
export async function mailWay(runtime: Runtime): Promise<MailWay | null> {
  const { environment, database } = runtime;
  if (environment.smtp !== null) {
    const { smtpDelivery } = await import('./smtp.ts');
    return { ...smtpDelivery(environment.smtp), newest: null };
  }
  if (database.kind !== 'embedded') return null;
  const { openMailbox } = await import('./mailbox.ts');
  const { deliver, newest } = openMailbox((text) => void process.stdout.write(text));
  // A link in a mail is for its recipient alone, so the page exists only where other machines cannot open it.
  return { deliver, newest: hasDemo(runtime) ? newest : null, close: () => {} };
}
