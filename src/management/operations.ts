/**
 * Every operation of the API: its address, its method, and its scope. The router and the guard need no more. The files in `resources/`
 * are loaded for the first request that the guard admits.
 */
import type { Scope } from './scopes.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type Scopes = Readonly<Partial<Record<Method, Scope | null>>>;

/** Addresses are below that of the API, in the order of the reference. A scope of null: any access token for the API. */
export const OPERATIONS = {
  '/': { GET: null },
  '/status': { GET: 'configuration:read' },
  '/alarms': { GET: 'configuration:read' },
  '/statistics': { GET: 'configuration:read' },
  '/clients': { GET: 'clients:read', POST: 'clients:write' },
  '/clients/{client_id}': {
    GET: 'clients:read',
    PUT: 'clients:write',
    PATCH: 'clients:write',
    DELETE: 'clients:write',
  },
  '/clients/{client_id}/consequences': { GET: 'clients:read' },
  '/clients/{client_id}/secrets': { GET: 'clients:read', POST: 'clients:write' },
  '/clients/{client_id}/secrets/{secret_id}': { GET: 'clients:read', DELETE: 'clients:write' },
  '/clients/{client_id}/keys': { GET: 'clients:read' },
  '/users': { GET: 'users:read', POST: 'users:write' },
  '/users/{sub}': { GET: 'users:read', PUT: 'users:write', PATCH: 'users:write', DELETE: 'users:write' },
  '/users/{sub}/consequences': { GET: 'users:read' },
  '/users/{sub}/grants': { GET: 'grants:read' },
  '/users/{sub}/sessions': { GET: 'sessions:read' },
  '/user-imports': { GET: 'users:read', POST: 'users:write' },
  '/invitations': { GET: 'users:read', POST: 'users:write' },
  '/invitations/{invitation_id}': { GET: 'users:read', DELETE: 'users:write' },
  '/users/{sub}/linked-identities': { GET: 'users:read' },
  '/users/{sub}/linked-identities/{identity_id}': { GET: 'users:read', DELETE: 'users:write' },
  '/users/{sub}/passkeys': { GET: 'users:read' },
  '/users/{sub}/passkeys/{passkey_id}': { GET: 'users:read', DELETE: 'users:write' },
  '/users/{sub}/trusted-browsers': { GET: 'sessions:read', DELETE: 'sessions:end' },
  '/users/{sub}/trusted-browsers/{trust_id}': { GET: 'sessions:read', DELETE: 'sessions:end' },
  '/users/{sub}/second-factor': { GET: 'users:read', DELETE: 'users:write' },
  '/users/{sub}/mailed-links': { POST: 'users:write' },
  '/grants': { GET: 'grants:read' },
  '/grants/{grant_id}': { GET: 'grants:read', DELETE: 'grants:revoke' },
  '/grants/{grant_id}/transitions': { GET: 'grants:read' },
  '/explanations': { POST: 'grants:read' },
  '/sessions': { GET: 'sessions:read' },
  '/sessions/{sid}': { GET: 'sessions:read', DELETE: 'sessions:end' },
  '/sign-ins/{reference}': { GET: 'sign-ins:answer' },
  '/sign-ins/{reference}/answer': { PUT: 'sign-ins:answer' },
  '/signing-keys': { GET: 'keys:read' },
  '/signing-keys/{kid}': { GET: 'keys:read', DELETE: 'keys:revoke' },
  '/signing-keys/{alg}/rotations': { POST: 'keys:rotate' },
  '/webhook-receivers': { GET: 'webhooks:read' },
  '/webhook-receivers/{receiver}': { GET: 'webhooks:read' },
  '/webhook-receivers/{receiver}/tests': { POST: 'webhooks:send' },
  '/webhook-receivers/{receiver}/pause': { PUT: 'webhooks:send', DELETE: 'webhooks:send' },
  '/webhook-receivers/{receiver}/redeliveries': { POST: 'webhooks:send' },
  '/webhook-deliveries': { GET: 'webhooks:read' },
  '/webhook-deliveries/{delivery_id}': { GET: 'webhooks:read' },
  '/webhook-deliveries/{delivery_id}/repetitions': { POST: 'webhooks:send' },
  '/batches': { POST: null },
  '/webhook-deliveries/{delivery_id}/attempts': { GET: 'webhooks:read' },
  '/mails': { GET: 'configuration:read' },
  '/mails/{kind}': { GET: 'configuration:read' },
  '/mails/{kind}/tests': { POST: 'mails:send' },
  '/transitions': { GET: 'ledger:read' },
  '/transition-kinds': { GET: 'ledger:read' },
  '/ledger-verifications': { POST: 'ledger:read' },
  '/machines': { GET: 'configuration:read' },
  '/machines/{name}': { GET: 'configuration:read' },
  '/machines/{name}/picture': { GET: 'configuration:read' },
  '/policies': { GET: 'configuration:read' },
  '/policies/{name}': { GET: 'configuration:read' },
  '/resources': { GET: 'configuration:read' },
  '/settings': { GET: 'configuration:read' },
  '/secrets': { GET: 'configuration:read' },
  '/secrets/{secret_name}': { GET: 'configuration:read', PUT: 'secrets:write', DELETE: 'secrets:write' },
  '/policy-files': { GET: 'configuration:read' },
  '/policy-files/{file}': { GET: 'configuration:read' },
  '/backtests': { POST: 'configuration:read' },
} as const satisfies Readonly<Record<`/${string}`, Scopes>>;

/** Bytes of a body. Absent: as everywhere. */
export const MAX_BODY_BYTES: Readonly<Partial<Record<Address, number>>> = { '/batches': 1_048_576 };

export type Address = keyof typeof OPERATIONS;

export const ADDRESSES = Object.keys(OPERATIONS) as readonly Address[];

export const methodsAt = (address: Address): readonly Method[] => Object.keys(OPERATIONS[address]) as Method[];

export function scopesOf(address: Address, method: Method): readonly Scope[] {
  const scopes: Scopes = OPERATIONS[address];
  const scope = scopes[method] ?? null;
  return scope === null ? [] : [scope];
}
