/** What administrators use: the management API and the console, an app of their own. */
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { handOn } from './handed-on.ts';

export type AdministrationOptions = {
  /** Builds the app. It is asked again after a failure. */
  readonly administration: () => Promise<FastifyInstance>;
};

/** Below the path of the issuer. */
export const administration = fp<AdministrationOptions>(
  async (app, options) => handOn(app, ['/management/v1', '/console'], options.administration),
  { name: 'administration', encapsulate: true },
);
