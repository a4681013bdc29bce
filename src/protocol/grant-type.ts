/** What every grant type is: a way to read its parameters, and a way to apply them once the client is proven. */
import type { Configuration } from '../config/configuration.ts';
import type { Random } from '../crypto/random.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import type { KeyRing } from '../crypto/signing-keys.ts';
import type { GrantStore, LoadedGrant } from '../lifecycles/grant.ts';
import type { Client, TokenClient } from '../model/client.ts';
import type { Parameters } from '../oauth/parameters.ts';
import type { TokenReason } from '../oauth/refusals.ts';

export const TOKEN_PARAMETERS = [
  'grant_type',
  'client_id',
  'client_secret',
  'code',
  'code_verifier',
  'redirect_uri',
  'refresh_token',
  'scope',
  'resource',
] as const;
export type TokenParameters = Parameters<(typeof TOKEN_PARAMETERS)[number]>;

export type TokenDeps = {
  readonly issuer: string;
  readonly keys: RootKeys;
  readonly random: Random;
  readonly store: GrantStore;
  readonly keyRing: KeyRing;
  readonly configuration: () => Configuration;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Called when a secret was proven under a root secret that no longer makes: store it anew. */
  readonly renewSecretMac: (client: TokenClient, secretMacs: TokenClient['secretMacs']) => Promise<unknown>;
};

/** RFC 6749 §5.1; `scope` is always there. */
export type TokenResponse = {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** Seconds. */
  readonly expires_in: number;
  readonly refresh_token?: string;
  /** OpenID Connect Core §3.1.3.3. */
  readonly id_token?: string;
  readonly scope: string;
};

export type TokenOutcome = { readonly kind: 'issued'; readonly response: TokenResponse } | Refused;

export type Refused = {
  readonly kind: 'refused';
  readonly reason: TokenReason;
  /** The parameter that it is about; never a value. */
  readonly parameter?: string;
  /** The whole chain ended with this answer. */
  readonly revoked?: boolean;
};

export const refuse = (reason: TokenReason, parameter?: string): Refused =>
  parameter === undefined ? { kind: 'refused', reason } : { kind: 'refused', reason, parameter };

/** The client has authenticated; the grant is what the credential names, if that is stored. */
export type ProvenRequest = LoadedGrant & { readonly client: TokenClient };
/** The same of a request that names no grant. */
export type ProvenClient = { readonly now: Date; readonly client: Client };

/** Parsed: which grant to load, and what to do with it. */
export type ParsedGrant =
  | {
      readonly grantId: string;
      readonly apply: (deps: TokenDeps, request: ProvenRequest) => Promise<TokenOutcome>;
    }
  | {
      readonly grantId: null;
      readonly apply: (deps: TokenDeps, request: ProvenClient) => Promise<TokenOutcome>;
    };

export type GrantType = {
  readonly name: string;
  /** Pure: no state is read, nothing is changed. */
  readonly parse: (parameters: TokenParameters, keys: RootKeys) => ParsedGrant | Refused;
};
