/** The routes of the console, below the path of the issuer. The first request loads their handlers. */
import cookie from '@fastify/cookie';
import type { FastifyPluginAsync } from 'fastify';
import { lazyRoutes } from '../http/lazy-routes.ts';
import { noStore } from '../http/security-headers.ts';
import type { ConsoleOptions, ConsolePages } from './handlers.ts';
import { CONSOLE_ROUTES } from './route-names.ts';

export const consoleRoutes: FastifyPluginAsync<ConsoleOptions> = async (app, options) => {
  await app.register(cookie);

  app.addHook('onRequest', (_request, reply, done) => {
    // With "no-referrer", a browser would send "Origin: null" with the console's own forms.
    noStore(reply).header('referrer-policy', 'same-origin');
    done();
  });

  let pages: ConsolePages | null = null;
  app.addHook('preClose', (done) => {
    pages?.endStreams();
    done();
  });

  lazyRoutes(app, CONSOLE_ROUTES, async () => {
    const { consolePages } = await import('./handlers.ts');
    pages = consolePages(options, app.log);
    return pages.handlers;
  });
};
