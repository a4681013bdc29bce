/** A grant type parses its parameters, and applies them after the client has authenticated. */
import type { ClientCertificates } from '../config/client-certificates.ts';
import type { Configuration } from '../config/configuration.ts';
import type { Random } from '../crypto/random.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import type { KeyRing } from '../crypto/signing-keys.ts';
import type { GrantStore, LoadedGrant } from '../lifecycles/grant/lifecycle.ts';
import type { Client, TokenClient } from '../model/client.ts';
import type { Presenter } from '../model/ledger.ts';
import type { Proof } from '../model/proof.ts';
import type { Parameters } from '../oauth/parameters.ts';
import type { TokenReason } from '../oauth/refusals.ts';
import type { RateLimit } from '../system/rate-limit.ts';
import type { ClientThrottle } from './client-throttle.ts';
import type { ProofDeps } from './dpop.ts';
import type { EndedChains } from './ended-chains.ts';
import type { PublishedKeys } from './published-keys.ts';

/** Of every endpoint where clients authenticate. */
export const CLIENT_PARAMETERS = ['client_id', 'client_secret', 'client_assertion', 'client_assertion_type'] as const;

export const TOKEN_PARAMETERS = [
  'grant_type',
  ...CLIENT_PARAMETERS,
  'code',
  'code_verifier',
  'redirect_uri',
  'refresh_token',
  'scope',
  'resource',
] as const;
export type TokenParameters = Parameters<(typeof TOKEN_PARAMETERS)[number]>;

/** The facts about a request that the log may contain besides its outcome. Ids only when this server made them. */
export type TokenRequestFacts = {
  readonly grantType: string | null;
  readonly clientId: string | null;
  readonly grantId: string | null;
  /** The problem with the certificate to which the access token would be bound. Absent: none. */
  readonly certificate?: string;
  /** The answer came from memory: the same request had come before, and its chain had ended. */
  readonly repeated?: true;
};

export type TokenDeps = ProofDeps & {
  readonly keys: RootKeys;
  readonly random: Random;
  readonly store: GrantStore;
  readonly keyRing: KeyRing;
  readonly configuration: () => Configuration;
  /** Stores a right client secret again, under the current root secret, when an old root secret protects it. */
  readonly renewSecretMac: (client: TokenClient, secretMacs: TokenClient['secretMacs']) => Promise<unknown>;
  readonly clientThrottle: ClientThrottle;
  readonly publishedKeys: Pick<PublishedKeys, 'at'>;
  readonly clientCertificates?: ClientCertificates | null;
  readonly endedChains: EndedChains<TokenRequestFacts>;
  readonly tokenRates: { readonly client: RateLimit; readonly address: RateLimit };
  /** By `sub`. Null: the end-user was not found. Called only for grants of the management API. */
  readonly usernameOf: (userId: string) => Promise<string | null>;
};

/** RFC 6749 §5.1. `scope` is always present. */
export type TokenResponse = {
  readonly access_token: string;
  readonly token_type: 'Bearer' | 'DPoP';
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
  /** The parameter's name, never a value. */
  readonly parameter?: string;
  /** The scope that caused the error, as sent: a scope token, shortened if it is long. */
  readonly scope?: string;
  /** The server revoked the whole chain. */
  readonly revoked?: boolean;
  /** Only with `client_throttled`. */
  readonly retryAfterSeconds?: number;
  /** For the log alone: the stored client that the request names, and that did not authenticate. */
  readonly claimedClientId?: string;
};

export const refuse = (reason: TokenReason, parameter?: string): Refused =>
  parameter === undefined ? { kind: 'refused', reason } : { kind: 'refused', reason, parameter };

/** The client is authenticated. The grant is the one that the credential names, if it is stored. */
export type AuthenticatedRequest = LoadedGrant & { readonly client: TokenClient };
/** The client is authenticated. The request names no grant. */
export type AuthenticatedClient = { readonly now: Date; readonly client: Client };

/** Beside the form. */
export type SentAlong = { readonly presenter: () => Presenter; readonly proof: Proof };

/** A parsed request: the grant to load, and the function that applies the request to it. */
export type ParsedGrant =
  | {
      readonly grantId: string;
      readonly apply: (deps: TokenDeps, request: AuthenticatedRequest, sent: SentAlong) => Promise<TokenOutcome>;
    }
  | {
      readonly grantId: null;
      readonly apply: (deps: TokenDeps, request: AuthenticatedClient, sent: SentAlong) => Promise<TokenOutcome>;
    };

export type GrantType = {
  readonly name: string;
  /** Pure: reads no state and changes none. */
  readonly parse: (parameters: TokenParameters, keys: RootKeys) => ParsedGrant | Refused;
};
