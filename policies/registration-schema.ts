/** The schema of `registration.yaml`: clients that introduce themselves. Without the file, none can. */
import { z } from 'zod';
import { clientKeySchema, MAX_CLIENT_KEYS, webAddress } from './client-schema.ts';
import { expecting } from './expectations.ts';

const origin = expecting(
  z
    .string()
    .refine((text) => URL.canParse(text) && new URL(text).protocol === 'https:' && new URL(text).origin === text),
  'an origin, such as https://client.example',
);

const scopeToken = expecting(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,255}$/), 'a scope token (RFC 6749 §3.3)');

/** The access of each client that introduces itself. */
const access = {
  scopes: z
    .array(scopeToken)
    .min(1)
    .describe('The most that such a client may ask for: scopes of its resources, and those of OpenID Connect.'),
  resources: z
    .array(z.string().min(1).max(512))
    .min(1)
    .describe('The resources of resources.yaml for which such a client may get tokens.'),
  policy: z.string().describe('NAME of NAME.policy.yaml, which gives the lifetimes of such a client.'),
};

const stored = () => z.int().min(10).max(1_000_000).default(10_000);

export const metadataDocumentsSchema = z
  .strictObject({
    origins: expecting(
      z.union([z.literal('any'), z.array(origin).min(1).max(1000)]),
      'any, or a list of origins such as https://client.example',
    ).describe('The origins whose documents count. any: each public origin.'),
    ...access,
    maxDocuments: stored().describe(
      'The number of documents that the server keeps. It accepts no new one beyond that.',
    ),
  })
  .describe('Clients whose client_id is the https URL of a document about them (Client ID Metadata Documents).');

const initialAccessToken = z.strictObject({
  name: z.string().min(1).max(100).describe('Names the token in the log, such as the team that has it.'),
  sha256: expecting(z.string().regex(/^[0-9a-f]{64}$/), '64 lower-case hexadecimal digits').describe(
    'SHA-256 of the token, which is random: printf %s "$TOKEN" | sha256sum. Never the token itself.',
  ),
});

const trustedIssuer = z
  .strictObject({
    issuer: z.string().min(1).max(512).describe('The iss of its software statements, compared as an exact string.'),
    jwks: z
      .object({ keys: z.array(clientKeySchema).min(1).max(MAX_CLIENT_KEYS) })
      .optional()
      .describe('Its public keys, as a JWK Set.'),
    jwksUri: webAddress.optional().describe('Where it publishes its public keys, as a JWK Set.'),
  })
  .refine(({ jwks, jwksUri }) => (jwks === undefined) !== (jwksUri === undefined), 'either jwks or jwksUri');

export const dynamicRegistrationSchema = z
  .strictObject({
    access: z
      .enum(['open', 'initialAccessToken', 'softwareStatement'])
      .describe(
        'The clients that may register. open: each client. initialAccessToken: a client with one of initialAccessTokens. softwareStatement: a client with a software statement of one of trustedIssuers.',
      ),
    initialAccessTokens: z
      .array(initialAccessToken)
      .min(1)
      .max(100)
      .optional()
      .describe('The initial access tokens (RFC 7591 §3), as hashes.'),
    trustedIssuers: z
      .array(trustedIssuer)
      .min(1)
      .max(100)
      .optional()
      .describe(
        'The issuers whose software statements count (RFC 7591 §2.3). With any access, the claims replace the sent metadata.',
      ),
    ...access,
    registrationsPerHour: z
      .int()
      .min(1)
      .max(100_000)
      .default(20)
      .describe(
        'The number of clients that one address may register in an hour, at each node. A client may change its registration as often.',
      ),
    maxRegistrations: stored().describe(
      'The number of registrations that the server keeps. It accepts no new one beyond that.',
    ),
    unusedDays: z
      .int()
      .min(1)
      .max(3650)
      .default(30)
      .describe(
        'The days that a client stays without a sign-in. Afterwards, a client without active grants is removed.',
      ),
  })
  .refine(({ access: by, initialAccessTokens }) => by !== 'initialAccessToken' || initialAccessTokens !== undefined, {
    path: ['initialAccessTokens'],
    error: 'initialAccessTokens, with this access',
  })
  .refine(({ access: by, trustedIssuers }) => by !== 'softwareStatement' || trustedIssuers !== undefined, {
    path: ['trustedIssuers'],
    error: 'trustedIssuers, with this access',
  })
  .describe('Clients that register themselves at POST /oauth/register (Dynamic Client Registration, RFC 7591).');

export const registrationSchema = z.strictObject({
  metadataDocuments: metadataDocumentsSchema.optional(),
  dynamicRegistration: dynamicRegistrationSchema.optional(),
});

export type Registration = z.output<typeof registrationSchema>;
export type MetadataDocuments = z.output<typeof metadataDocumentsSchema>;
export type DynamicRegistration = z.output<typeof dynamicRegistrationSchema>;
/** The access of a client that introduces itself, in whichever way. */
export type IntroducedAccess = Pick<MetadataDocuments, keyof typeof access>;

/** No client introduces itself. */
export const NO_REGISTRATION: Registration = {};
