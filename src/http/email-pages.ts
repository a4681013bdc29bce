/** The handlers of all pages around mails. */
import type { EmailHandlers } from './email-route-names.ts';
import { type EmailRoutesOptions, emailHandlers } from './email-routes.ts';
import { type MailPageOptions, mailPageHandlers } from './mail-page-routes.ts';

/** @param newest null: there is no page with the mails themselves. */
export const emailPages = (options: EmailRoutesOptions, newest: MailPageOptions['newest'] | null): EmailHandlers => ({
  ...emailHandlers(options),
  ...(newest && mailPageHandlers({ issuer: options.issuer, newest })),
});
