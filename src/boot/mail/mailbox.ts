/** Without SMTP, on the embedded database: mails go to the terminal, and the newest are kept in memory for /mail. */
import type { ComposedMail } from '../../http/views/mail.ts';
import type { Deliver } from './outbox.ts';

export type KeptMail = ComposedMail & { readonly at: Date };

export type Mailbox = {
  readonly deliver: Deliver;
  /** Newest first. */
  readonly newest: () => readonly KeptMail[];
};

const MAX_KEPT = 50;

/** @param print writes to the terminal. */
export function openMailbox(print: (text: string) => void): Mailbox {
  const kept: KeptMail[] = [];
  return {
    deliver: async (mail) => {
      kept.unshift({ ...mail, at: new Date() });
      kept.length = Math.min(kept.length, MAX_KEPT);
      print(`\n  Mail to ${mail.to}: ${mail.subject}\n\n${indented(mail.text)}\n`);
    },
    newest: () => kept,
  };
}

const indented = (text: string): string => text.trimEnd().replaceAll(/^/gm, '    ');
