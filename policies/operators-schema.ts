/** The schema of `operators.yaml`: the administrators of this server, who use its management API. */
import { z } from 'zod';
import { formatScope, parseScope } from '../src/oauth/scope.ts';
import { expecting } from './expectations.ts';
import { isPlainText } from './plain-text.ts';

/** Each operator has full control of the server, and each auditor can read everything. */
const MAX_ENTRIES = 1000;

const username = expecting(
  z
    .string()
    .max(256)
    .refine((text) => isPlainText(text) && text.trim() !== ''),
  'a username: 1 to 256 characters without control characters, not only spaces',
);

const scope = expecting(
  z.codec(
    z
      .string()
      .max(1024)
      .refine((text) => parseScope(text) !== null),
    z.array(z.string()),
    { decode: (text) => parseScope(text) ?? [], encode: formatScope },
  ),
  'scopes of the management API, separated by spaces',
);

/** `operators.yaml`. Without the file, no user administers this server through the management API. */
export const operatorsSchema = z.strictObject({
  operators: z
    .array(username)
    .max(MAX_ENTRIES)
    .default([])
    .describe('Usernames of the end-users who may do everything: all scopes of the management API.'),
  auditors: z
    .array(username)
    .max(MAX_ENTRIES)
    .default([])
    .describe(
      'Usernames of the end-users who may look at everything and change nothing: the scopes that end in :read.',
    ),
  clients: z
    .array(
      z.strictObject({
        client_id: expecting(z.string().regex(/^[\x20-\x7e]{1,255}$/), '1 to 255 characters of %x20-7E').describe(
          'A confidential client that administers on its own behalf, with client credentials.',
        ),
        scope: scope.describe('The scopes of the management API that it may have, separated by spaces.'),
      }),
    )
    .max(MAX_ENTRIES)
    .default([])
    .describe('Clients that may administer without an end-user.'),
});

export type OperatorsFile = z.output<typeof operatorsSchema>;

/** In force without an `operators.yaml`. */
export const NOBODY_ADMINISTERS: OperatorsFile = { operators: [], auditors: [], clients: [] };
