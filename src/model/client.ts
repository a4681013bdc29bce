/** A registered client: RFC 7591 metadata in camelCase, and what this server keeps beside it. */
import type { SigningAlgorithm } from './signing-key.ts';

export type Client = {
  readonly clientId: string;
  readonly clientName: string;
  readonly applicationType: 'web' | 'native';
  readonly tokenEndpointAuthMethod: 'none' | 'client_secret_basic' | 'client_secret_post';
  readonly secretMacs: readonly { readonly keyId: string; readonly mac: string; readonly short?: true }[];
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly string[];
  readonly scope: readonly string[] | null;
  readonly defaultScope: readonly string[] | null;
  readonly defaultResource: string | null;
  readonly policy: string;
  readonly postLogoutRedirectUris: readonly string[];
  readonly idTokenSignedResponseAlg: SigningAlgorithm;
  readonly epoch: bigint;
  readonly deletedAt: Date | null;
};

/** What a token request reads of a client: every column costs at each rotation. */
export type TokenClient = Pick<
  Client,
  | 'clientId'
  | 'tokenEndpointAuthMethod'
  | 'secretMacs'
  | 'grantTypes'
  | 'policy'
  | 'idTokenSignedResponseAlg'
  | 'epoch'
  | 'deletedAt'
>;
