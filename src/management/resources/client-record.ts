/** A client as the API shows and reads it: the fields of RFC 7591, and what the server keeps beside them. */
import { z } from 'zod';
import { clientRecordSchema } from '../../../policies/client-schema.ts';
import type { RegisteredClient } from '../../model/client.ts';
import { toNames } from '../../registration/client-metadata.ts';
import { addressOf, links } from '../addresses.ts';
import { shownInstant } from '../instant.ts';
import { etag, link } from '../page.ts';
import type { FieldProblem } from '../problem.ts';
import { readOnly } from '../read-only.ts';

/** Shown, and changed by other means. */
const kept = {
  declared: z.boolean().describe('Configuration declares it (clients.yaml), and it is changed there only.'),
  registered_by: z.enum(['operator', 'self']).describe('`self`: the client introduced itself.'),
  stored_secrets: z.int().describe('How many live secrets it has; they are never shown.'),
};
const createdAt = shownInstant.describe('Only shown: when the client was registered.');
const clientLinks = z.object({ self: link, secrets: link, keys: link, consequences: link, grants: link });

/** The body of requests. Read-only members may be sent back unchanged. */
export const clientBody = z.strictObject({
  ...clientRecordSchema.shape,
  declared: kept.declared.optional(),
  registered_by: kept.registered_by.optional(),
  stored_secrets: kept.stored_secrets.optional(),
  ...readOnly({ created_at: createdAt }),
  etag: z.unknown().optional(),
  _links: z.unknown().optional(),
});

/** RFC 7396: null takes a field away. */
export const clientPatch = z.looseObject({}).describe('Members of the client to replace; null removes a member.');

export const clientShape = z
  .object({
    ...clientRecordSchema.omit({ client_secret: true, response_types: true }).shape,
    client_id: z.string(),
    ...kept,
    created_at: createdAt,
    _links: clientLinks,
  })
  // Generated clients have a type Client of their own.
  .meta({ id: 'RegisteredClient' });

export const listedClientShape = clientShape.extend({ etag }).meta({ id: 'ListedClient' });

export const createdClientShape = clientShape
  .extend({
    warnings: z.array(z.string()).optional().describe('What is probably not meant; only in the answer to a change.'),
    client_secret: z.string().optional().describe('Only where it was made now; it is never shown again.'),
  })
  .meta({ id: 'RegisteredClientWithSecret' });

/** Where a new secret of a client stands. */
export const MADE_SECRET = { member: 'client_secret', inDryRun: 'dry-run' } as const;

export const clientAddress = (issuer: string, clientId: string): string => addressOf(issuer, 'clients', clientId);

/** With the instant, which never changes: a condition need not compare it. */
export function shownClient({ _links, ...members }: ClientDocument, created: Date): object {
  return { ...members, created_at: created.toISOString(), _links };
}

type ClientDocument = ReturnType<typeof clientDocument>;

export function clientDocument(issuer: string, client: RegisteredClient) {
  const self = clientAddress(issuer, client.clientId);
  return {
    ...toNames(client),
    declared: client.declared,
    registered_by: client.registeredBy,
    stored_secrets: client.secretMacs.length,
    ...links({
      self,
      secrets: `${self}/secrets`,
      keys: `${self}/keys`,
      consequences: `${self}/consequences`,
      grants: `${addressOf(issuer, 'grants')}?client_id=${encodeURIComponent(client.clientId)}`,
    }),
  };
}

const SHOWN_ONLY = [...Object.keys(kept), 'created_at', 'etag', '_links'];

/** The record without what is only shown. */
export function recordIn(sent: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(sent).filter(([name]) => !SHOWN_ONLY.includes(name)));
}

/** A read-only member in a request must be unchanged. */
export function keptProblems(
  sent: Readonly<Record<string, unknown>>,
  client: Pick<RegisteredClient, 'declared' | 'registeredBy'>,
): readonly FieldProblem[] {
  const stored = { declared: client.declared, registered_by: client.registeredBy };
  return Object.entries(stored)
    .filter(([field, value]) => sent[field] !== undefined && sent[field] !== value)
    .map(([field, value]) => ({ field, detail: `Expected ${JSON.stringify(value)}: this field is read-only.` }));
}
