/** RFC 8414 and RFC 7517: what works here, and the keys to check it with. Listed only when it works. */
import type { FastifyInstance } from 'fastify';
import { GRANT_TYPES } from '../grants/token-request.ts';
import { urlUnder } from '../oauth/urls.ts';
import type { HttpDeps } from './deps.ts';

const WELL_KNOWN = '/.well-known/oauth-authorization-server';
const CACHE = 'public, max-age=300';

export function metadataRoutes(app: FastifyInstance, deps: HttpDeps): void {
  const path = new URL(deps.issuer).pathname.replace(/\/$/, '');
  // RFC 8414 §3.1: the well-known part comes between host and path; many clients append it instead.
  for (const url of new Set([`${WELL_KNOWN}${path}`, `${path}${WELL_KNOWN}`])) {
    app.get(url, { exposeHeadRoute: true }, (_request, reply) =>
      reply.header('cache-control', CACHE).header('access-control-allow-origin', '*').send(metadata(deps)),
    );
  }
  app.get(`${path}/.well-known/jwks.json`, { exposeHeadRoute: true }, (_request, reply) =>
    reply
      .header('cache-control', CACHE)
      .header('access-control-allow-origin', '*')
      .type('application/jwk-set+json')
      .send(JSON.stringify({ keys: deps.keyRing.published() })),
  );
}

function metadata({ issuer, configuration }: HttpDeps): Record<string, unknown> {
  const scopes = configuration().resources.flatMap((one) => one.scopes.map((scope) => scope.name));
  return {
    issuer,
    authorization_endpoint: urlUnder(issuer, '/oauth/authorize'),
    token_endpoint: urlUnder(issuer, '/oauth/token'),
    jwks_uri: urlUnder(issuer, '/.well-known/jwks.json'),
    scopes_supported: [...new Set(scopes)],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: [...GRANT_TYPES.keys()],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
}
