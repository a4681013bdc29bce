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
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import type {
  AbandonReason,
  DropReason,
  EmailChallengePurpose,
  ExternalSignInState,
  IdentityRemovalReason,
  KeyRetirementReason,
  MailState,
  PasskeyState,
  Prompt,
  RecoveryCodeState,
  SecondFactorState,
  SessionEndReason,
  SessionState,
  SigningKeyState,
  SupersededReason,
  WebhookDeliveryState,
} from '../../machines/vocabulary.ts';
import type { ImportedHash } from '../crypto/secret-types.ts';
import type { Client } from '../model/client.ts';
import type { ExternalSignInKind, ExternalSignInPurpose, SignInWishes } from '../model/external-sign-in.ts';
import type { SignInFacts } from '../model/grant.ts';
import type { RasterType } from '../model/image.ts';
import type { ResponseMode } from '../model/interaction.ts';
import type { MailPurpose } from '../model/mail.ts';
import type { AttemptOutcome, WebhookData } from '../model/webhook.ts';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import { bytes, xid8 } from './columns.ts';

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });
/** Raising it ends every grant with an older value, at once and for good. */
const epoch = (name: string) => bigint(name, { mode: 'bigint' }).notNull();

/**
 * Of a row that gives authority: its MAC (row-facts.ts). Null: the row is from before there was this column, and is ignored. The version is
 * under the MAC and rises with each MAC, so that no earlier one comes back (src/review/sql/rules.ts).
 */
const authenticated = () => ({
  mac: bytes('mac'),
  macVersion: bigint('mac_version', { mode: 'bigint' }).notNull().default(sql`0`),
});

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
  /** RFC 7591 §2. */
  logoUri: text('logo_uri'),
  tosUri: text('tos_uri'),
  policyUri: text('policy_uri'),
  /** Declared in configuration, and then changed only there. */
  declared: boolean('declared').notNull().default(false),
  registeredBy: text('registered_by').$type<Client['registeredBy']>().notNull().default('operator'),
  epoch: epoch('epoch').default(sql`0`),
  createdAt: instant('created_at').notNull().defaultNow(),
  deletedAt: instant('deleted_at'),
  ...authenticated(),
  /** A second MAC, over what a token request reads of the row (authentic-clients.ts). */
  tokenMac: bytes('token_mac'),
} satisfies Record<keyof Client | 'declared' | 'createdAt' | 'tokenMac', unknown>);

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
    /** SHA-256 (base64url) of the hash that was imported last; null: none was. */
    importedHash: text('imported_hash').$type<ImportedHash>(),
    /** When a link in an e-mail replaced the password; null: the password of today came otherwise. */
    passwordByLinkAt: instant('password_by_link_at'),
    /** OpenID Connect standard claims (`email`, `name`, …). */
    claims: jsonb('claims').$type<Readonly<Record<string, unknown>>>().notNull(),
    epoch: epoch('epoch').default(sql`0`),
    createdAt: instant('created_at').notNull().defaultNow(),
    disabledAt: instant('disabled_at'),
    /** Nothing but the `id` is left. */
    deletedAt: instant('deleted_at'),
    ...authenticated(),
  },
  (table) => [
    uniqueIndex('users_username_key').on(table.usernameKey),
    // For mails to an address that somebody types: several accounts may have it.
    index('users_email').on(sql`lower(${table.claims} ->> 'email')`),
  ],
);

