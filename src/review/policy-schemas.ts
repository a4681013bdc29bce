/**
 * The JSON Schema of each file in policies/, from the zod schema that the server itself uses, so that editors complete
 * and explain the keys. `node src/review/policy-schemas.ts` writes them; with `--check` it fails when they are out of date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { botCheckSchema } from '../../policies/bot-check-schema.ts';
import { brandingSchema } from '../../policies/branding-schema.ts';
import { claimsSchema } from '../../policies/claims-schema.ts';
import { clientsSchema } from '../../policies/client-schema.ts';
import { ledgerSchema } from '../../policies/ledger-schema.ts';
import { limitsSchema } from '../../policies/limits-schema.ts';
import { mailsSchema } from '../../policies/mails-schema.ts';
import { operatorsSchema } from '../../policies/operators-schema.ts';
import { registrationSchema } from '../../policies/registration-schema.ts';
import { policySchema, resourcesSchema, signInSchema, signingKeysSchema } from '../../policies/schema.ts';
import { delegatedSignInSchema, upstreamsSchema } from '../../policies/upstreams-schema.ts';
import { webhooksSchema } from '../../policies/webhooks-schema.ts';

const FILES = [
  ['policy', 'How long tokens and chains live (<name>.policy.yaml)', policySchema],
  ['resources', 'The APIs and their scopes (resources.yaml)', resourcesSchema],
  ['claims', 'The scopes that release claims (claims.yaml)', claimsSchema],
  ['sign-in', 'Sessions and the throttle on password guessing (sign-in.yaml)', signInSchema],
  ['signing-keys', 'The keys that sign tokens (signing-keys.yaml)', signingKeysSchema],
  ['branding', 'The branding of the pages (branding.yaml)', brandingSchema],
  ['mails', "The team's own texts of mails (mails.yaml)", mailsSchema],
  ['ledger', 'How long the ledger is kept (ledger.yaml)', ledgerSchema],
  ['limits', 'How much a node takes on (limits.yaml)', limitsSchema],
  ['operators', 'The administrators of this server (operators.yaml)', operatorsSchema],
  ['upstreams', 'Other OpenID Providers (upstreams.yaml)', upstreamsSchema],
  ['delegated-sign-in', 'The sign-in of your own application (delegated-sign-in.yaml)', delegatedSignInSchema],
  ['webhooks', 'Endpoints of other systems that receive events (webhooks.yaml)', webhooksSchema],
  ['bot-check', 'The challenge service of forms (bot-check.yaml)', botCheckSchema],
  ['registration', 'Clients that introduce themselves (registration.yaml)', registrationSchema],
  ['clients', 'Clients declared in configuration (clients.yaml)', clientsSchema],
] as const;

const pathOf = (name: string) => new URL(`../../policies/json-schema/${name}.schema.json`, import.meta.url);

const textOf = (title: string, schema: z.ZodType) =>
  `${JSON.stringify({ title, ...z.toJSONSchema(schema, { target: 'draft-7', io: 'input' }) }, null, 2)}\n`;

const check = process.argv.includes('--check');
for (const [name, title, schema] of FILES) {
  const text = textOf(title, schema);
  if (!check) writeFileSync(pathOf(name), text);
  else if (readFileSync(pathOf(name), 'utf8') !== text) {
    process.stderr.write(`policies/json-schema/${name}.schema.json is out of date: run npm run generate:schemas\n`);
    process.exitCode = 1;
  }
}
