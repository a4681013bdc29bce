/** /account, where people look after their own account: an app of its own. */
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { handOn } from './handed-on.ts';

export type AccountAppOptions = {
  /** Builds the app. It is asked again after a failure. */
  readonly account: () => Promise<FastifyInstance>;
};

/** Below the path of the issuer. */
export const accountApp = fp<AccountAppOptions>(async (app, options) => handOn(app, ['/account'], options.account), {
  name: 'account-app',
  encapsulate: true,
});