/** A browser in which an end-user has signed in. Only the hash of the cookie is stored. */
export const sessions = pgTable(
  'sessions',
  {
    idHash: bytes('id_hash').primaryKey(),
    /** The session's public name: `sid` of ID Tokens. */
    sid: uuid('sid').notNull().defaultRandom(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    userEpoch: epoch('user_epoch'),
    serverEpoch: epoch('server_epoch'),
    signedInAt: instant('signed_in_at').notNull(),
    /** RFC 8176. */
    amr: texts('amr').notNull().default(['pwd']),
    /** Where the policy has an idle lifetime, it is counted from here. */
    lastUsedAt: instant('last_used_at').notNull().defaultNow(),
    /** As the sign-in set it; brought forward when the session ends. */
    endsAt: instant('ends_at').notNull(),
    state: text('state').$type<SessionState>().notNull().default('active'),
    endedReason: text('ended_reason').$type<SessionEndReason>(),
    userAgent: text('user_agent'),
    ...authenticated(),
  },
  (table) => [
    index('sessions_ends_at').on(table.endsAt),
    index('sessions_user_id_signed_in_at').on(table.userId, table.signedInAt),
    index('sessions_signed_in_at').on(table.signedInAt),
    // An image with an earlier cookie does not stand beside the row.
    uniqueIndex('sessions_sid').on(table.sid),
    check('sessions_state', sql`${table.state} in ('awaitingSecondFactor', 'active', 'ended')`),
    check('sessions_ended_has_reason', sql`(${table.state} = 'ended') = (${table.endedReason} is not null)`),
  ],
);

/** Links in e-mails (machines/email-challenge.machine.ts). Only the hash of a link's secret is stored. */
export const emailChallenges = pgTable(
  'email_challenges',
  {
    id: uuid('id').primaryKey(),
    purpose: text('purpose').$type<EmailChallengePurpose>().notNull(),
    state: text('state').$type<'active' | 'used' | 'superseded'>().notNull(),
    supersededReason: text('superseded_reason').$type<SupersededReason>(),
    /** SHA-256 of the secret. */
    secretHash: bytes('secret_hash').notNull(),
    /** The `sub` of the end-user, or the address of somebody who has no account yet. */
    person: text('person').notNull(),
    userId: uuid('user_id').references(() => users.id),
    userEpoch: bigint('user_epoch', { mode: 'bigint' }),
    address: text('address').notNull(),
    /** The administrator who asked for it: `operator SUB`, …; null: the person did. */
    sentBy: text('sent_by'),
    /** Where the browser with this cookie goes on after a sign-up: a path of this server. */
    goesOnPath: text('goes_on_path'),
    goesOnBrowserHash: bytes('goes_on_browser_hash'),
    /** How many newer links of the same purpose were sent to the same person. */
    newerLinks: integer('newer_links').notNull().default(0),
    createdAt: instant('created_at').notNull(),
    endsAt: instant('ends_at').notNull(),
    ...authenticated(),
  },
  (table) => [
    uniqueIndex('email_challenges_secret_hash').on(table.secretHash),
    // One active link is the newest: of two that are sent together, one counts the other. Each change of an address can be undone by itself.
    uniqueIndex('email_challenges_one_newest')
      .on(table.person, table.purpose)
      .where(sql`${table.state} = 'active' and ${table.newerLinks} = 0 and ${table.purpose} <> 'undo_change'`),
    index('email_challenges_person').on(table.person),
    index('email_challenges_ends_at').on(table.endsAt),
    check('email_challenges_state', sql`${table.state} in ('active', 'used', 'superseded')`),
    check(
      'email_challenges_purpose',
      sql`${table.purpose} in ('verify_address', 'reset_password', 'change_address', 'undo_change', 'lost_factors', 'sign_up', 'invitation')`,
    ),
    check(
      'email_challenges_superseded_has_reason',
      sql`(${table.state} = 'superseded') = (${table.supersededReason} is not null)`,
    ),
    check(
      'email_challenges_has_user',
      sql`(${table.userId} is null) = (${table.purpose} in ('sign_up', 'invitation')) and (${table.userId} is null) = (${table.userEpoch} is null)`,
    ),
    check('email_challenges_goes_on', sql`(${table.goesOnPath} is null) = (${table.goesOnBrowserHash} is null)`),
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
    /** The class that the sign-in has to be in; null: any sign-in is enough. */
    requiredClass: text('required_class'),
    /** The `sub` of the `id_token_hint`; null: none was sent. */
    hintedUserId: text('hinted_user_id'),
    loginHint: text('login_hint'),
    /** `ui_locales`: tags of BCP 47, the best first. */
    uiLocales: text('ui_locales').array().notNull().default([]),
    responseMode: text('response_mode').$type<ResponseMode>().notNull().default('query'),
    userId: uuid('user_id').references(() => users.id),
    createdAt: instant('created_at').notNull(),
    endsAt: instant('ends_at').notNull(),
  },
  (table) => [
    index('interactions_ends_at').on(table.endsAt),
    check('interactions_state', sql`${table.state} in ('awaitingSignIn', 'awaitingConsent', 'approved', 'denied')`),
  ],
);

/** A browser that was sent to another place to sign in (machines/external-sign-in.machine.ts). Only the hash of its reference is stored. */
export const externalSignIns = pgTable(
  'external_sign_ins',
  {
    id: uuid('id').primaryKey(),
    /** SHA-256 of what names it in URLs. */
    referenceHash: bytes('reference_hash').notNull(),
    kind: text('kind').$type<ExternalSignInKind>().notNull(),
    purpose: text('purpose').$type<ExternalSignInPurpose>().notNull(),
    /** The name of the upstream; `delegated`: the application of the team. */
    provider: text('provider').notNull(),
    /** SHA-256 of the cookie of the browser that began it. */
    browserHash: bytes('browser_hash').notNull(),
    /** Without a reference: the interaction may not be stored yet. */
    interactionId: uuid('interaction_id'),
    sealedInteraction: text('sealed_interaction'),
    /** What the client wants of the sign-in, as the other place is told. */
    wishes: jsonb('wishes').$type<SignInWishes>().notNull(),
    /** `nonce` and `code_verifier`; null: it is no authorization request. */
    sealedSecrets: text('sealed_secrets'),
    state: text('state').$type<ExternalSignInState>().notNull(),
    userId: uuid('user_id').references(() => users.id),
    /** RFC 8176. */
    amr: texts('amr'),
    authenticatedAt: instant('authenticated_at'),
    refusal: text('refusal'),
    beganAt: instant('began_at').notNull(),
    endsAt: instant('ends_at').notNull(),
    ...authenticated(),
  },
  (table) => [
    uniqueIndex('external_sign_ins_reference_hash').on(table.referenceHash),
    index('external_sign_ins_browser_hash').on(table.browserHash),
    index('external_sign_ins_ends_at').on(table.endsAt),
    index('external_sign_ins_user_id').on(table.userId),
    check('external_sign_ins_state', sql`${table.state} in ('awaiting', 'answered', 'denied', 'used')`),
    check(
      'external_sign_ins_used_says_who_how_and_when',
      sql`${table.state} <> 'used' or (${table.userId} is not null and ${table.amr} is not null and ${table.authenticatedAt} is not null)`,
    ),
  ],
);

/** Accounts at other OpenID Providers with which end-users sign in here (machines/linked-identity.machine.ts). */
export const linkedIdentities = pgTable(
  'linked_identities',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    issuer: text('issuer').notNull(),
    /** The `sub` at that issuer. */
    subject: text('subject').notNull(),
    provider: text('provider').notNull(),
    linkedAt: instant('linked_at').notNull(),
    state: text('state').$type<'active' | 'removed'>().notNull(),
    removedAt: instant('removed_at'),
    removedReason: text('removed_reason').$type<IdentityRemovalReason>(),
    ...authenticated(),
  },
  (table) => [
    // An account there signs in as one end-user here.
    uniqueIndex('linked_identities_issuer_subject')
      .on(table.issuer, table.subject)
      .where(sql`${table.state} = 'active'`),
    index('linked_identities_user_id').on(table.userId),
    check('linked_identities_state', sql`${table.state} in ('active', 'removed')`),
    check(
      'linked_identities_removed_has_reason',
      sql`(${table.state} = 'removed') = (${table.removedReason} is not null and ${table.removedAt} is not null)`,
    ),
  ],
);

