/**
 * The schemas of the files in this folder (`clients.yaml`: client-schema.ts), with the bounds of each value. Units are in the
 * keys. The mandates of the OAuth 2.1 profile (PKCE with S256, exact redirect URIs, rotation, single use) have no key: no file can turn them off.
 */
import { z } from 'zod';
import { SIGNING_ALGORITHMS } from '../src/oauth/signing-algorithms.ts';
import { brokenByPolicy, PROFILES } from './profiles.ts';

const MINUTE = 60;
const DAY = 86_400;

/** A JWT cannot be revoked, so no access token and no ID Token lives longer. */
export const MAX_TOKEN_SECONDS = 3600;

/** How often each node reads the table of signing keys. Not configurable: all nodes must use the same value. */
export const KEY_POLL_SECONDS = 10;

const seconds = (min: number, max: number, description: string) => z.int().min(min).max(max).describe(description);

/** How strong a sign-in has to be: the classes of src/oauth/authentication-methods.ts that are more than a password. */
export const REQUIRED_CLASSES = ['multi-factor', 'phishing-resistant'] as const;
const requiredAuthenticationClass = (whom: string) =>
  z
    .enum(REQUIRED_CLASSES)
    .optional()
    .describe(
      `How strongly an end-user has to sign in ${whom}: multi-factor (a second factor, or a passkey) or phishing-resistant (a passkey). Default: any sign-in is enough.`,
    );
const maxAuthenticationAgeSeconds = (whom: string) =>
  seconds(
    MINUTE,
    30 * DAY,
    `How long ago the sign-in may be ${whom}. Default: as long as the session lives.`,
  ).optional();

/** `<name>.policy.yaml`: how long things live. A client names its policy. */
export const policySchema = z
  .strictObject({
    accessTokenLifetimeSeconds: seconds(
      MINUTE,
      MAX_TOKEN_SECONDS,
      'The lifetime of an access token. A JWT cannot be revoked, so at most one hour; a value under 900 s is a warning.',
    ),
    authorizationCodeLifetimeSeconds: seconds(
      10,
      600,
      'From approval to exchange. Clients exchange a code immediately; RFC 6749 §4.1.2 recommends at most ten minutes.',
    ),
    pushedRequestLifetimeSeconds: seconds(
      10,
      600,
      'From the push of an authorization request (RFC 9126) until its browser opens it. Default: 60.',
    ).optional(),
    refreshIdleLifetimeSeconds: seconds(
      5 * MINUTE,
      400 * DAY,
      'A chain of refresh tokens ends after this long without use.',
    ),
    refreshAbsoluteLifetimeSeconds: seconds(
      5 * MINUTE,
      1200 * DAY,
      'A chain ends this long after the approval, however much it is used.',
    ),
    provenRetrySeconds: seconds(
      1,
      3600,
      'For refresh tokens that are bound to a DPoP key, and for clients that authenticate by a key. For this long after a rotation, the used token with its proof gets the same successor again. Later, and for an older token, a proven presentation is rejected, and the chain stays active. Absent: every second presentation ends the chain.',
    ).optional(),
    consentLifetimeSeconds: seconds(
      3600,
      1200 * DAY,
      'A remembered consent ends this long after the end-user gave it: then the consent page appears again. Absent: a consent does not expire.',
    ).optional(),
    refreshTokensNeedOfflineAccess: z
      .boolean()
      .optional()
      .describe(
        'true: refresh tokens only with consent to the scope offline_access (OpenID Connect Core §11). Default: every client whose grant_types include refresh_token gets them.',
      ),
    dpopNonceRequired: z
      .boolean()
      .optional()
      .describe(
        'true: a DPoP proof at the token endpoint, or with a pushed request, needs a nonce of this server, at most three minutes old (RFC 9449 §8). Default: no nonce is needed.',
      ),
    tokenEndpointAudienceAccepted: z
      .boolean()
      .optional()
      .describe(
        'true: a client assertion (private_key_jwt) may name the token endpoint as its audience, as those of ChatGPT and Spring Security do (RFC 7523 §3). Default: the issuer alone. A malicious server can make a client sign for the token endpoint of another.',
      ),
    profile: z
      .enum(PROFILES)
      .optional()
      .describe(
        'The profile of each client with this policy. fapi-2-security: FAPI 2.0 Security Profile. fapi-2-message-signing: that, and FAPI 2.0 Message Signing. The server refuses a client that breaks a rule of it. Default: none.',
      ),
    requiredAuthenticationClass: requiredAuthenticationClass('for a client with this policy'),
    maxAuthenticationAgeSeconds: maxAuthenticationAgeSeconds('when a client with this policy asks'),
  })
  .refine((policy) => policy.refreshIdleLifetimeSeconds <= policy.refreshAbsoluteLifetimeSeconds, {
    path: ['refreshIdleLifetimeSeconds'],
    message: 'at most refreshAbsoluteLifetimeSeconds',
  })
  .superRefine((policy, context) => {
    if (policy.profile === undefined) return;
    for (const { field, expected } of brokenByPolicy(policy))
      context.addIssue({ code: 'custom', path: [field], message: `${expected}, under the profile ${policy.profile}` });
  });

