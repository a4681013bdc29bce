/**
 * The tables. One authorization is one row in `grants` (docs/decisions/0001); the states of its code and refresh tokens are
 * derived from that row, never stored.
 */
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgSequence,
  pgTable,
  primaryKey,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import { bytes, epoch, instant, texts, xid8 } from '../lifecycles/columns.ts';
import { keptAmong } from '../lifecycles/root-keys.ts';
import { HELD_TABLES, users } from '../lifecycles/tables.ts';
import type { AttemptOutcome } from '../lifecycles/webhook-delivery/attempt.ts';
import type { RasterType } from '../model/image.ts';
import { SHARD } from '../model/ledger.ts';

export * from '../lifecycles/tables.ts';

/** One row, about the server as a whole. */
export const server = pgTable(
  'server',
  {
    id: integer('id').primaryKey(),
    epoch: epoch('epoch').default(sql`0`),
    /** As the policies of the nodes have it: verified addresses are identifiers, so that each identifies one end-user. */
    addressesIdentify: boolean('addresses_identify').notNull().default(false),
  },
  (table) => [check('server_is_one_row', sql`${table.id} = 1`)],
);

/** Cached by each connection: only lines of the same transaction are put in order by it. */
export const transitionsPosition = pgSequence('transitions_position', { cache: 32 });

/** The ledger: each decision that changed stored rows. Append-only, partitioned by month; the engine never reads it. */
export const transitions = pgTable(
  'transitions',
  {
    at: instant('at').notNull(),
    machine: text('machine').notNull(),
    /** The id of its grant or interaction, else of its end-user, else of its row (ledger.ts). */
    shardKey: uuid('shard_key').notNull(),
    grantId: uuid('grant_id'),
    interactionId: uuid('interaction_id'),
    event: text('event').notNull(),
    fromState: text('from_state').notNull(),
    toState: text('to_state').notNull(),
    reason: text('reason'),
    generation: bigint('generation', { mode: 'bigint' }),
    /** Null: a signing key, which belongs to no client. */
    clientId: text('client_id'),
    policy: text('policy'),
    signingKeyId: text('signing_key_id'),
    /** The `sid` of the session that the line is about. */
    sessionId: uuid('session_id'),
    /** Scope tokens that were granted, but are above the client's current ceiling, separated by spaces. */
    scopeWithheld: text('scope_withheld'),
    /** The end-user that the line is about, where it is about no grant and no session. */
    userId: uuid('user_id'),
    /** The actor, where they asked on behalf of others: `command_line`, `operator SUB`, … (src/model/actor.ts). */
    actor: text('actor'),
    /** A keyed hash of the address that it was asked from. */
    addressHash: text('address_hash'),
    /** The names of the fields that changed. */
    fields: texts('fields'),
    /** Of a sign-in, and of a credential that was used before: where it came from. */
    address: text('address'),
    /** Of a sign-in: a keyed hash of the username (src/crypto/account-hash.ts), also of one that no end-user has. */
    accountHash: text('account_hash'),
    /** The `sid` of the session that a sign-in began. Such a line is found by its end-user, so it is not `session_id`. */
    begunSessionId: uuid('begun_session_id'),
    /** Of a credential that was used before: the user agent of the presenter, bounded and in printable ASCII. */
    userAgent: text('user_agent'),
    /** The transaction that wrote the line; 0: written before there was this column. */
    recordedIn: xid8('recorded_in').notNull().default(sql`pg_current_xact_id()`),
    /** Puts the lines of a transaction in order; 0: written before there was this column. */
    position: bigint('position', { mode: 'bigint' }).notNull().default(sql`nextval('transitions_position')`),
    /** The node whose transaction it is, where the tables are spread: 1 + its group in Citus. Null: the one Postgres, or the coordinator. */
    recordedOn: integer('recorded_on'),
  },
  (table) => [
    // Every rotation writes both, so each has no column that a statement could do without (docs/performance.md).
    // The entries of a grant have its id. Equal keys share an index tuple.
    index('transitions_shard_key').on(table.shardKey),
    // The order of the feed (docs/decisions/0032).
    index('transitions_order').on(table.recordedIn, table.position),
    // Of sessions and end-users. The line of a rotation names neither, so it is not in it.
    index('transitions_about')
      .on(sql`coalesce(${table.sessionId}, ${table.userId})`)
      .where(sql`coalesce(${table.sessionId}, ${table.userId}) is not null`),
  ],
);

/**
 * Closed segments of the ledger, each signed and chained to the one before (docs/decisions/0044). Append-only. The order of the ledger is that of
 * one shard, and so is the chain: a plain Postgres is one shard.
 */
