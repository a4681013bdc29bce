/** The resource that OpenID Connect adds to the configured ones: the UserInfo Endpoint and its scopes. */
import type { ClaimsPolicy } from '../../policies/claims-schema.ts';
import type { Resource } from '../../policies/schema.ts';
import { urlUnder } from '../oauth/urls.ts';

/** OpenID Connect Core §5.4, with the texts for consent, and the scopes that claims.yaml describes. */
export const identityResource = (issuer: string, claims: ClaimsPolicy): Resource => ({
  identifier: urlUnder(issuer, '/oauth/userinfo'),
  name: 'Your identity',
  scopes: [...STANDARD_SCOPES, ...claims.scopes.flatMap(described)],
});

/** With the texts for consent. */
export const STANDARD_SCOPES: Resource['scopes'] = [
  { name: 'openid', description: 'know that it is you' },
  { name: 'profile', description: 'see your name and profile' },
  { name: 'email', description: 'see your email address' },
  { name: 'address', description: 'see your postal address' },
  { name: 'phone', description: 'see your phone number' },
];

const described = ({ name, description }: ClaimsPolicy['scopes'][number]): Resource['scopes'] =>
  description === undefined ? [] : [{ name, description }];
