/** The schema of `claims.yaml`: the claims about the end-user that each scope releases, and where. */
import { z } from 'zod';
import { CLAIM_NAME, CLAIM_NAME_EXPECTED, CLAIM_PLACES, RESERVED_CLAIMS } from '../src/oauth/claims.ts';
import { expecting } from './expectations.ts';
import { scopeToken } from './schema.ts';

const claimName = expecting(z.string().regex(CLAIM_NAME), CLAIM_NAME_EXPECTED).refine(
  (name) => !RESERVED_CLAIMS.includes(name),
  'a name without another meaning in tokens (such as sub, aud, scope)',
);

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
});

export type ClaimsPolicy = z.infer<typeof claimsSchema>;

/** In force without a `claims.yaml`: the standard claims, at the UserInfo Endpoint. */
export const NO_FURTHER_CLAIMS: ClaimsPolicy = { scopes: [] };
