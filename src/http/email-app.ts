/** The pages around mails: an app of their own, loaded when somebody opens such a page. */
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { handOn } from './handed-on.ts';

export type EmailAppOptions = {
  /** Builds the app. It is asked again after a failure. Null: no mails are sent, and there are no such pages. */
  readonly email: (() => Promise<FastifyInstance>) | null;
};

/** Below the path of the issuer. */
export const emailApp = fp<EmailAppOptions>(
  async (app, { email }) => {
    if (email !== null) handOn(app, ['/email', '/forgot-password', '/sign-up', '/mail'], email);
  },
  { name: 'email-app', encapsulate: true },
);
