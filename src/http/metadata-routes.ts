/** The addresses of the metadata (RFC 8414, OpenID Connect Discovery, RFC 9728). */
import fp from 'fastify-plugin';
import { resourceMetadataPath, urlUnder } from '../oauth/urls.ts';
import { type MetadataDeps, managementMetadata, resourceMetadata, serverMetadata } from '../protocol/metadata.ts';
import { LANGUAGES } from './words/languages.ts';

const CACHE = 'public, max-age=300';

export const metadataRoutes = fp<Omit<MetadataDeps, 'uiLocales'>>(
  async (app, given) => {
    const options = { ...given, uiLocales: LANGUAGES };
    const path = new URL(options.issuer).pathname.replace(/\/$/, '');
    const publish = (url: string, document: () => object) =>
      app.get(url, { exposeHeadRoute: true }, (_request, reply) =>
        reply.header('cache-control', CACHE).header('access-control-allow-origin', '*').send(document()),
      );
    for (const wellKnown of ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']) {
      // RFC 8414 §3.1 puts the well-known part between host and path, OpenID Connect Discovery §4 at the end. Clients
      // do both.
      for (const url of new Set([`${wellKnown}${path}`, `${path}${wellKnown}`])) {
        publish(url, () => serverMetadata(options));
      }
    }
    // A Well-Known URL for Changing Passwords (W3C): password managers send the end-user there.
    app.get('/.well-known/change-password', { exposeHeadRoute: true }, (_request, reply) =>
      reply.redirect(urlUnder(options.issuer, '/account/password'), 302),
    );
    // A Well-Known URL for Relying Party Passkey Endpoints (W3C).
    const passkeys = urlUnder(options.issuer, '/account/sign-in-methods');
    publish('/.well-known/passkey-endpoints', () => ({ enroll: passkeys, manage: passkeys }));
    publish(resourceMetadataPath(options.issuer, '/oauth/userinfo'), () => resourceMetadata(options));
    publish(resourceMetadataPath(options.issuer, '/management/v1'), () => managementMetadata(options));
  },
  { name: 'metadata-routes', encapsulate: true },
);
