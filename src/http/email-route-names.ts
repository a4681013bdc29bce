/** The routes around mails, below the path of the issuer. The first request loads their handlers. */
import type { Handlers, RouteName } from './lazy-routes.ts';
import type { PageParts } from './page-parts.ts';

export const EMAIL_ROUTES = [
  'GET /forgot-password',
  'POST /forgot-password',
  'GET /sign-up',
  'POST /sign-up',
  'GET /email/lost-factors',
  'POST /email/lost-factors',
  'GET /email/link',
  'POST /email/link',
  'GET /email/done',
] as const satisfies readonly RouteName[];

/** The sign-in with a code by mail, where the policy allows it. */
export const CODE_ROUTES = [
  'GET /sign-in/code',
  'POST /sign-in/code',
  'POST /sign-in/code/check',
  'GET /interactions/:name/code',
  'POST /interactions/:name/code',
  'POST /interactions/:name/code/check',
] as const satisfies readonly RouteName[];

/** Only where the server keeps its mails for display. */
export const MAILBOX_ROUTES = ['GET /mail'] as const satisfies readonly RouteName[];

export type EmailRoute = (typeof EMAIL_ROUTES)[number];
export type CodeRoute = (typeof CODE_ROUTES)[number];
export type MailboxRoute = (typeof MAILBOX_ROUTES)[number];

export type EmailHandlers = Handlers<EmailRoute | CodeRoute> & Partial<Handlers<MailboxRoute>>;

export type EmailPages = {
  /** False: the server has no mail server now. */
  readonly isOn: () => boolean;
  /** The server keeps its mails for display. */
  readonly hasMailbox: boolean;
  readonly handlers: (parts: PageParts) => Promise<EmailHandlers>;
};
