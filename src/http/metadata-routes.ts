/** The addresses of the metadata (RFC 8414, OpenID Connect Discovery, RFC 9728) and of the keys (RFC 7517). */
import type { FastifyInstance } from 'fastify';
import { resourceMetadataUrl } from '../oauth/urls.ts';
import type { HttpDeps } from './deps.ts';
import { jwksRoute } from './jwks-route.ts';
import { resourceMetadata, serverMetadata } from './metadata.ts';

const CACHE = 'public, max-age=300';

export function metadataRoutes(app: FastifyInstance, deps: HttpDeps): void {
  const path = new URL(deps.issuer).pathname.replace(/\/$/, '');
  const publish = (url: string, document: () => object) =>
    app.get(url, { exposeHeadRoute: true }, (_request, reply) =>
      reply.header('cache-control', CACHE).header('access-control-allow-origin', '*').send(document()),
    );
  for (const wellKnown of ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']) {
    // RFC 8414 §3.1 puts the well-known part between host and path, OpenID Connect Discovery §4 at the end; clients do both.
    for (const url of new Set([`${wellKnown}${path}`, `${path}${wellKnown}`])) publish(url, () => serverMetadata(deps));
  }
  publish(new URL(resourceMetadataUrl(deps.issuer)).pathname, () => resourceMetadata(deps));
  jwksRoute(app, `${path}/.well-known/jwks.json`, deps);
}
