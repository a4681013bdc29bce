/** The JSON Schemas for editors and commands match what the server accepts. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { claimsSchema } from '../../../policies/claims-schema.ts';
import { clientsSchema } from '../../../policies/client-schema.ts';
import { policySchema, resourcesSchema, signInSchema, signingKeysSchema } from '../../../policies/schema.ts';

it.each([
  ['policy', policySchema],
  ['resources', resourcesSchema],
  ['claims', claimsSchema],
  ['sign-in', signInSchema],
  ['signing-keys', signingKeysSchema],
  ['clients', clientsSchema],
])('the JSON Schema of %s is that of the server (npm run generate:schemas)', (name, schema: z.ZodType) => {
  const file = new URL(`../../../policies/json-schema/${name}.schema.json`, import.meta.url);
  const { title, ...written } = JSON.parse(readFileSync(file, 'utf8')) as { title: string };
  expect(title).not.toBe('');
  expect(JSON.parse(JSON.stringify(z.toJSONSchema(schema, { target: 'draft-7', io: 'input' })))).toEqual(written);
});
