/** /mail: the mails that this server would have sent. Only on the embedded database with a loopback HOST. */
import type { MailboxRoute } from './email-route-names.ts';
import type { Handlers } from './lazy-routes.ts';
import { lookOf } from './look.ts';
import { mailboxPage } from './mailbox-page.ts';
import { sendPage } from './security-headers.ts';
import type { ComposedMail } from './views/mail.ts';

export type MailPageOptions = {
  readonly issuer: string;
  /** Newest first. */
  readonly newest: () => readonly (ComposedMail & { readonly at: Date })[];
};

export function mailPageHandlers({ issuer, newest }: MailPageOptions): Handlers<MailboxRoute> {
  const { host } = new URL(issuer);
  return {
    'GET /mail': async (request, reply) => {
      // Under another name, a page of another site may be reading (DNS rebinding).
      if (request.host !== host) return reply.callNotFound();
      return sendPage(reply, 200, mailboxPage(await lookOf(request), newest()));
    },
  };
}
