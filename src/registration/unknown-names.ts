/** Names that nothing has, between the configuration and the registered clients. Each is accepted, and means nothing. */
import type { Configuration } from '../config/configuration.ts';
import { printable } from '../config/shown.ts';
import type { ClientMetadata } from '../model/client.ts';
import { reviewScopes } from './client-review.ts';

/** The clients that `introspectedBy` names, in resources.yaml. */
export const introspectorsIn = ({ resources }: Pick<Configuration, 'resources'>): readonly string[] => [
  ...new Set(resources.flatMap(({ introspectedBy = [] }) => introspectedBy)),
];

type Known = Pick<ClientMetadata, 'tokenEndpointAuthMethod'> & { readonly clientId: string };

/** Until such a client exists and has a secret, its API learns nothing about any token (RFC 7662 §2.1, §2.2). */
export const introspectorWarnings = ({ resources }: Configuration, known: readonly Known[]): string[] =>
  resources.flatMap(({ identifier, introspectedBy = [] }) =>
    introspectedBy.flatMap((id) => {
      const client = known.find(({ clientId }) => clientId === id);
      const named = `resource ${identifier}: introspectedBy names the client "${printable(id)}"`;
      if (!client) return [`${named}, which does not exist: register it with this id, with a secret`];
      if (client.tokenEndpointAuthMethod !== 'none') return [];
      return [`${named}, which is a public client: only a client with a secret may introspect`];
    }),
  );

type Scoped = Pick<ClientMetadata, 'scope'> & { readonly clientId: string };

/** Of registered clients, each with its name in front. */
export const scopeWarnings = (configuration: Configuration, clients: readonly Scoped[]): string[] =>
  clients.flatMap(({ clientId, scope }) =>
    reviewScopes(scope, configuration).map((words) => `client ${printable(clientId)}: ${words}`),
  );