export const ledgerSeals = pgTable(
  'ledger_seals',
  {
    shard: integer('shard').notNull().default(SHARD),
    number: bigint('number', { mode: 'number' }).notNull(),
    sealedAt: instant('sealed_at').notNull(),
    /** The signed statement, to the octet: JSON (src/ledger/segment.ts). */
    statement: text('statement').notNull(),
    /** Ed25519, base64url. */
    signature: text('signature').notNull(),
    /** 32 octets for each line: with it `statehouse ledger verify` names the line. */
    lineIndex: bytes('line_index').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.shard, table.number] }),
    check('ledger_seals_of_the_shard', sql`${table.shard} = 1`),
  ],
);

/** For how long lines of the ledger are kept. One row; the server's role only reads it, and so cannot drop lines early. */
export const ledgerRetention = pgTable(
  'ledger_retention',
  {
    only: boolean('only').primaryKey().default(true),
    keptDays: integer('kept_days').notNull(),
  },
  (table) => [check('ledger_retention_only', sql`${table.only}`)],
);

/**
 * Counts for the overview, of five minutes each: ledger entries by kind, responses by duration, and active chains (docs/decisions/0097).
 * Nothing decides from them.
 */
export const statistics = pgTable(
  'statistics',
  {
    /** The beginning of the bucket. */
    at: instant('at').notNull(),
    series: text('series').notNull(),
    count: bigint('count', { mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.at, table.series] })],
);

/** How far the ledger is counted into `statistics`. One row. */
export const statisticsProgress = pgTable(
  'statistics_progress',
  {
    only: boolean('only').primaryKey().default(true),
    /** The entries of earlier transactions are counted. */
    countedBelow: xid8('counted_below').notNull(),
    /** The same of each recording node of a cluster (recording-nodes.ts). Null: none. */
    nodes: jsonb('nodes').$type<readonly CountedNode[]>(),
    /** Only entries of decisions since then: others were counted in the Postgres that the tables come from. */
    since: instant('since').notNull(),
  },
  (table) => [check('statistics_progress_only', sql`${table.only}`)],
);

type CountedNode = { readonly node: number; readonly countedBelow: string };

/** Access tokens that were revoked and have no grant to end (client credentials), until they expire by themselves. */
export const deniedAccessTokens = pgTable(
  'denied_access_tokens',
  {
    jti: text('jti').primaryKey(),
    clientId: text('client_id').notNull(),
    endsAt: instant('ends_at').notNull(),
  },
  (table) => [index('denied_access_tokens_ends_at').on(table.endsAt)],
);

/**
 * When each end-user signed in last, for lists. A sign-in writes it with its session, since sessions and entries of the ledger go, and a
 * sign-in does not write the row of its end-user. A row decides nothing.
 */
export const lastSignIns = pgTable(
  'last_sign_ins',
  {
    userId: uuid('user_id')
      .primaryKey()
      .references(() => users.id),
    signedInAt: instant('signed_in_at').notNull(),
  },
  (table) => [index('last_sign_ins_signed_in_at').on(table.signedInAt, table.userId)],
);

/** Challenges of passkeys that were answered: each counts once, until it ends by itself. */
export const spentChallenges = pgTable(
  'spent_challenges',
  {
    challengeHash: bytes('challenge_hash').primaryKey(),
    endsAt: instant('ends_at').notNull(),
  },
  (table) => [index('spent_challenges_ends_at').on(table.endsAt)],
);

/** Failed sign-ins per account with address or with device, per account, and per address; and other attempts, under keys of their own. */
export const signInFailures = pgTable(
  'sign_in_failures',
  {
    keyHash: bytes('key_hash').primaryKey(),
    failures: integer('failures').notNull(),
    /** Delays begin here. */
    lastFailedAt: instant('last_failed_at').notNull().defaultNow(),
    /** Forgotten from then on. */
    windowEndsAt: instant('window_ends_at').notNull(),
  },
  (table) => [index('sign_in_failures_window_ends_at').on(table.windowEndsAt)],
);

/** The id that a POST of the management API creates derives from its Idempotency-Key, for a day (src/management/idempotency.ts). */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    nameHash: bytes('name_hash').primaryKey(),
    requestHash: bytes('request_hash').notNull(),
    rootKeyId: text('root_key_id').notNull(),
    salt: bytes('salt').notNull(),
    /** The row of the request was stored: the server never creates it a second time, also after its removal. */
    carriedOut: boolean('carried_out').notNull().default(false),
    endsAt: instant('ends_at').notNull(),
  },
  (table) => [index('idempotency_keys_ends_at').on(table.endsAt)],
);