/**
 * What an end-user has allowed a client before, for this set of resources, since a scope can mean something else at each resource.
 * Valid while both epochs stand.
 */
export const consents = pgTable(
  'consents',
  {
    /** Of the grant that was approved with it first. */
    id: uuid('id').notNull().defaultRandom(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    clientId: text('client_id')
      .notNull()
      .references(() => clients.clientId),
    userEpoch: epoch('user_epoch'),
    clientEpoch: epoch('client_epoch'),
    scope: text('scope').array().notNull(),
    resources: text('resources').array().notNull(),
    grantedAt: instant('granted_at').notNull(),
    ...authenticated(),
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
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    clientEpoch: epoch('client_epoch'),
    userEpoch: epoch('user_epoch'),
    serverEpoch: epoch('server_epoch'),
    scope: text('scope').array().notNull(),
    resources: text('resources').array().notNull(),
    /** The client's policy at the approval. Lifetimes follow the client's policy of today. */
    policy: text('policy').notNull(),
    /** SHA-256 of the code's secret half. */
    codeHash: bytes('code_hash').notNull(),
    codeChallenge: text('code_challenge').notNull(),
    redirectUri: text('redirect_uri').notNull(),
    /** What tokens of this grant say about the sign-in; null: it is from when only ID Tokens did, and `openid` was not granted. */
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
    index('grants_user_id_created_at').on(table.userId, table.createdAt),
    // For the alarms: a rotation changes neither its column nor its condition.
    index('grants_revoked_at').on(table.revokedAt).where(sql`${table.state} = 'revoked'`),
    index('grants_client_id_created_at').on(table.clientId, table.createdAt),
    check('grants_state', sql`${table.state} in ('active', 'revoked')`),
    check('grants_revoked_has_reason', sql`(${table.state} = 'revoked') = (${table.revokedReason} is not null)`),
    check('grants_head_is_whole', sql`(${table.refreshGeneration} is null) = (${table.refreshNonce} is null)`),
  ],
);

/** Cached by each connection: only lines of the same transaction are put in order by it. */
export const transitionsPosition = pgSequence('transitions_position', { cache: 32 });

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
    userId: uuid('user_id'),
    /** Who asked for it, where somebody did so for others: `command_line`, `operator SUB`, … (src/model/actor.ts). */
    actor: text('actor'),
    /** A keyed hash of the address that it was asked from. */
    addressHash: text('address_hash'),
    /** The names of the fields that changed. */
    fields: texts('fields'),
    /** Of a sign-in, and of a credential that was used before: where it came from. */
    address: text('address'),
    /** Of a sign-in: a keyed hash of the username (src/crypto/account-hash.ts), also of one that nobody has. */
    accountHash: text('account_hash'),
    /** The `sid` of the session that a sign-in began. Such a line is found by its end-user, so it is not `session_id`. */
    begunSessionId: uuid('begun_session_id'),
    /** Of a credential that was used before: what presented it, bounded and in printable ASCII. */
    userAgent: text('user_agent'),
    /** The transaction that wrote the line; 0: written before there was this column. */
    recordedIn: xid8('recorded_in').notNull().default(sql`pg_current_xact_id()`),
    /** Puts the lines of a transaction in order; 0: written before there was this column. */
    position: bigint('position', { mode: 'bigint' }).notNull().default(sql`nextval('transitions_position')`),
  },
  (table) => [
    index('transitions_grant_id').on(table.grantId, table.at),
    // The order of the feed (docs/decisions/0032), and that of lines from before it.
    index('transitions_order').on(table.recordedIn, table.position, table.at),
    // Of sessions and end-users. The line of a rotation names neither, so it is not in it.
    index('transitions_about')
      .on(sql`coalesce(${table.sessionId}, ${table.userId})`)
      .where(sql`coalesce(${table.sessionId}, ${table.userId}) is not null`),
  ],
);

