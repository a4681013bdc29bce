/**
 * The schemas of the files in this folder (`clients.yaml`: client-schema.ts), with the bounds of each value. Units are in the
 * keys. What the OAuth 2.1 profile mandates (PKCE with S256, exact redirect URIs, rotation, single use) has no key here: there is nothing to turn off.
 */
import { z } from 'zod';
import { SIGNING_ALGORITHMS } from '../src/oauth/signing-algorithms.ts';

const MINUTE = 60;
const DAY = 86_400;

/** A JWT cannot be taken back, so no access token and no ID Token lives longer. */
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
      'How long an access token is valid. A JWT cannot be taken back, so at most one hour; under 900 s is a warning.',
    ),
    authorizationCodeLifetimeSeconds: seconds(
      10,
      600,
      'From approval to exchange. Clients exchange at once; RFC 6749 §4.1.2 recommends at most ten minutes.',
    ),
    refreshIdleLifetimeSeconds: seconds(
      5 * MINUTE,
      400 * DAY,
      'A chain of refresh tokens ends when it was not used for this long.',
    ),
    refreshAbsoluteLifetimeSeconds: seconds(
      5 * MINUTE,
      1200 * DAY,
      'A chain ends this long after the approval, however much it is used.',
    ),
    consentLifetimeSeconds: seconds(
      3600,
      1200 * DAY,
      'A remembered consent ends this long after it was given: then the client asks again. Absent: it has no end of its own.',
    ).optional(),
    refreshTokensNeedOfflineAccess: z
      .boolean()
      .optional()
      .describe(
        'true: refresh tokens only where the scope offline_access was consented to (OpenID Connect Core §11). Default: every client whose grant_types include refresh_token gets them.',
      ),
    requiredAuthenticationClass: requiredAuthenticationClass('for a client with this policy'),
    maxAuthenticationAgeSeconds: maxAuthenticationAgeSeconds('when a client with this policy asks'),
  })
  .refine((policy) => policy.refreshIdleLifetimeSeconds <= policy.refreshAbsoluteLifetimeSeconds, {
    path: ['refreshIdleLifetimeSeconds'],
    message: 'at most refreshAbsoluteLifetimeSeconds',
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
        default: z.boolean().optional().describe('Meant when a request names no resource. Exactly one.'),
        accessTokenLifetimeSeconds: seconds(
          MINUTE,
          MAX_TOKEN_SECONDS,
          'Caps the lifetime that the policy gives.',
        ).optional(),
        accessTokenSigningAlgorithm: z
          .enum(SIGNING_ALGORITHMS)
          .optional()
          .describe(
            'What access tokens for it are signed with, as the libraries of the API expect it. Default: ES256. EdDSA (Ed25519) only where signing-keys.yaml lists it.',
          ),
        scopes: z
          .array(
            z.strictObject({
              name: scopeToken.describe('As clients ask for it.'),
              description: z.string().min(1).max(200).describe('Shown at consent, after "wants to".'),
            }),
          )
          .min(1)
          .describe('What clients may ask for at this resource.'),
        requiredAuthenticationClass: requiredAuthenticationClass('before a client gets tokens for it'),
        maxAuthenticationAgeSeconds: maxAuthenticationAgeSeconds('when a client asks for tokens for it'),
        userInfo: z
          .boolean()
          .optional()
          .describe(
            'false: access tokens for it never open the UserInfo Endpoint, so the API cannot learn with them who the end-user is. Default: they do where the client asks for `openid` and names no `resource`.',
          ),
        introspectedBy: z
          .array(z.string().regex(/^[\x20-\x7e]{1,255}$/, '1 to 255 characters of %x20-7E'))
          .min(1)
          .optional()
          .describe('client_id of each server of this API that may ask about tokens for it (RFC 7662).'),
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
      'A browser stays signed in for this long, however much it is used.',
    ),
    sessionIdleLifetimeSeconds: seconds(
      MINUTE,
      30 * DAY,
      'A session that is not used for this long has ended. Absent: only its lifetime ends it.',
    ).optional(),
    interactionLifetimeSeconds: seconds(MINUTE, 3600, 'From the authorization request to the decision.'),
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
        'Failures of one address per window, whatever the account. Then wrong passwords are refused as throttled; the right password still signs in.',
      ),
    knownDeviceLifetimeSeconds: seconds(
      DAY,
      400 * DAY,
      'A browser is known to an account for this long after the last sign-in there: others cannot make its sign-ins wait.',
    ).default(180 * DAY),
    passwordMinimumCharacters: z
      .int()
      .min(15)
      .max(64)
      .describe('The least length of a password that is the only factor (NIST SP 800-63B-4 §3.1.1.2: 15).')
      .default(15),
    passwordMinimumCharactersWithSecondFactor: z
      .int()
      .min(8)
      .max(64)
      .describe('The least length of a password beside a second factor (NIST SP 800-63B-4 §3.1.1.2: 8).')
      .default(8),
    secondFactor: z
      .enum(['nobody', 'operatorsInProduction', 'operators', 'everyone'])
      .describe(
        'Who has to have a second factor. An end-user who has to and has none sets it up before the sign-in completes; an end-user who has one is asked for it in any case. operatorsInProduction: the operators of a server that runs with NODE_ENV=production.',
      )
      .default('operatorsInProduction'),
    passkeyAfterPassword: z
      .enum(['required', 'optional'])
      .describe(
        'Whether an end-user who has a passkey, and no authenticator app, is asked for it after a password, or after a sign-in elsewhere by a single factor. After a password that a link in a mail has set, every factor that the account has is asked for in any case.',
      )
      .default('required'),
    recentSignInSeconds: seconds(
      MINUTE,
      3600,
      'For so long after a sign-in, the end-user may change in their account what can lock them out. Then the account asks them to sign in again first.',
    ).default(10 * MINUTE),
    signUp: z
      .enum(['off', 'open', 'invitation'])
      .describe(
        'Who may make an account for themselves: nobody, everybody who has an e-mail address, or those whom an administrator has invited. It takes a server that sends mails.',
      )
      .default('off'),
    breachedPasswords: z
      .strictObject({
        rangeUrl: z
          .string()
          .refine(isRangeUrl, 'https (or http on loopback), ending in "/", without credentials, query and fragment')
          .describe(
            'Where the range API is, such as https://api.pwnedpasswords.com/range/: the first five characters of the SHA-1 of the password are sent behind it.',
          ),
      })
      .describe(
        'Refuses new passwords that are in a list of breached passwords. The list is asked by k-anonymity: it learns neither the password nor its hash. Absent: no list is asked.',
      )
      .optional(),
    lostFactors: z
      .enum(['administrator', 'email'])
      .describe(
        'How an end-user who has lost every passkey and authenticator app, and the recovery codes, gets in again: an administrator removes them, or the end-user does, with the password and a link that is sent to the verified address. A link alone, or a password that a link has set, never removes a factor.',
      )
      .default('administrator'),
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

/** `signing-keys.yaml`: the keys that sign tokens, and how they follow each other. It may be left out. */
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
      'A key is in the JWKS for this long before it signs, so that every cache holds it by then.',
    ),
    signingLifetimeSeconds: seconds(
      3600,
      400 * DAY,
      'A key signs for this long; then its successor does. At least twice publishedBeforeSigningSeconds.',
    ),
    jwksMaxAgeSeconds: seconds(
      10,
      DAY,
      'How long caches may keep the JWKS. APIs may go on accepting a revoked key for this long.',
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

/** In force where there is no `signing-keys.yaml`. */
export const DEFAULT_SIGNING_KEYS: SigningKeyPolicy = {
  algorithms: ['ES256', 'RS256'],
  publishedBeforeSigningSeconds: DAY,
  signingLifetimeSeconds: 90 * DAY,
  jwksMaxAgeSeconds: 300,
};

export type Policy = z.infer<typeof policySchema>;
export type Resource = z.infer<typeof resourcesSchema>['resources'][number];
export type SignInPolicy = z.infer<typeof signInSchema>;
export type SigningKeyPolicy = z.infer<typeof signingKeysSchema>;
