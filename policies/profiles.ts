/**
 * The profiles that a policy can name, and their rules for it and for its clients. One table: the schema of policies, the
 * registration, each request, `statehouse check` and docs/fapi.md follow it.
 */
import { isOneOf, KEY_METHODS } from '../src/oauth/client-methods.ts';
import type { ClientRecord } from './client-schema.ts';

/** FAPI 2.0 Security Profile, and FAPI 2.0 Message Signing on top of it. */
export const PROFILES = ['fapi-2-security', 'fapi-2-message-signing'] as const;
export type Profile = (typeof PROFILES)[number];

/** A member of a file or of a record: its value, and what the rule wants instead. */
export type BrokenRule = { readonly field: string; readonly found: string; readonly expected: string };

type BoundKeys = {
  readonly authorizationCodeLifetimeSeconds: number;
  readonly pushedRequestLifetimeSeconds?: number | undefined;
  readonly tokenEndpointAudienceAccepted?: boolean | undefined;
};

type PolicyRule = {
  readonly field: keyof BoundKeys;
  /** The largest value. A switch is false or true. */
  readonly most: number | false;
  readonly spec: string;
};

/** Checked where a policy is loaded. */
export const POLICY_RULES: readonly PolicyRule[] = [
  { field: 'authorizationCodeLifetimeSeconds', most: 60, spec: 'FAPI 2.0 Security Profile §5.3.2.1' },
  // "expires_in values of less than 600 seconds".
  { field: 'pushedRequestLifetimeSeconds', most: 599, spec: 'FAPI 2.0 Security Profile §5.3.2.2' },
  { field: 'tokenEndpointAudienceAccepted', most: false, spec: 'FAPI 2.0 Security Profile §5.3.2.1' },
];

export const expectedByPolicyRule = ({ most }: PolicyRule): string => (most === false ? 'false' : `at most ${most}`);

export const brokenByPolicy = (policy: BoundKeys): readonly BrokenRule[] =>
  POLICY_RULES.filter(({ field, most }) => Number(policy[field] ?? 0) > Number(most)).map((rule) => ({
    field: rule.field,
    found: String(policy[rule.field]),
    expected: `${expectedByPolicyRule(rule)} (${rule.spec})`,
  }));

/** The fields that a token request loads: it keeps these rules too. */
export type TokenFields = {
  readonly tokenEndpointAuthMethod: NonNullable<ClientRecord['token_endpoint_auth_method']>;
  readonly idTokenSignedResponseAlg: NonNullable<ClientRecord['id_token_signed_response_alg']>;
  readonly dpopBoundAccessTokens: boolean;
  readonly tlsClientCertificateBoundAccessTokens: boolean;
};
type AllFields = TokenFields & {
  readonly applicationType: NonNullable<ClientRecord['application_type']>;
  readonly redirectUris: readonly string[];
  readonly tokenEndpointAuthSigningAlg: string | null;
  readonly requestObjectSigningAlg: string | null;
  readonly authorizationSignedResponseAlg: string | null;
  readonly jwks: object | null;
  readonly jwksUri: string | null;
};

type ClientRule<Fields> = {
  /** The profiles that contain the rule. */
  readonly profiles: readonly Profile[];
  readonly field: string;
  readonly expected: string;
  readonly spec: string;
  /** Null: the client keeps the rule. */
  readonly found: (client: Fields) => string | null;
};

const EVERY: readonly Profile[] = PROFILES;
const SECURITY = 'FAPI 2.0 Security Profile';
const MESSAGE_SIGNING = 'FAPI 2.0 Message Signing';

/** Members of a client that make each of its access tokens sender-constrained. */
const CONSTRAINTS: readonly ((client: TokenFields) => boolean)[] = [
  ({ dpopBoundAccessTokens }) => dpopBoundAccessTokens,
  ({ tlsClientCertificateBoundAccessTokens }) => tlsClientCertificateBoundAccessTokens,
];
const quoted = (text: string): string => JSON.stringify(text);
const rs256 = (alg: string | null): string | null => (alg === 'RS256' ? quoted(alg) : null);
const NO_RS256 = 'an algorithm of the profile: ES256, PS256 or EdDSA';

