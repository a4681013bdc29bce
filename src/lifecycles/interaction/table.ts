import { sql } from 'drizzle-orm';
import { check, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import type { Prompt } from '../../../machines/interaction/facts.ts';
import type { ResponseMode } from '../../model/interaction.ts';
import { clients } from '../client/table.ts';
import { authenticated, bytes, epoch, instant } from '../columns.ts';
import { statesAfter, statesBy } from '../moves.ts';
import { anHourBefore, earlier } from '../retention.ts';
import {
  changed,
  hasEnded,
  isNotEmptied,
  keeps,
  movesWithMachine,
  oneOf,
  quoted,
  refuses,
  staysUntil,
} from '../rules.ts';
import { described, macFacts, PASSING } from '../table.ts';
import { users } from '../user/table.ts';

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
    /** RFC 9449 §10, as sent; null: not sent. */
    dpopJkt: text('dpop_jkt'),
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
    /** The end-user of the `id_token_hint`; null: none was sent. */
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

export const interactionTable = described(interactions, {
  machine: 'interaction',
  key: interactions.id,
  /** `user`: set at sign-in, and may change until the interaction is answered. */
  changes: { state: 'state', userId: 'user' },
  spreadBy: interactions.id,
  rights: PASSING,
  counted: { newest: interactions.endsAt },
  removal: (now) => [{ ended: sql`${interactions.endsAt} < ${anHourBefore(earlier(now))}`, over: interactions.endsAt }],
  personal: {
    name: 'open_sign_ins',
    owner: interactions.userId,
    shown: [
      interactions.id,
      interactions.clientId,
      interactions.scope,
      interactions.resources,
      interactions.loginHint,
      interactions.state,
      interactions.createdAt,
      interactions.endsAt,
    ],
    since: interactions.createdAt,
    // At most an hour, and another until it is removed; its `login_hint` is not stored (interaction-commits.ts).
    erasure: 'kept',
  },
  rules: [
    refuses(
      'begins_with_its_machine',
      'insert',
      'an interaction is stored with the step of an end-user that leads out of the first state of its machine',
      // Nodes of the version before store it in the first state, during an upgrade; without an end-user.
      ({ machine, moves }) => [
        `NOT ${oneOf('NEW.state', [machine.initial, ...statesAfter(machine.initial, moves)])}`,
        `(NEW.state = ${quoted(machine.initial)}) <> (NEW.user_id IS NULL)`,
      ],
    ),
    keeps('keeps_what_was_asked', 'what the client asked for does not change'),
    movesWithMachine('interaction'),
    refuses(
      'keeps_its_user',
      { update: ['state', 'user_id'] },
      'an answer keeps its end-user, and an approval has an end-user',
      (held) => [
        `${hasEnded(held)} AND ${changed(['user_id'])}`,
        `${oneOf('NEW.state', statesBy('issueCode', held.moves))} AND NEW.user_id IS NULL`,
      ],
    ),
    staysUntil('stays_until_its_end', 'an interaction stays until it has ended', ['OLD.ends_at >= now()']),
    isNotEmptied('interactions end one by one'),
  ],
});

/**
 * The scope that an end-user has approved for a client before, for this set of resources, since a scope can differ in meaning at each resource.
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

/** The end-user, the client, the scope, the resources, and the instant of the approval. */
export const consentFacts = macFacts('consent', consents, [
  'id',
  'userId',
  'clientId',
  'userEpoch',
  'clientEpoch',
  'scope',
  'resources',
  'grantedAt',
]);

export const consentTable = described(consents, {
  machine: null,
  key: consents.id,
  /** `allowed`: each approval that adds to the scope replaces these columns. */
  changes: { userEpoch: 'allowed', clientEpoch: 'allowed', scope: 'allowed', grantedAt: 'allowed' },
  beginsOnce: { name: (row) => `${row}.id::text`, until: 'NULL' },
  spreadBy: consents.userId,
  rights: PASSING,
  mac: { facts: consentFacts, alive: sql`true` },
  personal: {
    name: 'consents',
    owner: consents.userId,
    shown: [consents.clientId, consents.scope, consents.resources, consents.grantedAt],
    since: consents.grantedAt,
    erasure: 'removed',
  },
  rules: [keeps('keeps_whose_it_is', 'a consent stays that of its end-user and client')],
});
