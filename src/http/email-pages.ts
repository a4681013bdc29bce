/** The handlers of all pages around mails. */
import { type CodeRoutesOptions, codeHandlers } from './code-routes.ts';
import type { EmailHandlers } from './email-route-names.ts';
import { type EmailRoutesOptions, emailHandlers } from './email-routes.ts';
import { type MailPageOptions, mailPageHandlers } from './mail-page-routes.ts';

/** @param newest null: the server has no page of its mails. */
export const emailPages = (
  options: EmailRoutesOptions & CodeRoutesOptions,
  newest: MailPageOptions['newest'] | null,
): EmailHandlers => ({
  ...emailHandlers(options),
  ...codeHandlers(options),
  ...(newest && mailPageHandlers({ issuer: options.issuer, newest })),
});
