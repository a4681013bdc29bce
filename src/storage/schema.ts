/**
 * The tables. One authorization is one row in `grants` (docs/decisions/0001); the states of its code and refresh tokens are
 * derived from that row, never stored. Columns that name a user are called `subject_…`: their names are older than the word in
 * the code, and renaming them would break nodes of the previous version during an upgrade.
 */
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import type {
  KeyRetirementReason,
  Prompt,
  SessionEndReason,
  SessionState,
  SigningKeyState,
} from '../../machines/vocabulary.ts';
import type { Client } from '../model/client.ts';
import type { SignInFacts } from '../model/grant.ts';
import type { ResponseMode } from '../model/interaction.ts';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import { bytes } from './columns.ts';

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });
/** Raising it ends every grant with an older value, at once and for good. */
const epoch = (name: string) => bigint(name, { mode: 'bigint' }).notNull();

/** A list that is read and replaced as a whole. */
const texts = (name: string) => text(name).array().$type<readonly string[]>();

/** One row, about the server as a whole. */
export const server = pgTable(
  'server',
  { id: integer('id').primaryKey(), epoch: epoch('epoch').default(sql`0`) },
  (table) => [check('server_is_one_row', sql`${table.id} = 1`)],
);

/**
 * Registered clients, with RFC 7591 names. A deleted client keeps its row, so that its id never revives a grant.
 * A field of a client without a column, a column without a field, and a difference of type (clients.ts) do not compile.
 */
export const clients = pgTable('clients', {
  clientId: text('client_id').primaryKey(),
  clientName: text('client_name').notNull(),
  applicationType: text('application_type').$type<Client['applicationType']>().notNull(),
  tokenEndpointAuthMethod: text('token_endpoint_auth_method').$type<Client['tokenEndpointAuthMethod']>().notNull(),
  secretMacs: jsonb('secret_macs').$type<Client['secretMacs']>().notNull(),
  redirectUris: texts('redirect_uris').notNull(),
  grantTypes: texts('grant_types').notNull(),
  /** The ceiling; null: every scope of the configured resources. */
  scope: texts('scope'),
  defaultScope: texts('default_scope'),
  defaultResource: text('default_resource'),
  policy: text('policy').notNull(),
  /** OpenID Connect RP-Initiated Logout §3: compared as exact strings. */
  postLogoutRedirectUris: texts('post_logout_redirect_uris').notNull().default([]),
  /** OpenID Connect Registration §2. */
  idTokenSignedResponseAlg: text('id_token_signed_response_alg')
    .$type<Client['idTokenSignedResponseAlg']>()
    .notNull()
    .default('RS256'),
  /** Declared in configuration, and then changed only there. */
  declared: boolean('declared').notNull().default(false),
  registeredBy: text('registered_by').$type<Client['registeredBy']>().notNull().default('operator'),
  epoch: epoch('epoch').default(sql`0`),
  createdAt: instant('created_at').notNull().defaultNow(),
  deletedAt: instant('deleted_at'),
} satisfies Record<keyof Client | 'declared' | 'createdAt', unknown>);

/** End-users. `id` is the `sub` of every token: random, never a username. */
export const users = pgTable(
  'users',
  {
    id: uuid('id').primaryKey(),
    /** As typed, for people to read. */
    username: text('username').notNull(),
    /** Case-folded and normalized: what sign-in compares. */
    usernameKey: text('username_key').notNull(),
    passwordHash: text('password_hash').notNull(),
    /** OpenID Connect standard claims (`email`, `name`, …). */
    claims: jsonb('claims').$type<Readonly<Record<string, unknown>>>().notNull(),
    epoch: epoch('epoch').default(sql`0`),
    createdAt: instant('created_at').notNull().defaultNow(),
    disabledAt: instant('disabled_at'),
    /** Nothing but the `id` is left. */
    deletedAt: instant('deleted_at'),
  },
  (table) => [uniqueIndex('users_username_key').on(table.usernameKey)],
);

/** A browser in which an end-user has signed in. Only the hash of the cookie is stored. */
export const sessions = pgTable(
  'sessions',
  {
    idHash: bytes('id_hash').primaryKey(),
    /** The session's public name: `sid` of ID Tokens. */
    sid: uuid('sid').notNull().defaultRandom(),
    userId: uuid('subject_id')
      .notNull()
      .references(() => users.id),
    userEpoch: epoch('subject_epoch'),
    serverEpoch: epoch('server_epoch'),
    signedInAt: instant('signed_in_at').notNull(),
    /** Where the policy has an idle lifetime, it is counted from here. */
    lastUsedAt: instant('last_used_at').notNull().defaultNow(),
    /** As the sign-in set it; brought forward when the session ends. */
    endsAt: instant('ends_at').notNull(),
    state: text('state').$type<SessionState>().notNull().default('active'),
    endedReason: text('ended_reason').$type<SessionEndReason>(),
    userAgent: text('user_agent'),
  },
  (table) => [
    index('sessions_ends_at').on(table.endsAt),
    index('sessions_subject_id').on(table.userId),
    check('sessions_state', sql`${table.state} in ('active', 'ended')`),
    check('sessions_ended_has_reason', sql`(${table.state} = 'ended') = (${table.endedReason} is not null)`),
  ],
);

