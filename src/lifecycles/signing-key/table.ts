import { sql } from 'drizzle-orm';
import { check, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import type { KeyRetirementReason, SigningKeyState } from '../../../machines/signing-key/facts.ts';
import type { SigningAlgorithm } from '../../oauth/signing-algorithms.ts';
import { authenticated, instant } from '../columns.ts';
import { inOrder } from '../in-order.ts';
import { described, type Facts, KEPT, type Row } from '../table.ts';

/**
 * The keys that sign tokens (machines/signing-key/machine.ts). Per algorithm at most one key signs and at most one waits: an
 * exclusion constraint in the migrations enforces that, which this schema language cannot express.
 */
export const signingKeys = pgTable(
  'signing_keys',
  {
    kid: text('kid').primaryKey(),
    alg: text('alg').$type<SigningAlgorithm>().notNull(),
    publicJwk: jsonb('public_jwk').$type<Readonly<Record<string, unknown>>>().notNull(),
    /** A JWE (compact); its `kid` names the root secret. Null: erased, since the key no longer signs. */
    privateJwe: text('private_jwe'),
    state: text('state').$type<SigningKeyState>().notNull(),
    /** Published since. */
    createdAt: instant('created_at').notNull().defaultNow(),
    /** By then every cache holds it, under the policy that published it. */
    maySignAt: instant('may_sign_at').notNull(),
    beganSigningAt: instant('began_signing_at'),
    /** An operator asked for a successor, which need not wait for the end of this key's time. */
    rotationAskedAt: instant('rotation_asked_at'),
    stoppedSigningAt: instant('stopped_signing_at'),
    retiredAt: instant('retired_at'),
    retiredReason: text('retired_reason').$type<KeyRetirementReason>(),
    ...authenticated(),
  },
  (table) => [
    check('signing_keys_state', sql`${table.state} in ('published', 'signing', 'retiring', 'retired')`),
    // A key that no longer signs has no private half.
    check(
      'signing_keys_private_part',
      sql`(${table.state} in ('published', 'signing')) = (${table.privateJwe} is not null)`,
    ),
    check('signing_keys_began', sql`${table.state} <> 'signing' or ${table.beganSigningAt} is not null`),
    check('signing_keys_stopped', sql`${table.state} <> 'retiring' or ${table.stoppedSigningAt} is not null`),
    check(
      'signing_keys_retired_has_reason',
      sql`(${table.state} = 'retired') = (${table.retiredReason} is not null and ${table.retiredAt} is not null)`,
    ),
  ],
);

/** What is published. jsonb keeps no order of names. */
export const signingKeyFacts = ({
  kid,
  alg,
  publicJwk,
  macVersion,
}: Row<typeof signingKeys, 'kid' | 'alg' | 'publicJwk' | 'macVersion'>): Facts => [
  'signing-key',
  [kid, alg, JSON.stringify(inOrder(publicJwk)), macVersion],
];

export const signingKeyTable = described(signingKeys, {
  machine: 'signingKey',
  key: signingKeys.kid,
  /**
   * `instant`: never cleared once it is set. `secret`: never set again once it is erased. `asked`: a request of the operator, which an earlier
   * handover may overwrite.
   */
  changes: {
    state: 'state',
    retiredReason: 'end',
    beganSigningAt: 'instant',
    rotationAskedAt: 'asked',
    stoppedSigningAt: 'instant',
    retiredAt: 'end',
    privateJwe: 'secret',
  },
  spreadBy: 'everywhere',
  rights: KEPT,
  mac: { facts: signingKeyFacts, alive: sql`${signingKeys.state} <> 'retired'` },
  counted: {},
});
