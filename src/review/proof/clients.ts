/** A client as walks begin with it. */
import type { Client } from '../../model/client.ts';
import { THE_CLIENT } from './identities.ts';

export const WEB_CLIENT: Client = {
  clientId: THE_CLIENT,
  clientName: 'Shop',
  consent: 'ask',
  applicationType: 'web',
  tokenEndpointAuthMethod: 'client_secret_basic',
  jwks: null,
  jwksUri: null,
  tokenEndpointAuthSigningAlg: null,
  secretMacs: [],
  redirectUris: ['https://client.example/callback'],
  grantTypes: ['authorization_code'],
  scope: null,
  defaultScope: null,
  defaultResource: null,
  policy: 'explored',
  postLogoutRedirectUris: [],
  dpopBoundAccessTokens: false,
  requirePushedAuthorizationRequests: false,
  idTokenSignedResponseAlg: 'RS256',
  logoUri: null,
  clientUri: null,
  initiateLoginUri: null,
  tosUri: null,
  policyUri: null,
  registeredBy: 'operator',
  epoch: 0n,
  deletedAt: null,
};
