/** POST /oauth/revoke: HTTP around src/protocol/revocation-request.ts. */
import fp from 'fastify-plugin';
import { handleRevocationRequest } from '../protocol/revocation-request.ts';
import type { SentTokenDeps } from '../protocol/sent-token.ts';
import { type CertificateOptions, certificatesOf } from './client-certificate.ts';
import { clientEndpoint } from './client-endpoint.ts';
import { type CrossOriginOptions, crossOrigin } from './cross-origin.ts';

export type RevocationRoutesOptions = SentTokenDeps & CrossOriginOptions & CertificateOptions;

export const revocationRoutes = fp<RevocationRoutesOptions>(
  async (app, options) => {
    const certificateOf = certificatesOf(options);
    const endpoint = {
      ...{ url: '/oauth/revoke', mayBeRepeated: true },
      ...{ certificateOf, crossOrigin: crossOrigin(options, ['POST']) },
    };
    clientEndpoint(app, endpoint, async (sender, form) => {
      const outcome = await handleRevocationRequest(options, sender, form);
      if (outcome.kind === 'refused') return { ...outcome, facts: { clientId: outcome.clientId } };
      // RFC 7009 §2.2: the client ignores the content of the response body; some clients insist on JSON.
      return { kind: 'done', body: {}, message: 'revoked', facts: outcome.facts };
    });
  },
  { name: 'revocation-routes', encapsulate: true },
);
