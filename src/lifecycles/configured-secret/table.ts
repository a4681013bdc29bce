import { sql } from 'drizzle-orm';
import { bigint, check, pgTable, text } from 'drizzle-orm/pg-core';
import { instant } from '../columns.ts';
import { byKey, hex, octetsOf } from '../root-keys.ts';
import { isNotEmptied, keeps, refuses, stays } from '../rules.ts';
import { described, KEPT } from '../table.ts';

/**
 * Secrets that configuration names, set over the management API (docs/decisions/0100). No machine moves them: a secret may always be set and
 * always be removed. An earlier value does not come back: it is sealed for its version, which only rises, and the row stays.
 */
export const configuredSecrets = pgTable(
  'configured_secrets',
  {
    /** As configuration names it: that of an environment variable. */
    name: text('name').primaryKey(),
    /** Counts the changes. */
    version: bigint('version', { mode: 'bigint' }).notNull(),
    /** Sealed under the root secret, for this name and version. Null: removed. */
    sealedValue: text('sealed_value'),
    changedAt: instant('changed_at').notNull(),
  },
  (table) => [check('configured_secrets_version', sql`${table.version} > 0`)],
);

export const configuredSecretTable = described(configuredSecrets, {
  machine: null,
  key: configuredSecrets.name,
  changes: { version: 'record', sealedValue: 'secret', changedAt: 'instant' },
  spreadBy: 'everywhere',
  rights: KEPT,
  madeUnderRoot: [
    {
      purpose: 'configured-secret',
      what: 'secrets that configuration names',
      remedy: 'renewed',
      count: () =>
        byKey(
          hex(sql`substring(${octetsOf(sql`left(sealed_value, 8)`)} from 2 for 4)`),
          sql`${configuredSecrets} where sealed_value is not null`,
        ),
    },
  ],
  rules: [
    keeps('keeps_its_name', 'a secret keeps its name'),
    refuses(
      'stays_replaced',
      { update: ['version', 'sealed_value'] },
      'the version of a secret only rises, and a removed secret comes back under a new one',
      [
        'NEW.version < OLD.version',
        'OLD.sealed_value IS NULL AND NEW.sealed_value IS NOT NULL AND NEW.version = OLD.version',
      ],
    ),
    stays('the row of a secret stays, so that no earlier version begins again'),
    isNotEmptied('secrets are removed one by one'),
  ],
});