/** Closed stretches of the ledger, each signed and chained to the one before (docs/decisions/0044). Append-only. */
export const ledgerSeals = pgTable('ledger_seals', {
  number: bigint('number', { mode: 'number' }).primaryKey(),
  sealedAt: instant('sealed_at').notNull(),
  /** What is signed, to the octet: JSON (src/ledger/stretch.ts). */
  statement: text('statement').notNull(),
  /** Ed25519, base64url. */
  signature: text('signature').notNull(),
  /** 32 octets for each line: with it `statehouse ledger verify` names the line. */
  lineIndex: bytes('line_index').notNull(),
});

/** For how long lines of the ledger are kept. One row; the server's role only reads it, and so cannot drop lines early. */
export const ledgerRetention = pgTable(
  'ledger_retention',
  {
    only: boolean('only').primaryKey().default(true),
    keptDays: integer('kept_days').notNull(),
  },
  (table) => [check('ledger_retention_only', sql`${table.only}`)],
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

/** Failed sign-ins per account with address or with device, per account, and per address. */
/** Authenticator apps (machines/second-factor.machine.ts). */
export const secondFactors = pgTable(
  'second_factors',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    state: text('state').$type<SecondFactorState>().notNull(),
    /** Sealed under the root secret. Null: dropped with the removal. */
    sealedSecret: text('sealed_secret'),
    /** The time step of the last code that was accepted (RFC 6238 §4.2). */
    lastStep: bigint('last_step', { mode: 'number' }),
    createdAt: instant('created_at').notNull(),
    confirmedAt: instant('confirmed_at'),
    removedAt: instant('removed_at'),
  },
  (table) => [
    index('second_factors_user_id').on(table.userId),
    check('second_factors_state', sql`${table.state} in ('unconfirmed', 'active', 'removed')`),
    check('second_factors_removed', sql`(${table.state} = 'removed') = (${table.removedAt} is not null)`),
    check('second_factors_secret', sql`(${table.state} = 'removed') = (${table.sealedSecret} is null)`),
    check('second_factors_confirmed', sql`${table.state} <> 'active' or ${table.lastStep} is not null`),
  ],
);

