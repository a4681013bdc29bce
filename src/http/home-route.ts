/** The page at the address that the terminal prints: it introduces the server, and links to the next pages. */
import fp from 'fastify-plugin';
import { pathUnder } from '../oauth/urls.ts';
import { ACCOUNT } from './account/sections.ts';
import { lookOf } from './look.ts';
import { sendPage } from './security-headers.ts';
import { homePage } from './views/home.ts';

/** The demo end-user, as the terminal names it at the start. */
export type DemoUser = { readonly username: string; readonly password: string };

export type HomeRouteOptions = {
  readonly issuer: string;
  readonly production: boolean;
  /** Null: there is no demo. */
  readonly demo: DemoUser | null;
};

export const homeRoute = fp<HomeRouteOptions>(
  async (app, { issuer, production, demo }) => {
    const { host } = new URL(issuer);
    // Under an issuer with a path, only the issuer itself: no other path may end with a slash.
    app.get('/', { prefixTrailingSlash: 'no-slash' }, async (request, reply) =>
      sendPage(
        reply,
        200,
        homePage(await lookOf(request), {
          issuer,
          account: pathUnder(issuer, ACCOUNT),
          metadata: pathUnder(issuer, '/.well-known/openid-configuration'),
          // Under another name, a page of another site may be reading (DNS rebinding).
          demo:
            demo !== null && request.host === host
              ? { ...demo, playground: pathUnder(issuer, '/playground'), console: pathUnder(issuer, '/console') }
              : null,
          withGuides: !production,
        }),
      ),
    );
  },
  { name: 'home-route', encapsulate: true },
);
