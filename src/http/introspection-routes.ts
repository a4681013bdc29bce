/**
 * POST /oauth/introspect: HTTP around src/protocol/introspection-request.ts. Without CORS: it needs a secret, which
 * only servers can keep.
 */
import fp from 'fastify-plugin';
import { handleIntrospectionRequest } from '../protocol/introspection-request.ts';
import type { SentTokenDeps } from '../protocol/sent-token.ts';
import { type CertificateOptions, certificatesOf } from './client-certificate.ts';
import { clientEndpoint } from './client-endpoint.ts';

export const introspectionRoutes = fp<SentTokenDeps & CertificateOptions>(
  async (app, options) => {
    const certificateOf = certificatesOf(options);
    clientEndpoint(app, { url: '/oauth/introspect', mayBeRepeated: true, certificateOf }, async (sender, form) => {
      const outcome = await handleIntrospectionRequest(options, sender, form);
      if (outcome.kind === 'refused') return { ...outcome, facts: { clientId: outcome.clientId } };
      const { body, facts } = outcome;
      return { kind: 'done', body, message: 'introspected', facts: { ...facts, active: body.active } };
    });
  },
  { name: 'introspection-routes', encapsulate: true },
);