const AT_TOKEN: readonly ClientRule<TokenFields>[] = [
  {
    profiles: EVERY,
    field: 'token_endpoint_auth_method',
    expected: 'a confidential client that authenticates by private_key_jwt or mutual TLS',
    spec: `${SECURITY} §5.3.2.1`,
    found: ({ tokenEndpointAuthMethod: method }) => (isOneOf(KEY_METHODS, method) ? null : quoted(method)),
  },
  {
    profiles: EVERY,
    field: 'dpop_bound_access_tokens',
    expected: 'true, or tls_client_certificate_bound_access_tokens true: access tokens are sender-constrained',
    spec: `${SECURITY} §5.3.2.1`,
    found: (client) => (CONSTRAINTS.some((constrains) => constrains(client)) ? null : 'false'),
  },
  {
    profiles: EVERY,
    field: 'id_token_signed_response_alg',
    expected: 'ES256 or EdDSA',
    spec: `${SECURITY} §5.4.1`,
    found: ({ idTokenSignedResponseAlg: alg }) => rs256(alg),
  },
];

const AT_AUTHORIZATION: readonly ClientRule<AllFields>[] = [
  {
    profiles: EVERY,
    field: 'token_endpoint_auth_signing_alg',
    expected: NO_RS256,
    spec: `${SECURITY} §5.4.1`,
    found: ({ tokenEndpointAuthSigningAlg: alg }) => rs256(alg),
  },
  {
    profiles: EVERY,
    field: 'request_object_signing_alg',
    expected: NO_RS256,
    spec: `${SECURITY} §5.4.1`,
    found: ({ requestObjectSigningAlg: alg }) => rs256(alg),
  },
  {
    profiles: EVERY,
    field: 'authorization_signed_response_alg',
    expected: 'ES256 or EdDSA',
    spec: `${SECURITY} §5.4.1`,
    found: ({ authorizationSignedResponseAlg: alg }) => rs256(alg),
  },
  {
    profiles: EVERY,
    field: 'redirect_uris',
    expected: 'no http: URI but that of a native application on a loopback address',
    spec: `${SECURITY} §5.3.2.2`,
    // The registration lets http: through for loopback addresses alone.
    found: ({ redirectUris, applicationType }) => {
      const plain = applicationType === 'native' ? undefined : redirectUris.find((uri) => /^http:/i.test(uri));
      return plain === undefined ? null : quoted(plain);
    },
  },
  {
    profiles: ['fapi-2-message-signing'],
    field: 'jwks',
    expected: 'keys in jwks, or at jwks_uri: each request object is signed',
    spec: `${MESSAGE_SIGNING} §5.3.1`,
    found: ({ jwks, jwksUri }) => (jwks === null && jwksUri === null ? 'none' : null),
  },
];

/** The whole table, for `check` and the guide. */
export const CLIENT_RULES: readonly Omit<ClientRule<AllFields>, 'found'>[] = [...AT_TOKEN, ...AT_AUTHORIZATION];

const broken = <Fields>(rules: readonly ClientRule<Fields>[], profile: Profile, client: Fields): BrokenRule[] =>
  rules
    .filter(({ profiles }) => profiles.includes(profile))
    .flatMap(({ field, expected, spec, found }) => {
      const value = found(client);
      return value === null ? [] : [{ field, found: value, expected: `${expected} (${spec})` }];
    });

/** The rules of the profile that a client breaks. */
export const brokenByClient = (profile: Profile, client: AllFields): readonly BrokenRule[] => [
  ...broken(AT_TOKEN, profile, client),
  ...broken(AT_AUTHORIZATION, profile, client),
];

/** Those of them that a token request can see. */
export const brokenAtToken = (profile: Profile, client: TokenFields): readonly BrokenRule[] =>
  broken(AT_TOKEN, profile, client);

/** The demands of a profile on each authorization request. Absent: no profile. */
export type RequestDemands = { readonly pushed: boolean; readonly signed: boolean; readonly signedResponse: boolean };
const DEMANDS: Readonly<Record<Profile, RequestDemands>> = {
  // FAPI 2.0 Security Profile §5.3.2.2.
  'fapi-2-security': { pushed: true, signed: false, signedResponse: false },
  // FAPI 2.0 Message Signing §5.3.1 and §5.4.1.
  'fapi-2-message-signing': { pushed: true, signed: true, signedResponse: true },
};
const NO_DEMANDS: RequestDemands = { pushed: false, signed: false, signedResponse: false };
export const demandsOf = (profile: Profile | undefined): RequestDemands =>
  profile === undefined ? NO_DEMANDS : DEMANDS[profile];

/** The departure from the profile that no configuration removes. */
export const DEVIATION =
  'refresh tokens rotate at each use, against FAPI 2.0 Security Profile §5.3.2.1 (docs/decisions/0007); provenRetrySeconds repeats a lost response';
