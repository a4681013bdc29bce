/** The configuration that is in force: policies by name, resources, sign-in. */
import { DEFAULT_POLICY, type DeclaredClientRecord } from '../../policies/client-schema.ts';
import type { Policy, Resource, SignInPolicy, SigningKeyPolicy } from '../../policies/schema.ts';
import type { Client } from '../model/client.ts';

export type Configuration = {
  readonly policies: ReadonlyMap<string, Policy>;
  readonly resources: readonly Resource[];
  /** The one resource that this server itself guards: the UserInfo Endpoint, with the scopes of OpenID Connect. */
  readonly identity: Resource;
  readonly signIn: SignInPolicy;
  readonly signingKeys: SigningKeyPolicy;
  readonly declaredClients: readonly DeclaredClient[];
  /** False: there is no such file, which is not the same as a file that declares no client. */
  readonly hasClientsFile: boolean;
};

/** With where it stands, so that what is wrong with it can be said with its line. */
export type DeclaredClient = {
  readonly record: DeclaredClientRecord;
  /** Dotted, as in problems. */
  readonly path: string;
  readonly lineOf: (field: string | null) => number | null;
};

export const CLIENTS_FILE = 'clients.yaml';
export const SIGNING_KEYS_FILE = 'signing-keys.yaml';

export { DEFAULT_POLICY };

export type NamedPolicy = Policy & { readonly name: string };

/** @throws Error when the client names a policy that no file defines. */
export function policyOf(configuration: Configuration, client: Pick<Client, 'clientId' | 'policy'>): NamedPolicy {
  const policy = configuration.policies.get(client.policy);
  if (!policy) {
    throw new Error(`The client ${client.clientId} names the policy "${client.policy}", which no file defines.`);
  }
  return { name: client.policy, ...policy };
}
