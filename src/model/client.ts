/** A registered client: the fields of its record (policies/client-schema.ts) in camelCase, and the columns that this server adds. */
import type { ClientRecord, NOT_STORED } from '../../policies/client-schema.ts';
import { isMeantAsUrl, originOf } from '../oauth/client-id-url.ts';
import { isOneOf, KEY_METHODS, SECRET_METHODS, WORKLOAD_METHOD } from '../oauth/client-methods.ts';

export type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** Null: the record leaves the field out. Lists are widened to strings, since the server searches them for the values of a request. */
type Stored<Value> = undefined extends Value
  ? Stored<Exclude<Value, undefined>> | null
  : Value extends readonly string[]
    ? readonly string[]
    : Value;

export type ClientMetadata = {
  readonly [Name in Exclude<keyof ClientRecord, keyof typeof NOT_STORED> as CamelCase<Name>]-?: Stored<
    ClientRecord[Name]
  >;
};

/** A live secret as it is stored. `short`: for a warning, since the secret itself cannot be seen. */
export type SecretMac = {
  readonly keyId: string;
  readonly mac: string;
  readonly short?: true;
  /** Names the secret, for its removal. Absent: the client was registered with it. */
  readonly id?: string;
  /** ISO 8601. */
  readonly createdAt?: string;
};

export type Client = ClientMetadata & {
  readonly clientId: string;
  readonly clientName: string;
  /** HMACs of the SHA-256 of each live secret, with the id of the root secret that made them. */
  readonly secretMacs: readonly SecretMac[];
  /**
   * The registrant. `operator`: its redirect URIs are vetted. `self`: it registered itself, so the server does not redirect to it
   * before the end-user has acted (RFC 9700 §4.11.2).
   */
  readonly registeredBy: 'operator' | 'self';
  readonly epoch: bigint;
  readonly deletedAt: Date | null;
};

/** A client as it is registered: without the columns that the server adds. */
export type ClientRegistration = Omit<Client, 'registeredBy' | 'epoch' | 'deletedAt'>;

/** `declared`: configuration declares it, and it is changed there only. */
export type RegisteredClient = Client & { readonly declared: boolean };

/** The columns of a client that a token request needs: every column costs time at each rotation. */
export type TokenClient = Pick<
  Client,
  | 'clientId'
  | 'tokenEndpointAuthMethod'
  | 'secretMacs'
  | 'grantTypes'
  | 'scope'
  | 'policy'
  | 'idTokenSignedResponseAlg'
  | 'dpopBoundAccessTokens'
  | 'tlsClientCertificateBoundAccessTokens'
  | 'epoch'
  | 'deletedAt'
>;

/** The client authenticates with a key of its own, which the server cannot use. */
export const provesKey = ({ tokenEndpointAuthMethod: method }: Pick<Client, 'tokenEndpointAuthMethod'>): boolean =>
  isOneOf(KEY_METHODS, method);

/** The server knows public keys of the client itself, or where it publishes them. Those of a workload are its platform's. */
export const hasKeys = ({
  tokenEndpointAuthMethod: method,
  jwks,
  jwksUri,
}: Pick<Client, 'tokenEndpointAuthMethod' | 'jwks' | 'jwksUri'>): boolean =>
  method !== WORKLOAD_METHOD && (jwks !== null || jwksUri !== null);

/** The client authenticates with a secret that it shares with the server. */
export const hasSecret = ({ tokenEndpointAuthMethod: method }: Pick<Client, 'tokenEndpointAuthMethod'>): boolean =>
  isOneOf(SECRET_METHODS, method);

type Introduced = Pick<Client, 'clientId' | 'registeredBy'>;

/** How a client introduced itself, as registration.yaml names it. Null: an operator registered the client. */
export function introductionOf({
  registeredBy,
  clientId,
}: Introduced): 'metadataDocuments' | 'dynamicRegistration' | null {
  if (registeredBy === 'operator') return null;
  return isMeantAsUrl(clientId) ? 'metadataDocuments' : 'dynamicRegistration';
}

/** The origin of the document by which a client introduced itself. Null: there is none. */
export const documentOriginOf = (client: Introduced): string | null =>
  introductionOf(client) === 'metadataDocuments' ? originOf(client.clientId) : null;
