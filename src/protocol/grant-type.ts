/** A grant type reads its parameters, and applies them when the client is authenticated. */
import type { Configuration } from '../config/configuration.ts';
import type { Random } from '../crypto/random.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import type { KeyRing } from '../crypto/signing-keys.ts';
import type { GrantStore, LoadedGrant } from '../lifecycles/grant/lifecycle.ts';
import type { Client, TokenClient } from '../model/client.ts';
import type { Presenter } from '../model/ledger.ts';
import type { Parameters } from '../oauth/parameters.ts';
import type { TokenReason } from '../oauth/refusals.ts';
import type { RateLimit } from '../system/rate-limit.ts';
import type { ClientThrottle } from './client-throttle.ts';

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
  /** Stores a client secret that was right, but stored under an old root secret, under the root secret of today. */
  readonly renewSecretMac: (client: TokenClient, secretMacs: TokenClient['secretMacs']) => Promise<unknown>;
  readonly clientThrottle: ClientThrottle;
  readonly tokenRates: { readonly client: RateLimit; readonly address: RateLimit };
  /** By `sub`; null: there is no such end-user. Asked only for grants of the management API. */
  readonly usernameOf: (userId: string) => Promise<string | null>;
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
  /** The parameter's name; never a value. */
  readonly parameter?: string;
  /** The scope that is to blame, as it was sent: a scope token, shortened where it is long. */
  readonly scope?: string;
  /** The whole chain was revoked. */
  readonly revoked?: boolean;
  /** Only with `client_throttled`. */
  readonly retryAfterSeconds?: number;
};

export const refuse = (reason: TokenReason, parameter?: string): Refused =>
  parameter === undefined ? { kind: 'refused', reason } : { kind: 'refused', reason, parameter };

/** The client is authenticated; the grant is what the credential names, if it is stored. */
export type AuthenticatedRequest = LoadedGrant & { readonly client: TokenClient };
/** The client is authenticated; the request names no grant. */
export type AuthenticatedClient = { readonly now: Date; readonly client: Client };

/** Parsed: which grant to load, and what to do with it. */
export type ParsedGrant =
  | {
      readonly grantId: string;
      readonly apply: (
        deps: TokenDeps,
        request: AuthenticatedRequest,
        presenter: () => Presenter,
      ) => Promise<TokenOutcome>;
    }
  | {
      readonly grantId: null;
      readonly apply: (deps: TokenDeps, request: AuthenticatedClient) => Promise<TokenOutcome>;
    };

export type GrantType = {
  readonly name: string;
  /** Pure: no state is read, nothing is changed. */
  readonly parse: (parameters: TokenParameters, keys: RootKeys) => ParsedGrant | Refused;
};
