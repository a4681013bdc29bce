/** The schema of `claims.yaml`: the claims about the end-user that each scope releases, and those that end-users edit. */
import { z } from 'zod';
import {
  AUTHORIZATION_CLAIMS,
  CLAIM_NAME,
  CLAIM_NAME_EXPECTED,
  CLAIM_PLACES,
  isSelfDescribed,
  RESERVED_CLAIMS,
  SELF_DESCRIBED_CLAIMS,
  STANDARD_CLAIMS,
} from '../src/oauth/claims.ts';
import { expecting } from './expectations.ts';
import { isPlainText } from './plain-text.ts';
import { scopeToken } from './schema.ts';

const claimName = expecting(z.string().regex(CLAIM_NAME), CLAIM_NAME_EXPECTED).refine(
  (name) => !RESERVED_CLAIMS.includes(name),
  'a name without another meaning in tokens (such as sub, aud, scope)',
);

/** In characters, of a text that an end-user types. */
export const MAX_TYPED_CHARACTERS = 200;

const shownText = (max: number) => z.string().trim().min(1).max(max).refine(isPlainText);

const editableName = z
  .string()
  .regex(CLAIM_NAME)
  .refine(
    (name) =>
      isSelfDescribed(name) || ![...STANDARD_CLAIMS, ...RESERVED_CLAIMS, ...AUTHORIZATION_CLAIMS].includes(name),
  );

const editableClaim = z
  .strictObject({
    name: expecting(
      editableName,
      `one of ${SELF_DESCRIBED_CLAIMS.join(', ')}, or a custom claim (not ${AUTHORIZATION_CLAIMS.join(', ')}: RFC 9068 §2.2.3.1)`,
    ).describe('A standard claim that is a text, or a custom claim whose value is a text and gives no access.'),
    label: expecting(
      shownText(100),
      'for a custom claim 1 to 100 characters without control characters, and for a standard claim none',
    )
      .optional()
      .describe('Shown beside the field of a custom claim. Standard claims have words.'),
    choices: z
      .array(shownText(MAX_TYPED_CHARACTERS))
      .min(1)
      .max(50)
      .optional()
      .describe('The values from which the end-user chooses. Absent: any text.')
      .refine((all) => new Set(all).size === (all?.length ?? 0), 'each value once'),
  })
  .refine(({ name, label }) => (label === undefined) === isSelfDescribed(name), { path: ['label'] });

/** `claims.yaml`. It may be left out. */
export const claimsSchema = z.strictObject({
  scopes: z
    .array(
      z.strictObject({
        name: scopeToken.describe('The scope, as clients request it.'),
        description: z
          .string()
          .min(1)
          .max(200)
          .optional()
          .describe(
            'Shown at consent, after "wants to". With it the scope is about the identity of the end-user, and needs openid. Left out: a scope of resources.yaml or of OpenID Connect.',
          ),
        claims: z
          .array(
            z.strictObject({
              name: claimName.describe('The name of the claim, as stored with the end-user and as released.'),
              in: z
                .array(z.enum(CLAIM_PLACES))
                .min(1)
                .describe(
                  'Where the server releases the claim: userinfo and id_token for scopes about identity, access_token for scopes of a resource.',
                )
                .refine((places) => new Set(places).size === places.length, 'each place once'),
            }),
          )
          .min(1)
          .max(50)
          .describe(
            'The claims that the scope releases. The server leaves out a claim that the end-user does not have.',
          )
          .refine((claims) => new Set(claims.map(({ name }) => name)).size === claims.length, 'each claim once'),
      }),
    )
    .max(100)
    .describe('The scopes that release claims.')
    .refine((scopes) => new Set(scopes.map(({ name }) => name)).size === scopes.length, 'each scope once'),
  editableByUser: z
    .array(editableClaim)
    .max(30)
    .optional()
    .describe(
      'The claims that end-users edit at /account/profile, in this order. Absent or empty: none, and the page does not exist.',
    )
    .refine((all) => new Set(all?.map(({ name }) => name)).size === (all?.length ?? 0), 'each claim once'),
});

export type ClaimsPolicy = z.infer<typeof claimsSchema>;
export type EditableClaim = z.infer<typeof editableClaim>;

/** In force without a `claims.yaml`: the standard claims, at the UserInfo Endpoint. */
export const NO_FURTHER_CLAIMS: ClaimsPolicy = { scopes: [] };