/** RFC 6749 §3.3: scope-token = 1*( %x21 / %x23-5B / %x5D-7E ). */
export const scopeToken = z
  .string()
  .max(128)
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'a scope token (RFC 6749 §3.3)');

/** RFC 8707 §2: an absolute URI without a fragment. */
const resourceIdentifier = z
  .string()
  .max(512)
  .refine((text) => URL.canParse(text) && !text.includes('#'), 'an absolute URI without a fragment (RFC 8707 §2)');

/** `resources.yaml`: the APIs that tokens are for, and the scopes of each. */
export const resourcesSchema = z.strictObject({
  resources: z
    .array(
      z.strictObject({
        identifier: resourceIdentifier.describe('Becomes `aud` in access tokens, exactly as written.'),
        name: z.string().min(1).max(100).describe('Shown to people.'),
        default: z.boolean().optional().describe('true: the resource of requests that name none. Exactly one.'),
        accessTokenLifetimeSeconds: seconds(
          MINUTE,
          MAX_TOKEN_SECONDS,
          'Caps the lifetime that the policy gives.',
        ).optional(),
        accessTokenSigningAlgorithm: z
          .enum(SIGNING_ALGORITHMS)
          .optional()
          .describe(
            'The algorithm that signs access tokens for this resource, as the libraries of the API expect it. Default: ES256. EdDSA (Ed25519) only where signing-keys.yaml lists it.',
          ),
        scopes: z
          .array(
            z.strictObject({
              name: scopeToken.describe('The scope, as clients request it.'),
              description: z.string().min(1).max(200).describe('Shown at consent, after "wants to".'),
            }),
          )
          .min(1)
          .describe('The scopes that clients can request for this resource.'),
        requiredAuthenticationClass: requiredAuthenticationClass('before a client gets tokens for it'),
        maxAuthenticationAgeSeconds: maxAuthenticationAgeSeconds('when a client asks for tokens for it'),
        userInfo: z
          .boolean()
          .optional()
          .describe(
            'false: the UserInfo Endpoint rejects access tokens for this resource, so the API cannot use them to identify the end-user. Default: the endpoint accepts them where the client requests `openid` and names no `resource`.',
          ),
        introspectedBy: z
          .array(z.string().regex(/^[\x20-\x7e]{1,255}$/, '1 to 255 characters of %x20-7E'))
          .min(1)
          .optional()
          .describe('client_id of each server of this API that may introspect tokens for it (RFC 7662).'),
      }),
    )
    .min(1)
    .describe('The APIs. One of them is the default.')
    .refine(
      (all) => all.filter((resource) => resource.default).length === 1,
      'exactly one resource with `default: true`',
    )
    .refine((all) => new Set(all.map((resource) => resource.identifier)).size === all.length, 'each identifier once')
    .refine(
      (all) => all.every(({ scopes }) => new Set(scopes.map((scope) => scope.name)).size === scopes.length),
      'each scope once per resource',
    ),
});

/** No session lives longer. */
export const MAX_SESSION_SECONDS = 30 * DAY;

const isLoopback = (host: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(host);

function isRangeUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname, username, password, pathname, href } = new URL(value);
  const isSecure = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
  return isSecure && username === '' && password === '' && pathname.endsWith('/') && !/[?#]/.test(href);
}

