/** The schema of `registration.yaml`: clients that introduce themselves. Without the file, none can. */
import { z } from 'zod';
import { expecting } from './expectations.ts';

const origin = expecting(
  z
    .string()
    .refine((text) => URL.canParse(text) && new URL(text).protocol === 'https:' && new URL(text).origin === text),
  'an origin, such as https://client.example',
);

const scopeToken = expecting(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,255}$/), 'a scope token (RFC 6749 §3.3)');

export const metadataDocumentsSchema = z
  .strictObject({
    origins: expecting(
      z.union([z.literal('any'), z.array(origin).min(1).max(1000)]),
      'any, or a list of origins such as https://client.example',
    ).describe('The origins whose documents count. any: each public origin.'),
    scopes: z
      .array(scopeToken)
      .min(1)
      .describe('The most that such a client may ask for: scopes of its resources, and those of OpenID Connect.'),
    resources: z
      .array(z.string().min(1).max(512))
      .min(1)
      .describe('The resources of resources.yaml for which such a client may get tokens.'),
    policy: z.string().describe('NAME of NAME.policy.yaml, which gives the lifetimes of such a client.'),
    maxDocuments: z
      .int()
      .min(10)
      .max(1_000_000)
      .default(10_000)
      .describe('The number of documents that the server keeps. It accepts no new one beyond that.'),
  })
  .describe('Clients whose client_id is the https URL of a document about them (Client ID Metadata Documents).');

export const registrationSchema = z.strictObject({
  metadataDocuments: metadataDocumentsSchema.optional(),
});

export type Registration = z.output<typeof registrationSchema>;
export type MetadataDocuments = z.output<typeof metadataDocumentsSchema>;

/** No client introduces itself. */
export const NO_REGISTRATION: Registration = {};
