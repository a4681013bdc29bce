/** The management API of this server, as a resource like any other. The server defines it, not resources.yaml. */
import type { Resource } from '../../policies/schema.ts';
import { urlUnder } from '../oauth/urls.ts';

/** With the texts for consent. A scope that ends in `:read` allows no changes. */
export const MANAGEMENT_SCOPES = [
  { name: 'clients:read', description: 'see the clients of this server' },
  { name: 'clients:write', description: 'register, change and delete clients' },
  { name: 'users:read', description: 'see the end-users of this server' },
  { name: 'users:write', description: 'create, change, disable and delete end-users, and set their passwords' },
  { name: 'grants:read', description: 'see what end-users have allowed clients' },
  { name: 'grants:revoke', description: 'revoke what end-users have allowed clients' },
  { name: 'sessions:read', description: 'see who is signed in' },
  { name: 'sessions:end', description: 'sign end-users out' },
  { name: 'sign-ins:answer', description: 'say who signed in, for the sign-in of your own application' },
  { name: 'keys:read', description: 'see the signing keys, without their secrets' },
  { name: 'keys:rotate', description: 'replace signing keys' },
  { name: 'keys:revoke', description: 'revoke signing keys' },
  { name: 'webhooks:read', description: 'see which events were sent to other systems' },
  { name: 'webhooks:send', description: 'send events to other systems again, and test events' },
  { name: 'mails:send', description: 'send test mails to your own address' },
  { name: 'secrets:write', description: 'set and remove the secrets that the configuration names' },
  { name: 'ledger:read', description: 'read the ledger of everything that was decided' },
  { name: 'configuration:read', description: 'see the configuration and the state of this server' },
] as const satisfies Resource['scopes'];

export const MANAGEMENT_SCOPE_NAMES: readonly string[] = MANAGEMENT_SCOPES.map(({ name }) => name);

export const managementResource = (issuer: string): Resource => ({
  identifier: urlUnder(issuer, '/management/v1'),
  name: 'Administration of this server',
  // A token that administers is for nothing else.
  userInfo: false,
  scopes: [...MANAGEMENT_SCOPES],
});
