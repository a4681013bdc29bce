/** A client, for people to read. */
import type { Client } from '../model/client.ts';
import { toNames } from '../registration/client-metadata.ts';
import type { CheckedClient } from './effective-policy.ts';

/** For machines: the names of RFC 7591, and how many secrets are stored, never which. */
export const clientDocument = (client: CheckedClient): Record<string, unknown> => ({
  ...toNames(client),
  stored_secrets: client.secrets,
});

export const withoutSecrets = ({ secretMacs, ...client }: Client): CheckedClient => ({
  ...client,
  secrets: secretMacs.length,
});

export function authenticationWords({ tokenEndpointAuthMethod, secrets }: CheckedClient): string {
  if (tokenEndpointAuthMethod === 'none') return 'none (public client)';
  return `${tokenEndpointAuthMethod}, ${secrets === 1 ? '1 secret' : `${secrets} secrets`} (never shown)`;
}

export const scopeWords = (scope: readonly string[] | null): string =>
  scope === null ? 'all scopes of the resources' : scope.join(' ');

/** Names in one column, values in the other; a value of several lines stays in its column. */
export function fields(rows: readonly (readonly [name: string, values: string | readonly string[]])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.flatMap(([name, values]) => {
    const [first = '(none)', ...rest] = typeof values === 'string' ? [values] : values;
    return [`  ${name.padEnd(width)}  ${first}\n`, ...rest.map((one) => `  ${' '.repeat(width)}  ${one}\n`)];
  });
  return lines.join('');
}