/** Recovery codes (machines/recovery-code.machine.ts). */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    state: text('state').$type<RecoveryCodeState>().notNull(),
    /** A keyed hash, under a key from the root secret. */
    codeHash: bytes('code_hash').notNull(),
    createdAt: instant('created_at').notNull(),
    endedAt: instant('ended_at'),
  },
  (table) => [
    uniqueIndex('recovery_codes_user_id_code_hash').on(table.userId, table.codeHash),
    check('recovery_codes_state', sql`${table.state} in ('active', 'used', 'replaced')`),
    check('recovery_codes_ended', sql`(${table.state} = 'active') = (${table.endedAt} is null)`),
  ],
);

/** Passkeys (machines/passkey.machine.ts). */
export const passkeys = pgTable(
  'passkeys',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    state: text('state').$type<PasskeyState>().notNull(),
    name: text('name').notNull(),
    /** WebAuthn §4: the id by which authenticators know it. */
    credentialId: bytes('credential_id').notNull(),
    /** COSE (RFC 9052 §7). Null: dropped with the removal. */
    publicKey: bytes('public_key'),
    counter: bigint('counter', { mode: 'number' }).notNull(),
    backupEligible: boolean('backup_eligible').notNull(),
    transports: texts('transports').notNull(),
    createdAt: instant('created_at').notNull(),
    lastUsedAt: instant('last_used_at'),
    removedAt: instant('removed_at'),
    ...authenticated(),
  },
  (table) => [
    uniqueIndex('passkeys_credential_id').on(table.credentialId),
    index('passkeys_user_id').on(table.userId),
    check('passkeys_state', sql`${table.state} in ('active', 'removed')`),
    check('passkeys_removed', sql`(${table.state} = 'removed') = (${table.removedAt} is not null)`),
    check('passkeys_public_key', sql`(${table.state} = 'removed') = (${table.publicKey} is null)`),
  ],
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

/** Failed sign-ins per account with address, per account, and per address. */
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

/** What a POST of the management API creates is derived from its Idempotency-Key, for a day (src/management/idempotency.ts). */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    nameHash: bytes('name_hash').primaryKey(),
    requestHash: bytes('request_hash').notNull(),
    rootKeyId: text('root_key_id').notNull(),
    salt: bytes('salt').notNull(),
    /** What the request made was there: it is never made a second time, also when it is gone again. */
    carriedOut: boolean('carried_out').notNull().default(false),
    endsAt: instant('ends_at').notNull(),
  },
  (table) => [index('idempotency_keys_ends_at').on(table.endsAt)],
);

/**
 * A browser that is signed in to the console: what the console holds for it. Its life is that of the access token's grant
 * (docs/decisions/0033). Only the hash of the cookie is stored, and the token only sealed.
 */
export const consoleSessions = pgTable(
  'console_sessions',
  {
    idHash: bytes('id_hash').primaryKey(),
    /** What forms are bound to. It stays when the same person's token is renewed, and the cookie does not. */
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

/** The nodes that serve on this database, for those who look whether everything is all right. */
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
  /** Its key for recovery codes, sealed under its successor; null: it has none yet. */
  sealedRecoveryCodeKey: text('sealed_recovery_code_key'),
});

