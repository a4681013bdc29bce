/**
 * Claims about an end-user: the standard claims, by the scope that requests them, and the names that have another
 * meaning.
 */

/** OpenID Connect Core §5.4: the claims that each scope requests at the UserInfo Endpoint. */
export const STANDARD_CLAIMS_OF: Readonly<Record<string, readonly string[]>> = {
  profile: [
    'name',
    'family_name',
    'given_name',
    'middle_name',
    'nickname',
    'preferred_username',
    'profile',
    'picture',
    'website',
    'gender',
    'birthdate',
    'zoneinfo',
    'locale',
    'updated_at',
  ],
  email: ['email', 'email_verified'],
  address: ['address'],
  phone: ['phone_number', 'phone_number_verified'],
};

export const STANDARD_CLAIMS: readonly string[] = Object.values(STANDARD_CLAIMS_OF).flat();

/**
 * The standard claims that a team may let end-users edit: texts about themselves. A link in a mail changes the address
 * (`email`), and the server itself writes what it verified (`email_verified`).
 */
export const SELF_DESCRIBED_CLAIMS = [
  'name',
  'given_name',
  'family_name',
  'middle_name',
  'nickname',
  'preferred_username',
  'profile',
  'picture',
  'website',
  'gender',
  'birthdate',
  'zoneinfo',
  'locale',
  'phone_number',
] as const;
export type SelfDescribedClaim = (typeof SELF_DESCRIBED_CLAIMS)[number];

export const isSelfDescribed = (name: string): name is SelfDescribedClaim =>
  (SELF_DESCRIBED_CLAIMS as readonly string[]).includes(name);

/** RFC 9068 §2.2.3.1: APIs decide by them what an end-user may do. */
export const AUTHORIZATION_CLAIMS: readonly string[] = ['groups', 'roles', 'entitlements'];

/**
 * Names to which a standard, or a token or response of this server, gives another meaning. RFC 7519 §4.1, OpenID
 * Connect Core §2 and §5.6, RFC 9068 §2.2, RFC 7662 §2.2. RFC 7800 §3.1, RFC 8693 §4, RFC 8417 §2.2, Front-Channel
 * Logout 1.0 §3.
 */
export const RESERVED_CLAIMS: readonly string[] = [
  ...['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti'],
  ...['nonce', 'auth_time', 'acr', 'amr', 'azp', 'at_hash', 'c_hash', 's_hash', 'sid', 'sub_jwk'],
  ...['scope', 'client_id', 'active', 'token_type', 'username', 'password', 'claims'],
  ...['cnf', 'act', 'may_act', 'events', 'toe', 'txn', 'authorization_details'],
  ...['alg', 'kid', 'typ'],
];

/** The name of a claim: a letter, then up to 99 visible ASCII characters, so that a URI can be a name (RFC 7519 §4.2). */
export const CLAIM_NAME = /^[A-Za-z][\x21\x23-\x5b\x5d-\x7e]{0,99}$/;
export const CLAIM_NAME_EXPECTED = 'a letter, then at most 99 visible ASCII characters without " and \\';

/** The places that can release a claim. */
export const CLAIM_PLACES = ['userinfo', 'id_token', 'access_token'] as const;
export type ClaimPlace = (typeof CLAIM_PLACES)[number];
