import { type SQL, sql } from 'drizzle-orm';
import { bigint, check, index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { REUSES, type SignInFacts } from '../../model/grant.ts';
import { clients } from '../client/table.ts';
import { bytes, epoch, instant } from '../columns.ts';
import { pairsOf } from '../moves.ts';
import { epochThatEnded, MAX_ACCESS_TOKEN_SECONDS } from '../retention.ts';
import { whileNodesMade } from '../root-keys.ts';
import {
  along,
  beginsFirst,
  changed,
  hasEnded,
  isNotEmptied,
  keeps,
  movesWithMachine,
  oneOf,
  refuses,
  staysUntil,
} from '../rules.ts';
import { described, PASSING } from '../table.ts';
import { users } from '../user/table.ts';

/** One authorization: the code's half, then the chain of refresh tokens. Constant space for its whole life. */
export const grants = pgTable(
  'grants',
  {
    /** That of the interaction that was approved: so a double submit makes one grant, and one code. */
    id: uuid('id').primaryKey(),
    clientId: text('client_id')
      .notNull()
      .references(() => clients.clientId),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    clientEpoch: epoch('client_epoch'),
    userEpoch: epoch('user_epoch'),
    serverEpoch: epoch('server_epoch'),
    scope: text('scope').array().notNull(),
    resources: text('resources').array().notNull(),
    /** The client's policy at the approval. Lifetimes follow the client's current policy. */
    policy: text('policy').notNull(),
    /** SHA-256 of the code's secret half. */
    codeHash: bytes('code_hash').notNull(),
    codeChallenge: text('code_challenge').notNull(),
    redirectUri: text('redirect_uri').notNull(),
    /** The thumbprint of the key to which the code is bound (RFC 9449 §10); null: to its client and verifier alone. */
    dpopJkt: text('dpop_jkt'),
    /** The claims of this grant's tokens about the sign-in; null: the grant predates them in access tokens, and `openid` was not granted. */
    identity: jsonb('identity').$type<SignInFacts>(),
    codeEndsAt: instant('code_ends_at').notNull(),
    state: text('state').$type<'active' | 'revoked'>().notNull(),
    revokedAt: instant('revoked_at'),
    revokedReason: text('revoked_reason'),
    /** The head of the chain; null until the code is exchanged. */
    refreshGeneration: bigint('refresh_generation', { mode: 'bigint' }),
    /** 16 random bytes, new at each rotation. */
    refreshNonce: bytes('refresh_nonce'),
    createdAt: instant('created_at').notNull(),
    /** The exchange, then the last rotation. */
    lastUsedAt: instant('last_used_at'),
    /** The chain's end as it stood at the last use; a policy may shorten it, never extend it. */
    chainEndsAt: instant('chain_ends_at'),
  },
  (table) => [
    // Nothing that a rotation changes is indexed, so that Postgres can update the row in place (HOT).
    index('grants_created_at').on(table.createdAt),
    index('grants_user_id_created_at').on(table.userId, table.createdAt),
    // For the alarms: a rotation changes neither its column nor its condition.
    index('grants_revoked_at').on(table.revokedAt).where(sql`${table.state} = 'revoked'`),
    index('grants_client_id_created_at').on(table.clientId, table.createdAt),
    check('grants_state', sql`${table.state} in ('active', 'revoked')`),
    check('grants_revoked_has_reason', sql`(${table.state} = 'revoked') = (${table.revokedReason} is not null)`),
    check('grants_head_is_whole', sql`(${table.refreshGeneration} is null) = (${table.refreshNonce} is null)`),
  ],
);

const endOfGrant = epochThatEnded(
  'grants',
  sql`not exists (select 1 from clients c
    where c.client_id = grants.client_id and c.epoch = grants.client_epoch and c.deleted_at is null)`,
);

const NONCE_BYTES = 16;

export const grantTable = described(grants, {
  machine: 'grant',
  key: grants.id,
  /** `state`, `end`: change with the machine. `head`, `use`: change with a rotation. */
  changes: {
    state: 'state',
    revokedAt: 'end',
    revokedReason: 'end',
    refreshGeneration: 'head',
    refreshNonce: 'head',
    lastUsedAt: 'use',
    chainEndsAt: 'use',
  },
  spreadBy: grants.id,
  rights: PASSING,
  personal: {
    name: 'grants',
    owner: grants.userId,
    shown: [
      grants.id,
      grants.clientId,
      grants.scope,
      grants.resources,
      grants.policy,
      grants.redirectUri,
      grants.identity,
      grants.state,
      grants.revokedAt,
      grants.revokedReason,
      grants.createdAt,
      grants.lastUsedAt,
      grants.chainEndsAt,
    ],
    shownAs: {
      state: sql`case when ${endOfGrant} is null then grants.state else 'revoked' end`,
      revoked_reason: sql`coalesce(grants.revoked_reason, ${endOfGrant})`,
    },
    since: grants.createdAt,
    // It stays until its last access token has expired, so that the server knows the token as ended; it has the `sub` alone.
    erasure: 'kept',
  },
  madeUnderRoot: [
    {
      purpose: 'refresh-token',
      what: 'refresh tokens',
      remedy: 'atUse',
      // The tokens of a chain whose last one was made while a node could make it under this root secret.
      count: (now: SQL) =>
        whileNodesMade(
          sql`(select coalesce(g.last_used_at, g.created_at) as made_at, g.chain_ends_at from grants g
            join server s on s.epoch = g.server_epoch
            where g.state = 'active' and g.refresh_nonce is not null and g.chain_ends_at > ${now}) chains`,
          sql`chain_ends_at`,
        ),
    },
  ],
  webhookEvents: {
    'grant.revoked': [{ from: ['active'], to: ['revoked'], notReasons: REUSES }],
    'grant.reuse_detected': [{ from: ['active'], to: ['revoked'], reasons: REUSES }],
  },
  rules: [
    beginsFirst(
      'a grant begins in the first state of its machine, with no head and no end',
      'NEW.revoked_at IS NOT NULL',
      'NEW.refresh_generation IS NOT NULL',
      'NEW.last_used_at IS NOT NULL',
      'NEW.chain_ends_at IS NOT NULL',
    ),
    keeps('keeps_what_was_approved', 'what was approved does not change'),
    movesWithMachine('grant'),
    refuses(
      'ends_once_with_a_reason',
      { update: ['revoked_at', 'revoked_reason'] },
      'a grant ends once, with an instant and a reason that its machine writes',
      ({ moves }) => [
        `NEW.state = OLD.state AND ${changed(['revoked_at', 'revoked_reason'])}`,
        ...pairsOf(moves, 'writeRevoked').flatMap((pair) => [
          `${along(pair)} AND NEW.revoked_at IS NULL`,
          `${along(pair)} AND NOT coalesce(${oneOf('NEW.revoked_reason', pair.reasons)}, false)`,
        ]),
      ],
    ),
    refuses(
      'head_moves_by_one',
      { update: ['refresh_generation', 'refresh_nonce'] },
      'the head of a chain moves forward by one, with a fresh nonce, while its grant lives',
      (held) => [
        hasEnded(held),
        'NEW.state <> OLD.state',
        'NEW.refresh_generation IS DISTINCT FROM coalesce(OLD.refresh_generation + 1, 0)',
        'NEW.refresh_nonce IS NOT DISTINCT FROM OLD.refresh_nonce',
        `octet_length(NEW.refresh_nonce) IS DISTINCT FROM ${NONCE_BYTES}`,
        'NEW.last_used_at IS NULL',
        'NEW.chain_ends_at IS NULL',
      ],
      changed(['refresh_generation', 'refresh_nonce']),
    ),
    refuses(
      'times_move_with_the_head',
      { update: ['last_used_at', 'chain_ends_at'] },
      'the last use and the end of a chain change only when its head moves',
      [`NOT ${changed(['refresh_generation'])} AND ${changed(['last_used_at', 'chain_ends_at'])}`],
    ),
    staysUntil('stays_until_its_end', 'a grant stays until the life of its last access token is over', [
      `coalesce(OLD.chain_ends_at, OLD.code_ends_at) >= now() - interval '${MAX_ACCESS_TOKEN_SECONDS} seconds'`,
    ]),
    isNotEmptied('grants end one by one'),
  ],
});