/** How far the ledger has been read for each receiver of webhooks.yaml (docs/decisions/0045). */
export const webhookReceivers = pgTable('webhook_receivers', {
  name: text('name').primaryKey(),
  /** The place in the order of the ledger behind which the next events of the receiver stand. */
  recordedIn: xid8('recorded_in').notNull(),
  position: bigint('position', { mode: 'bigint' }).notNull(),
  /** When a node last had it in its configuration. */
  seenAt: instant('seen_at').notNull(),
});

/** Events on their way to receivers (machines/webhook-delivery.machine.ts). */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: uuid('id').primaryKey(),
    receiver: text('receiver').notNull(),
    eventId: uuid('event_id').notNull(),
    eventType: text('event_type').notNull(),
    /** The end-user that the event is about. */
    userId: uuid('user_id'),
    data: jsonb('data').$type<WebhookData>().notNull(),
    occurredAt: instant('occurred_at').notNull(),
    state: text('state').$type<WebhookDeliveryState>().notNull(),
    attempts: integer('attempts').notNull(),
    nextAttemptAt: instant('next_attempt_at'),
    givesUpAt: instant('gives_up_at').notNull(),
    createdAt: instant('created_at').notNull(),
    endedAt: instant('ended_at'),
    abandonedReason: text('abandoned_reason').$type<AbandonReason>(),
    lastOutcome: text('last_outcome').$type<AttemptOutcome>(),
  },
  (table) => [
    uniqueIndex('webhook_deliveries_receiver_event_id').on(table.receiver, table.eventId),
    index('webhook_deliveries_due').on(table.receiver, table.nextAttemptAt).where(sql`${table.state} = 'pending'`),
    index('webhook_deliveries_created_at').on(table.createdAt, table.id),
    index('webhook_deliveries_ended_at').on(table.endedAt),
    index('webhook_deliveries_user_id').on(table.userId),
    check('webhook_deliveries_state', sql`${table.state} in ('pending', 'delivered', 'abandoned')`),
    check(
      'webhook_deliveries_pending_is_due',
      sql`(${table.state} = 'pending') = (${table.nextAttemptAt} is not null)`,
    ),
    check('webhook_deliveries_ended', sql`(${table.state} = 'pending') = (${table.endedAt} is null)`),
    check(
      'webhook_deliveries_abandoned_has_reason',
      sql`(${table.state} = 'abandoned') = (${table.abandonedReason} is not null)`,
    ),
  ],
);

/** Mails on their way to the relay (machines/mail.machine.ts). */
export const mails = pgTable(
  'mails',
  {
    id: uuid('id').primaryKey(),
    purpose: text('purpose').$type<MailPurpose>().notNull(),
    /** Keyed: the domains of recipients share the queue, and the table names none. */
    domainHash: bytes('domain_hash').notNull(),
    /** The end-user whom the mail is for. */
    userId: uuid('user_id'),
    /** Address, words and link, sealed under the root secret for this id. Null: erased with the end. */
    sealedContents: text('sealed_contents'),
    state: text('state').$type<MailState>().notNull(),
    attempts: integer('attempts').notNull(),
    nextAttemptAt: instant('next_attempt_at'),
    givesUpAt: instant('gives_up_at').notNull(),
    createdAt: instant('created_at').notNull(),
    endedAt: instant('ended_at'),
    dropReason: text('drop_reason').$type<DropReason>(),
  },
  (table) => [
    index('mails_pending')
      .on(table.purpose, table.domainHash, table.nextAttemptAt)
      .where(sql`${table.state} = 'pending'`),
    index('mails_gives_up_at').on(table.givesUpAt),
    index('mails_user_id').on(table.userId),
    check('mails_purpose', sql`${table.purpose} in ('notice', 'link')`),
    check('mails_state', sql`${table.state} in ('pending', 'sent', 'dropped')`),
    check('mails_pending_is_due', sql`(${table.state} = 'pending') = (${table.nextAttemptAt} is not null)`),
    check('mails_pending_has_contents', sql`(${table.state} = 'pending') = (${table.sealedContents} is not null)`),
    check('mails_ended', sql`(${table.state} = 'pending') = (${table.endedAt} is null)`),
    check('mails_dropped_has_reason', sql`(${table.state} = 'dropped') = (${table.dropReason} is not null)`),
  ],
);