/** `sign-in.yaml`: sessions, and the throttle on password guessing. */
export const signInSchema = z
  .strictObject({
    sessionLifetimeSeconds: seconds(
      5 * MINUTE,
      MAX_SESSION_SECONDS,
      'A session ends after this long, also while it is in use.',
    ),
    sessionIdleLifetimeSeconds: seconds(
      MINUTE,
      30 * DAY,
      'A session ends after this long without use. Absent: only its lifetime ends it.',
    ).optional(),
    interactionLifetimeSeconds: seconds(MINUTE, 3600, 'From the authorization request to the decision.'),
    requirePushedAuthorizationRequests: z
      .boolean()
      .describe(
        'true: every client has to push its authorization requests (RFC 9126). The server rejects a request whose parameters come with the browser. A client alone can have to: its field require_pushed_authorization_requests.',
      )
      .default(false),
    failureWindowSeconds: seconds(MINUTE, DAY, 'Failed sign-ins are counted over this long.'),
    failuresPerAccountAndAddress: z
      .int()
      .min(3)
      .max(100)
      .describe(
        'Failures of one account from one address per window; then this address waits. Other addresses do not.',
      ),
    failuresPerAccount: z
      .int()
      .min(10)
      .max(100_000)
      .describe(
        'Failures of one account from all addresses per window. Then an address that has failed there waits after each failure; any other can still sign in.',
      )
      .default(100),
    failuresPerAddress: z
      .int()
      .min(10)
      .max(100_000)
      .describe(
        'Failures of one address per window, over all accounts. Then the server throttles wrong passwords; the right password still signs in.',
      ),
    knownDeviceLifetimeSeconds: seconds(
      DAY,
      400 * DAY,
      'A browser is a trusted device of an account for this long after its last sign-in. Failures at other browsers do not throttle it.',
    ).default(180 * DAY),
    passwordMinimumCharacters: z
      .int()
      .min(15)
      .max(64)
      .describe('The minimum length of a password that is the only factor (NIST SP 800-63B-4 §3.1.1.2: 15).')
      .default(15),
    passwordMinimumCharactersWithSecondFactor: z
      .int()
      .min(8)
      .max(64)
      .describe('The minimum length of a password with a second factor (NIST SP 800-63B-4 §3.1.1.2: 8).')
      .default(8),
    secondFactor: z
      .enum(['nobody', 'operatorsInProduction', 'operators', 'everyone'])
      .describe(
        'The end-users who need a second factor. Such an end-user without one sets it up before the sign-in completes; an end-user who has one always uses it. operatorsInProduction: the operators of a server that runs with NODE_ENV=production.',
      )
      .default('operatorsInProduction'),
    passkeyAfterPassword: z
      .enum(['required', 'optional'])
      .describe(
        'Whether an end-user with a passkey and without an authenticator app needs the passkey after a password, or after a federated sign-in by a single factor. After a password that a link in a mail has set, the server always requires every factor of the account.',
      )
      .default('required'),
    trustedBrowserLifetimeSeconds: z
      .int()
      .min(0)
      .max(90 * DAY)
      .describe(
        'An end-user who proves a second factor may trust the browser for this long: the next sign-ins in it ask for the password alone. Never for administrators, nor where a client demands several factors. 0: no browser is trusted.',
      )
      .default(0),
    recentSignInSeconds: seconds(
      MINUTE,
      3600,
      'For this long after a sign-in, the end-user can make account changes that could lock them out. Later, the account first asks for another sign-in.',
    ).default(10 * MINUTE),
    signUp: z
      .enum(['off', 'open', 'invitation'])
      .describe(
        'The people who can create their own account: none (off), all with an e-mail address (open), or people with an invitation of an administrator (invitation). The server has to send mails.',
      )
      .default('off'),
    signUpWith: z
      .enum(['password', 'passkeyOrPassword'])
      .describe(
        'The first way to sign in of a new account: a password, or the choice of a passkey or a password (passkeyOrPassword). It holds for invitations too. An account with a passkey alone has no password until the end-user sets one.',
      )
      .default('password'),
    identifiers: z
      .enum(['username', 'email', 'both'])
      .describe(
        'The identifiers by which end-users sign in: the username, the verified e-mail address, or either (both). Where addresses identify, no two end-users have the same verified address. email: the username identifies only end-users without such an address.',
      )
      .default('username'),
    signInPage: z
      .enum(['together', 'identifierFirst'])
      .describe(
        'The pages of a sign-in. together: identifier and password on one page. identifierFirst: the identifier first, and the methods on a second page. Only a trusted device of an account sees the methods of that account.',
      )
      .default('together'),
    breachedPasswords: z
      .strictObject({
        rangeUrl: z
          .string()
          .refine(isRangeUrl, 'https (or http on loopback), ending in "/", without credentials, query and fragment')
          .describe(
            'The URL of the range API, such as https://api.pwnedpasswords.com/range/. The server appends the first five characters of the SHA-1 of the password.',
          ),
      })
      .describe(
        'Rejects new passwords that are in a list of breached passwords. The query uses k-anonymity: the list learns neither the password nor its hash. Absent: no list.',
      )
      .optional(),
    importFastHashes: z
      .boolean()
      .describe(
        'Whether an import accepts salted digests (SSHA, salted SHA-256 and SHA-512). A leaked list of them is a list of passwords until each end-user has signed in once, which replaces the digest.',
      )
      .default(false),
    lostFactors: z
      .enum(['administrator', 'email'])
      .describe(
        'How an end-user who has lost every passkey, authenticator app and recovery code regains access: an administrator removes the factors, or the end-user does, with the password and a link to the verified address. A link alone, or a password that a link has set, never removes a factor.',
      )
      .default('administrator'),
    codeByMail: z
      .boolean()
      .describe(
        'Whether the sign-in page offers a code by mail instead of a password, for accounts with a verified address. The code is one factor: the mailbox. Every factor of the account is asked for afterwards. The server has to send mails.',
      )
      .default(false),
    codeByMailLifetimeSeconds: seconds(
      MINUTE,
      10 * MINUTE,
      'A code by mail signs in for this long after it was asked for (NIST SP 800-63B-4 §3.1.3.2: at most 10 minutes).',
    ).default(10 * MINUTE),
    codeByMailAttempts: z
      .int()
      .min(1)
      .max(10)
      .describe('The number of wrong codes after which a code by mail is invalid. They count as wrong passwords too.')
      .default(5),
  })
  .refine((limits) => limits.failuresPerAccount >= limits.failuresPerAccountAndAddress, {
    path: ['failuresPerAccount'],
    message: 'at least failuresPerAccountAndAddress',
  })
  .refine((limits) => limits.passwordMinimumCharacters >= limits.passwordMinimumCharactersWithSecondFactor, {
    path: ['passwordMinimumCharacters'],
    message: 'at least passwordMinimumCharactersWithSecondFactor',
  });

