/** POST /oauth/token: HTTP around src/protocol/token-request.ts. */
import fp from 'fastify-plugin';
import type { TokenDeps } from '../protocol/grant-type.ts';
import { handleTokenRequest } from '../protocol/token-request.ts';
import { repeatedRequests } from '../system/observed.ts';
import { type CertificateOptions, certificatesOf } from './client-certificate.ts';
import { clientEndpoint } from './client-endpoint.ts';
import { type CrossOriginOptions, crossOrigin } from './cross-origin.ts';

export type TokenRoutesOptions = TokenDeps & CrossOriginOptions & CertificateOptions;

export const tokenRoutes = fp<TokenRoutesOptions>(
  async (app, options) => {
    const certificateOf = certificatesOf(options);
    const endpoint = {
      ...{ url: '/oauth/token', mayBeRepeated: false },
      ...{ certificateOf, crossOrigin: crossOrigin(options, ['POST']) },
    };
    clientEndpoint(app, endpoint, async (sender, form) => {
      const { outcome, ...told } = await handleTokenRequest(options, sender, form);
      if (outcome.kind === 'refused') {
        if (told.facts.repeated) repeatedRequests.publish(() => ({ reason: outcome.reason }));
        return { ...told, kind: 'refused', refused: outcome };
      }
      const { response } = outcome;
      const facts = { ...told.facts, scope: response.scope };
      return { ...told, kind: 'done', body: response, message: 'issued', facts };
    });
  },
  { name: 'token-routes', encapsulate: true },
);
