/** Every page around mails. */
import type { FastifyPluginAsync } from 'fastify';
import { type EmailRoutesOptions, emailRoutes } from './email-routes.ts';
import { type MailPageOptions, mailPage } from './mail-page-routes.ts';

export type EmailPages = FastifyPluginAsync;

/** @param newest null: there is no page with the mails themselves. */
export const emailPages =
  (options: EmailRoutesOptions, newest: MailPageOptions['newest'] | null): EmailPages =>
  async (app) => {
    await app.register(emailRoutes(options));
    if (newest !== null) await app.register(mailPage({ issuer: options.issuer, newest }));
  };
