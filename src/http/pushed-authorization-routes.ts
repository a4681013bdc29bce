/** POST /oauth/par: HTTP around src/protocol/pushed-authorization.ts. */
import fp from 'fastify-plugin';
import { handlePushedAuthorization, type PushedAuthorizationDeps } from '../protocol/pushed-authorization.ts';
import { type CertificateOptions, certificatesOf } from './client-certificate.ts';
import { clientEndpoint } from './client-endpoint.ts';
import { type CrossOriginOptions, crossOrigin } from './cross-origin.ts';

export type PushedAuthorizationRoutesOptions = PushedAuthorizationDeps & CrossOriginOptions & CertificateOptions;

export const pushedAuthorizationRoutes = fp<PushedAuthorizationRoutesOptions>(
  async (app, options) => {
    const certificateOf = certificatesOf(options);
    const endpoint = {
      ...{ url: '/oauth/par', mayBeRepeated: true },
      ...{ certificateOf, crossOrigin: crossOrigin(options, ['POST']) },
    };
    clientEndpoint(app, endpoint, async (sender, form) => {
      const { outcome, ...told } = await handlePushedAuthorization(options, sender, form);
      switch (outcome.kind) {
        case 'refused':
          return { ...told, kind: 'refused', refused: outcome };
        case 'invalid': {
          const { kind, error, description, ...more } = outcome;
          return { ...told, kind, error, description, facts: { ...told.facts, ...more } };
        }
        case 'stored': {
          const facts = { ...told.facts, interactionId: outcome.interactionId };
          return { ...told, kind: 'done', status: 201, body: outcome.response, message: 'pushed', facts };
        }
      }
    });
  },
  { name: 'pushed-authorization-routes', encapsulate: true },
);
