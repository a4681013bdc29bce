import { sql } from 'drizzle-orm';
import { check, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import type { KeyRetirementReason, SigningKeyState } from '../../../machines/signing-key/facts.ts';
import type { SigningAlgorithm } from '../../oauth/signing-algorithms.ts';
import { authenticated, instant } from '../columns.ts';
import { inOrder } from '../in-order.ts';
import { byKey, octetsOf, padded } from '../root-keys.ts';
import {
  beginsMoved,
  changed,
  endsWithReason,
  hasEnded,
  isNotEmptied,
  keeps,
  movesWithMachine,
  refuses,
  stays,
} from '../rules.ts';
import { described, type Facts, KEPT, type Row } from '../table.ts';

/**
 * The keys that sign tokens (machines/signing-key/machine.ts). Per algorithm at most one key signs and at most one waits. An
 * exclusion constraint in the migrations enforces that, since this schema language cannot express it.
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

/** The published members of a key. jsonb keeps no order of names. */
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
  madeUnderRoot: [
    {
      purpose: 'signing-key',
      what: 'signing keys',
      remedy: 'renewed',
      count: () =>
        byKey(
          sql`convert_from(${octetsOf(padded(sql`split_part(private_jwe, '.', 1)`))}, 'utf8')::jsonb ->> 'kid'`,
          sql`${signingKeys} where private_jwe like '%.%'`,
        ),
    },
  ],
  webhookEvents: {
    'signing_key.published': [{ from: ['unpublished'] }],
    'signing_key.activated': [{ from: ['published'], to: ['signing'] }],
    'signing_key.revoked': [{ to: ['retired'], reasons: ['revocation_requested'] }],
  },
  rules: [
    // A key in the first state is only in the memory of a node; keys in the next states are stored.
    beginsMoved(
      'a key is stored as published, or signs at once',
      'NEW.stopped_signing_at IS NOT NULL',
      'NEW.retired_at IS NOT NULL',
    ),
    keeps('keeps_what_was_published', 'what was published of a key does not change'),
    movesWithMachine('signing-key'),
    endsWithReason(
      'retires_with_a_reason',
      ['retired_at', 'retired_reason'],
      { by: 'retire', reason: 'retired_reason' },
      'a key retires once, with a reason that its machine writes',
    ),
    refuses(
      'instants_stay',
      ({ columns }) => ({ update: columns('instant') }),
      'what has happened to a key has happened',
      (held) => [
        ...held.columns('instant').map((instant) => `OLD.${instant} IS NOT NULL AND NEW.${instant} IS NULL`),
        `${hasEnded(held)} AND ${changed(held.columns('instant'))}`,
      ],
    ),
    refuses('erased_stays_erased', { update: ['private_jwe'] }, 'a private half that was erased does not come back', [
      'OLD.private_jwe IS NULL AND NEW.private_jwe IS NOT NULL',
    ]),
    stays('a key stays, so that a retired one never comes back'),
    isNotEmptied('keys retire one by one'),
  ],
});