/** An authorization request on its way through sign-in and consent. */
export const interactions = pgTable(
  'interactions',
  {
    id: uuid('id').primaryKey(),
    state: text('state').$type<'awaitingSignIn' | 'awaitingConsent' | 'approved' | 'denied'>().notNull(),
    /** SHA-256 of the cookie of the browser that began it. */
    browserHash: bytes('browser_hash').notNull(),
    clientId: text('client_id')
      .notNull()
      .references(() => clients.clientId),
    clientEpoch: epoch('client_epoch'),
    redirectUri: text('redirect_uri').notNull(),
    codeChallenge: text('code_challenge').notNull(),
    scope: text('scope').array().notNull(),
    resources: text('resources').array().notNull(),
    /** The client's `state` parameter, to be returned untouched; null: not sent. */
    requestState: text('request_state'),
    /** OpenID Connect Core §3.1.2.1, as sent; goes into the ID Token untouched. */
    nonce: text('nonce'),
    prompt: text('prompt').array().$type<Prompt[]>().notNull().default([]),
    /** Seconds since the end-user last signed in; null: no limit. */
    maxAgeSeconds: integer('max_age_seconds'),
    /** The `sub` of the `id_token_hint`; null: none was sent. */
    hintedUserId: text('hinted_subject_id'),
    loginHint: text('login_hint'),
    responseMode: text('response_mode').$type<ResponseMode>().notNull().default('query'),
    userId: uuid('subject_id').references(() => users.id),
    createdAt: instant('created_at').notNull(),
    endsAt: instant('ends_at').notNull(),
  },
  (table) => [
    index('interactions_ends_at').on(table.endsAt),
    check('interactions_state', sql`${table.state} in ('awaitingSignIn', 'awaitingConsent', 'approved', 'denied')`),
  ],
);

/**
 * What an end-user has allowed a client before, for this set of resources, since a scope can mean something else at each resource.
 * Valid while both epochs stand.
 */
export const consents = pgTable(
  'consents',
  {
    userId: uuid('subject_id')
      .notNull()
      .references(() => users.id),
    clientId: text('client_id')
      .notNull()
      .references(() => clients.clientId),
    userEpoch: epoch('subject_epoch'),
    clientEpoch: epoch('client_epoch'),
    scope: text('scope').array().notNull(),
    resources: text('resources').array().notNull(),
    grantedAt: instant('granted_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.clientId, table.resources] })],
);

/** One authorization: the code's half, then the chain of refresh tokens. Constant space for its whole life. */
export const grants = pgTable(
  'grants',
  {
    id: uuid('id').primaryKey(),
    /** Unique, so that a double submit makes one code. */
    interactionId: uuid('interaction_id').notNull(),
    clientId: text('client_id')
      .notNull()
      .references(() => clients.clientId),
    userId: uuid('subject_id')
      .notNull()
      .references(() => users.id),
    clientEpoch: epoch('client_epoch'),
    userEpoch: epoch('subject_epoch'),
    serverEpoch: epoch('server_epoch'),
    scope: text('scope').array().notNull(),
    resources: text('resources').array().notNull(),
    /** The client's policy at the approval. Lifetimes follow the client's policy of today. */
    policy: text('policy').notNull(),
    /** SHA-256 of the code's secret half. */
    codeHash: bytes('code_hash').notNull(),
    codeChallenge: text('code_challenge').notNull(),
    redirectUri: text('redirect_uri').notNull(),
    /** What ID Tokens of this grant say about the sign-in; null: `openid` was not granted. */
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
    uniqueIndex('grants_interaction_id').on(table.interactionId),
    // Nothing that a rotation changes is indexed, so that Postgres can update the row in place (HOT).
    index('grants_created_at').on(table.createdAt),
    index('grants_subject_id').on(table.userId),
    check('grants_state', sql`${table.state} in ('active', 'revoked')`),
    check('grants_revoked_has_reason', sql`(${table.state} = 'revoked') = (${table.revokedReason} is not null)`),
    check('grants_head_is_whole', sql`(${table.refreshGeneration} is null) = (${table.refreshNonce} is null)`),
  ],
);

/** The ledger: each decision that changed what is stored. Append-only, partitioned by month; the engine never reads it. */
export const transitions = pgTable(
  'transitions',
  {
    at: instant('at').notNull(),
    machine: text('machine').notNull(),
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
    /** Scope tokens that were granted, but are above the client's ceiling of today, separated by spaces. */
    scopeWithheld: text('scope_withheld'),
    /** The end-user that the line is about, where it is about no grant and no session. */
    userId: uuid('subject_id'),
    /** Who asked for it, where somebody did so for others: `command_line`, `operator SUB`, … (src/model/actor.ts). */
    actor: text('actor'),
    /** A keyed hash of the address that it was asked from. */
    addressHash: text('address_hash'),
    /** The names of the fields that changed. */
    fields: texts('fields'),
  },
  (table) => [index('transitions_grant_id').on(table.grantId, table.at)],
);

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
 * The keys that sign tokens (machines/signing-key.machine.ts). Per algorithm at most one key signs and at most one waits: an
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
    /** For nodes of the previous version during an upgrade. The next release removes it. */
    signing: boolean('signing').generatedAlwaysAs(sql`state = 'signing'`),
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

/** Failed sign-ins per account with address, per account, and per address. */
export const signInFailures = pgTable(
  'sign_in_failures',
  {
    keyHash: bytes('key_hash').primaryKey(),
    failures: integer('failures').notNull(),
    windowEndsAt: instant('window_ends_at').notNull(),
  },
  (table) => [index('sign_in_failures_window_ends_at').on(table.windowEndsAt)],
);