/** The longest time for which a known library keeps a JWKS in spite of its max-age (jose: ten minutes). */
const MIN_PUBLISHED_SECONDS = 10 * MINUTE;

/** `signing-keys.yaml`: the keys that sign tokens, and their rotation. The file is optional. */
export const signingKeysSchema = z
  .strictObject({
    algorithms: z
      .array(z.enum(SIGNING_ALGORITHMS))
      .describe('One key signs for each. ES256 signs access tokens by default, RS256 ID Tokens.')
      .refine((all) => new Set(all).size === all.length, 'each algorithm once')
      .refine(
        (all) => all.includes('ES256') && all.includes('RS256'),
        'ES256 (access tokens) and RS256 (the default of ID Tokens) are always among them',
      ),
    publishedBeforeSigningSeconds: seconds(
      MIN_PUBLISHED_SECONDS,
      30 * DAY,
      'A key is in the JWKS for this long before it signs, so that every cache has it.',
    ),
    signingLifetimeSeconds: seconds(
      3600,
      400 * DAY,
      'A key signs for this long; then its successor does. At least twice publishedBeforeSigningSeconds.',
    ),
    jwksMaxAgeSeconds: seconds(
      10,
      DAY,
      'How long caches may keep the JWKS. APIs may accept a revoked key for this long.',
    ),
  })
  .refine((keys) => keys.publishedBeforeSigningSeconds >= keys.jwksMaxAgeSeconds + KEY_POLL_SECONDS, {
    path: ['publishedBeforeSigningSeconds'],
    message: `at least jwksMaxAgeSeconds + ${KEY_POLL_SECONDS}, the time that nodes take to publish a key`,
  })
  .refine((keys) => keys.signingLifetimeSeconds >= 2 * keys.publishedBeforeSigningSeconds, {
    path: ['signingLifetimeSeconds'],
    message: 'at least twice publishedBeforeSigningSeconds, for the next key to be published in time',
  });

/** In force without a `signing-keys.yaml`. */
export const DEFAULT_SIGNING_KEYS: SigningKeyPolicy = {
  algorithms: ['ES256', 'RS256'],
  publishedBeforeSigningSeconds: DAY,
  signingLifetimeSeconds: 90 * DAY,
  jwksMaxAgeSeconds: 300,
};

export type Policy = z.infer<typeof policySchema>;
export type ResourcesFile = z.infer<typeof resourcesSchema>;
export type Resource = ResourcesFile['resources'][number];
export type SignInPolicy = z.infer<typeof signInSchema>;
export type SigningKeyPolicy = z.infer<typeof signingKeysSchema>;