/**
 * The session of a browser that is signed in to the console. It lasts as long as the access token's grant (docs/decisions/0033). The
 * server stores only the hash of the cookie, and the token only sealed.
 */
export const consoleSessions = pgTable(
  'console_sessions',
  {
    idHash: bytes('id_hash').primaryKey(),
    /** The id to which forms are bound. It stays when the same person's token is renewed, and the cookie does not. */
    formId: uuid('form_id').notNull(),
    userId: uuid('user_id').notNull(),
    sealedToken: text('sealed_token').notNull(),
    /** From then on a page fetches another token before it is shown. */
    renewAt: instant('renew_at').notNull(),
    tokenEndsAt: instant('token_ends_at').notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [
    index('console_sessions_token_ends_at').on(table.tokenEndsAt),
    index('console_sessions_user_id').on(table.userId),
  ],
);

/**
 * Images of clients, by the `logo_uri` that they were fetched from, so that no page asks another server. Without a hash: nothing that can
 * be shown came from there. A row decides nothing.
 */
export const clientLogos = pgTable(
  'client_logos',
  {
    logoUri: text('logo_uri').primaryKey(),
    /** SHA-256 of the bytes, as base64url: its name in URLs. */
    hash: text('hash'),
    type: text('type').$type<RasterType>(),
    bytes: bytes('bytes'),
    /** When it is fetched next. */
    fetchAt: instant('fetch_at').notNull(),
  },
  (table) => [index('client_logos_hash').on(table.hash), index('client_logos_fetch_at').on(table.fetchAt)],
);

/**
 * The keys of rows that were deleted while an earlier image of them could still count: no row begins under them again. A trigger writes
 * them, with the rights of the owner of the tables; the server's role only reads them.
 */
export const endedRows = pgTable(
  'ended_rows',
  {
    relation: text('relation').notNull(),
    key: text('key').notNull(),
    /** From then on no image of the row counts by itself. Null: never. */
    forgetAt: instant('forget_at'),
  },
  (table) => [primaryKey({ columns: [table.relation, table.key] }), index('ended_rows_forget_at').on(table.forgetAt)],
);

/** The nodes that serve on this database, for administrators who check its health. */
export const nodes = pgTable('nodes', {
  id: uuid('id').primaryKey(),
  version: text('version').notNull(),
  startedAt: instant('started_at').notNull(),
  seenAt: instant('seen_at').notNull(),
});

/** The root secrets that nodes have made values with: never the secrets, only the ids that are derived from them (docs/decisions/0058). */
export const rootSecrets = pgTable('root_secrets', {
  keyId: text('key_id').primaryKey(),
  /** Until when a node that has it in front may make values with it; null: no node has said so. */
  makesUntil: instant('makes_until'),
  /** Its key for the purpose whose keys are kept, sealed under its successor; null: it has none yet. */
  sealedKey: text(keptAmong(HELD_TABLES).keptIn),
});

/** Each endpoint of webhooks.yaml: how far the ledger has been read for it (docs/decisions/0045), and whether an operator has switched it off (0096). */
export const webhookReceivers = pgTable('webhook_receivers', {
  name: text('name').primaryKey(),
  /** The place in the order of the ledger behind which the next events of the receiver stand. */
  recordedIn: xid8('recorded_in').notNull(),
  position: bigint('position', { mode: 'bigint' }).notNull(),
  /** The places in the orders of the recording nodes of a cluster (recording-nodes.ts). Null: none. */
  nodes: jsonb('nodes').$type<readonly NodePlace[]>(),
  /** When a node last had it in its configuration. */
  seenAt: instant('seen_at').notNull(),
  /** The server sends it no events since then. Null: it sends them. */
  pausedAt: instant('paused_at'),
});

/** A place in the order of a recording node. */
type NodePlace = { readonly node: number; readonly recordedIn: string; readonly position: string };

/** The outcome of each attempt of a delivery. People read it; nothing is decided from it. */
export const webhookAttempts = pgTable(
  'webhook_attempts',
  {
    deliveryId: uuid('delivery_id').notNull(),
    eventId: uuid('event_id').notNull(),
    /** When the attempt began. */
    at: instant('at').notNull(),
    outcome: text('outcome').$type<AttemptOutcome>().notNull(),
    /** Of HTTP. Null: there was no answer. */
    status: integer('status'),
    milliseconds: integer('milliseconds').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.deliveryId, table.at, table.eventId] }),
    index('webhook_attempts_at').on(table.at),
  ],
);
