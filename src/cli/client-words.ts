/** A client as text for people. */
import { printable } from '../config/shown.ts';
import { CLIENT_FIELDS, recordOf, toNames } from '../registration/client-metadata.ts';
import type { CheckedClient } from './effective-policy.ts';

/** For `--json`: the names of RFC 7591, and the number of stored secrets, never a secret. */
export const clientDocument = (client: CheckedClient): Record<string, unknown> => ({
  ...toNames(client),
  stored_secrets: client.secrets,
});

export function authenticationWords({ tokenEndpointAuthMethod, secrets }: CheckedClient): string {
  if (tokenEndpointAuthMethod === 'none') return 'none (public client)';
  const own = WITHOUT_SECRET[tokenEndpointAuthMethod];
  if (own !== undefined) return `${tokenEndpointAuthMethod}, ${own} (no secret)`;
  return `${tokenEndpointAuthMethod}, ${secrets === 1 ? '1 secret' : `${secrets} secrets`} (never shown)`;
}

const WITHOUT_SECRET: Readonly<Record<string, string | undefined>> = {
  private_key_jwt: 'with a key of its own',
  tls_client_auth: 'with a TLS certificate of an authority',
  self_signed_tls_client_auth: 'with a TLS certificate of its own',
  workload_jwt: 'with the token of its workload',
};

/** A row for each stored field except the id; an unset field shows its default. */
export function clientRows(client: CheckedClient): [name: string, values: string | readonly string[]][] {
  const written: ReadonlyMap<string, unknown> = recordOf(client);
  return CLIENT_FIELDS.filter(({ name }) => written.has(name) && name !== 'client_id').map(({ name, words }) => {
    const value = (written.get(name) ?? words.leftOut ?? '(none)') as string | readonly string[];
    const shown = WORDS[name]?.(client) ?? value;
    return [
      words.label ?? name.replaceAll('_', ' '),
      typeof shown === 'string' ? printable(shown) : shown.map(printable),
    ];
  });
}

/** For fields whose value alone says too little. */
const WORDS: Readonly<Partial<Record<string, (client: CheckedClient) => string | readonly string[] | undefined>>> = {
  token_endpoint_auth_method: authenticationWords,
  jwks: ({ jwks, jwksUri }) => jwks?.keys.map(keyWords) ?? (jwksUri === null ? '(none)' : undefined),
  dpop_bound_access_tokens: ({ dpopBoundAccessTokens }) =>
    dpopBoundAccessTokens ? 'always, with a proof of its key' : 'where it proves a key',
  require_pushed_authorization_requests: ({ requirePushedAuthorizationRequests }) =>
    requirePushedAuthorizationRequests ? 'always pushed' : 'pushed, or sent with the browser',
  require_signed_request_object: ({ requireSignedRequestObject }) =>
    requireSignedRequestObject ? 'always' : 'where it signs one',
  tls_client_certificate_bound_access_tokens: ({ tlsClientCertificateBoundAccessTokens }) =>
    tlsClientCertificateBoundAccessTokens ? 'always' : 'never',
  id_token_signed_response_alg: ({ idTokenSignedResponseAlg }) => `signed with ${idTokenSignedResponseAlg}`,
};

type Key = NonNullable<CheckedClient['jwks']>['keys'][number];
const keyWords = ({ kty, crv, kid }: Pick<Key, 'kty' | 'crv' | 'kid'>): string =>
  `${kid ?? '(no kid)'}: ${[kty, crv].filter(Boolean).join(' ')}`;

type FetchedKeys = {
  readonly fetched_at: string | null;
  readonly problem: string | null;
  readonly keys: readonly Pick<Key, 'kty' | 'crv' | 'kid'>[];
};

/** The last fetch of the keys at `jwks_uri`, by the server that answers. */
export const fetchedRows = ({ fetched_at: at, problem, keys }: FetchedKeys): [string, string | readonly string[]][] => [
  ['keys fetched', at ?? 'never, by the server that answers'],
  ...(keys.length > 0 ? [['fetched keys', keys.map(keyWords)] as [string, readonly string[]]] : []),
  ...(problem === null ? [] : [['last fetch failed', problem] as [string, string]]),
];

export const scopeWords = (scope: readonly string[] | null): string =>
  scope === null ? 'all scopes of the resources' : scope.join(' ');

/** Names in one column, values in the other; a value of several lines stays in its column. */
export function fields(rows: readonly (readonly [name: string, values: string | readonly string[]])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.flatMap(([name, values]) => {
    const [first = '(none)', ...rest] = typeof values === 'string' ? [values] : values;
    return [`  ${name.padEnd(width)}  ${first}\n`, ...rest.map((value) => `  ${' '.repeat(width)}  ${value}\n`)];
  });
  return lines.join('');
}
