/**
 * What the files of this folder may say, and within which bounds. Units are in the keys. What the OAuth 2.1 profile
 * mandates (PKCE with S256, exact redirect URIs, rotation, single use) has no key here: there is nothing to turn off.
 */
import { z } from 'zod';

const MINUTE = 60;
const DAY = 86_400;

const seconds = (least: number, most: number, what: string) => z.int().min(least).max(most).describe(what);

/** `<name>.policy.yaml`: how long things live. A client names its policy. */
export const policySchema = z
  .strictObject({
    accessTokenLifetimeSeconds: seconds(
      MINUTE,
      3600,
      'How long an access token is valid. A JWT cannot be taken back, so at most one hour; under 900 s is a warning.',
    ),
    authorizationCodeLifetimeSeconds: seconds(
      10,
      600,
      'From approval to exchange. Clients exchange at once; RFC 6749 §4.1.2 recommends ten minutes at the most.',
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
  })
  .refine((policy) => policy.refreshIdleLifetimeSeconds <= policy.refreshAbsoluteLifetimeSeconds, {
    path: ['refreshIdleLifetimeSeconds'],
    message: 'at most refreshAbsoluteLifetimeSeconds',
  });

/** RFC 6749 §3.3: scope-token = 1*( %x21 / %x23-5B / %x5D-7E ). */
const scopeToken = z
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
        accessTokenLifetimeSeconds: seconds(MINUTE, 3600, 'Caps the lifetime that the policy gives.').optional(),
        scopes: z
          .array(
            z.strictObject({
              name: scopeToken.describe('As clients ask for it.'),
              description: z.string().min(1).max(200).describe('Shown at consent, after "wants to".'),
            }),
          )
          .min(1),
      }),
    )
    .min(1)
    .refine((all) => all.filter((one) => one.default).length === 1, 'exactly one resource with `default: true`')
    .refine((all) => new Set(all.map((one) => one.identifier)).size === all.length, 'each identifier once')
    .refine(
      (all) => all.every(({ scopes }) => new Set(scopes.map((one) => one.name)).size === scopes.length),
      'each scope once per resource',
    ),
});

/** `sign-in.yaml`: sessions and the brake on guessing. */
export const signInSchema = z.strictObject({
  sessionLifetimeSeconds: seconds(5 * MINUTE, 30 * DAY, 'A browser stays signed in for this long.'),
  interactionLifetimeSeconds: seconds(MINUTE, 3600, 'From the authorization request to the decision.'),
  failureWindowSeconds: seconds(MINUTE, DAY, 'Failed sign-ins are counted over this long.'),
  failuresPerAccountAndAddress: z
    .int()
    .min(3)
    .max(100)
    .describe('Failures of one account from one address per window. Others can still sign in to the account.'),
  failuresPerAddress: z
    .int()
    .min(10)
    .max(100_000)
    .describe('Failures of one address per window, whatever the account.'),
});

export type Policy = z.infer<typeof policySchema>;
export type Resource = z.infer<typeof resourcesSchema>['resources'][number];
export type SignInPolicy = z.infer<typeof signInSchema>;
