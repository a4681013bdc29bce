/** Tells mails and the ledger which browser sent the request of a page. */
import fp from 'fastify-plugin';
import { actingIn } from '../people/mail/acting-browser.ts';
import { callerAddress } from './address-key.ts';
import { acceptedBy } from './look.ts';
import type { PageParts } from './page-parts.ts';

export const actingBrowsers = fp<Pick<PageParts, 'cookies'>>(
  async (app, { cookies }) => {
    // After the body was read: the asynchronous context of earlier hooks does not continue.
    app.addHook('preHandler', (request, _reply, done) => {
      // When another hook rejected the path, the server reads no more of the request, so it has no cookies yet.
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
