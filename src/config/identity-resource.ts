/** What OpenID Connect adds to the configured resources: the UserInfo Endpoint and its scopes. */
import type { Resource } from '../../policies/schema.ts';
import { urlUnder } from '../oauth/urls.ts';

/** OpenID Connect Core §5.4, with the texts for consent. */
export const identityResource = (issuer: string): Resource => ({
  identifier: urlUnder(issuer, '/oauth/userinfo'),
  name: 'Your identity',
  scopes: [
    { name: 'openid', description: 'know that it is you' },
    { name: 'profile', description: 'see your name and profile' },
    { name: 'email', description: 'see your email address' },
    { name: 'address', description: 'see your postal address' },
    { name: 'phone', description: 'see your phone number' },
  ],
});
