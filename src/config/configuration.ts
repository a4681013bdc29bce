/** The configuration in force: policies by name, resources, sign-in, signing keys, declared clients. */
import type { BotCheckPolicy } from '../../policies/bot-check-schema.ts';
import type { ClaimsPolicy } from '../../policies/claims-schema.ts';
import { DEFAULT_POLICY, type DeclaredClientRecord } from '../../policies/client-schema.ts';
import type { LedgerPolicy } from '../../policies/ledger-schema.ts';
import type { Limits } from '../../policies/limits-schema.ts';
import type { MailsFile } from '../../policies/mails-schema.ts';
import type { OperatorsFile } from '../../policies/operators-schema.ts';
import type { Registration } from '../../policies/registration-schema.ts';
import type { Policy, Resource, SignInPolicy, SigningKeyPolicy } from '../../policies/schema.ts';
import type { DelegatedSignIn, UpstreamsFile } from '../../policies/upstreams-schema.ts';
import type { WebhooksFile } from '../../policies/webhooks-schema.ts';
import type { Client } from '../model/client.ts';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import type { Branding } from './branding.ts';

export type Configuration = {
  /** This is the configuration of a server that runs with NODE_ENV=production. */
  readonly production?: boolean;
  readonly policies: ReadonlyMap<string, Policy>;
  readonly resources: readonly Resource[];
  /** A resource of this server itself: the UserInfo Endpoint, with the scopes of OpenID Connect. */
  readonly identity: Resource;
  /** The other: the management API. Its scopes are only for who is in `operators`. */
  readonly management: Resource;
  /** The administrators of this server, with their scopes. */
  readonly operators: OperatorsFile;
  /** The username of the operator whom a set-up made, also in `operators`. Absent: none. */
  readonly operatorBySetUp?: string;
  /** The claims that each scope releases, besides the standard claims at the UserInfo Endpoint. */
  readonly claims: ClaimsPolicy;
  readonly signIn: SignInPolicy;
  readonly signingKeys: SigningKeyPolicy;
  /** Other OpenID Providers at which end-users may sign in. */
  readonly upstreams: UpstreamsFile['upstreams'];
  /** Delegated sign-in; null: not configured. */
  readonly delegatedSignIn: DelegatedSignIn | null;
  /** The challenge service of forms. Null: no form asks one. */
  readonly botCheck: BotCheckPolicy | null;
  /** The webhook endpoints, with their retry policy. */
  readonly webhooks: WebhooksFile;
  /** The clients that may introduce themselves. */
  readonly registration: Registration;
  /** How much a node takes on. */
  readonly limits: Limits;
  /** How long the ledger is kept. */
  readonly ledger: LedgerPolicy;
  /** How the pages show whose they are. */
  readonly branding: Branding;
  /** The team's own texts of mails. */
  readonly ownMails: MailsFile['mails'];
  readonly declaredClients: readonly DeclaredClient[];
  /** False: clients.yaml does not exist, which differs from a file that declares no client. */
  readonly hasClientsFile: boolean;
  /** The line of a key, or of its nearest ancestor, as it was read. Absent: the configuration comes from no files. */
  readonly lineOf?: (file: string, path: readonly (string | number)[]) => number | null;
};

/** With its place in the file, so that problems can name the line. */
export type DeclaredClient = {
  readonly record: DeclaredClientRecord;
  /** Dotted, as in problems. */
  readonly path: string;
  readonly lineOf: (field: string | null) => number | null;
};

export const CLIENTS_FILE = 'clients.yaml';
export const isDeclared = ({ declaredClients }: Configuration, clientId: string): boolean =>
  declaredClients.some(({ record }) => record.client_id === clientId);

export const RESOURCES_FILE = 'resources.yaml';
export const CLAIMS_FILE = 'claims.yaml';
export const SIGNING_KEYS_FILE = 'signing-keys.yaml';
export const LIMITS_FILE = 'limits.yaml';
export const LEDGER_FILE = 'ledger.yaml';
export const OPERATORS_FILE = 'operators.yaml';
/** An identity provider whose keys and mark this server knows. */
export type ProviderPreset = NonNullable<Configuration['upstreams'][number]['preset']>;

export const UPSTREAMS_FILE = 'upstreams.yaml';
export const DELEGATED_SIGN_IN_FILE = 'delegated-sign-in.yaml';
export const WEBHOOKS_FILE = 'webhooks.yaml';
export const BOT_CHECK_FILE = 'bot-check.yaml';
export const REGISTRATION_FILE = 'registration.yaml';

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

export const DEFAULT_ACCESS_TOKEN_ALGORITHM: SigningAlgorithm = 'ES256';

/** The algorithm that signs access tokens for the resource. */
export const signingAlgorithmOf = ({ accessTokenSigningAlgorithm }: Resource): SigningAlgorithm =>
  accessTokenSigningAlgorithm ?? DEFAULT_ACCESS_TOKEN_ALGORITHM;
