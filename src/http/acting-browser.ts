/** Tells mails and the ledger in which browser a page's request is carried out. */
import fp from 'fastify-plugin';
import { actingIn } from '../people/mail/acting-browser.ts';
import { callerAddress } from './address-key.ts';
import { acceptedBy } from './look.ts';
import type { PageParts } from './page-parts.ts';

export const actingBrowsers = fp<Pick<PageParts, 'cookies'>>(
  async (app, { cookies }) => {
    // After the body was read: what comes before does not go on in the same asynchronous context.
    app.addHook('preHandler', (request, _reply, done) => {
      // A path that another hook found to be none was not read any further: it has no cookies yet.
      if (!request.cookies) return done();
      return actingIn(
        {
          languages: () => acceptedBy(request),
          deviceCookie: cookies.readDevice(request),
          address: callerAddress(request.ip, request.socket.remoteAddress ?? ''),
        },
        () => done(),
      );
    });
  },
  { name: 'acting-browsers', dependencies: ['@fastify/cookie'] },
);
