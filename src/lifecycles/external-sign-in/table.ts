import { sql } from 'drizzle-orm';
import { bigint, check, index, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import type { ExternalSignInPurpose, ExternalSignInState } from '../../../machines/external-sign-in/facts.ts';
import type { Prompt } from '../../../machines/interaction/facts.ts';
import { authenticated, bytes, instant, texts } from '../columns.ts';
import { statesBy } from '../moves.ts';
import { anHourBefore, earlier } from '../retention.ts';
import { beginsFirst, changed, isNotEmptied, keeps, movesWithMachine, oneOf, refuses, staysUntil } from '../rules.ts';
import { described, type Facts, macFacts, PASSING, type StoredRow } from '../table.ts';
import { users } from '../user/table.ts';

/** `upstream`: another OpenID Provider. `delegated`: an application of the team. */
export type ExternalSignInKind = 'upstream' | 'delegated';

/** The requested parameters of the sign-in, which the identity provider receives. */
export type RequestedParameters = {
  readonly clientId: string | null;
  readonly scope: readonly string[];
  /** Never stored: null in each row. */
  readonly loginHint: string | null;
  readonly prompt: readonly Prompt[];
  readonly maxAgeSeconds: number | null;
  readonly acrValues: readonly string[];
  /** Of this server's own classes, the least that the client takes; null: any. */
  readonly requiredClass: string | null;
  readonly uiLocales: readonly string[];
  /** Where the sign-in leads without a client, by the names of `/sign-in?then=`; null: to the overview. */
  readonly destination: string | null;
};

/** A browser that was sent to another place to sign in (machines/external-sign-in/machine.ts). Only the hash of its reference is stored. */
export const externalSignIns = pgTable(
  'external_sign_ins',
  {
    id: uuid('id').notNull(),
    /** SHA-256 of its name in URLs: the `state` of an authorization request, or the reference of a delegated sign-in. */
    referenceHash: bytes('reference_hash').notNull(),
    kind: text('kind').$type<ExternalSignInKind>().notNull(),
    purpose: text('purpose').$type<ExternalSignInPurpose>().notNull(),
    /** The name of the upstream; `delegated`: the application of the team. */
    provider: text('provider').notNull(),
    /** SHA-256 of the cookie of the browser that began it. */
    browserHash: bytes('browser_hash').notNull(),
    /** Without a reference: the interaction may not be stored yet. */
    interactionId: uuid('interaction_id'),
    /** The sealed form of the interaction while it is not stored; null: it is stored, or there is none. */
    sealedInteraction: text('sealed_interaction'),
    /** The requested parameters of the sign-in, which the identity provider receives. */
    requested: jsonb('wishes').$type<RequestedParameters>().notNull(),
    /** Sealed: the `nonce` and the `code_verifier` of the authorization request; null: there is none. */
    sealedSecrets: text('sealed_secrets'),
    state: text('state').$type<ExternalSignInState>().notNull(),
    /** Of a link from the beginning; else as the answer says. */
    userId: uuid('user_id').references(() => users.id),
    /** The end-user's epoch when they were named; null: the answer names none, or a node of the release before stored it. */
    userEpoch: bigint('user_epoch', { mode: 'bigint' }),
    /** How the end-user signed in there (RFC 8176); null: no answer yet. */
    amr: texts('amr'),
    authenticatedAt: instant('authenticated_at'),
    /** As the identity provider named it; null: it has not refused. */
    refusal: text('refusal'),
    beganAt: instant('began_at').notNull(),
    endsAt: instant('ends_at').notNull(),
    ...authenticated(),
  },
  (table) => [
    primaryKey({ columns: [table.id, table.referenceHash] }),
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

/** Its browser, its end-user, its end, and the answer. */
const factsOfFirst = macFacts('external-sign-in', externalSignIns, [
  'id',
  'referenceHash',
  'browserHash',
  'kind',
  'purpose',
  'provider',
  'state',
  'userId',
  'amr',
  'authenticatedAt',
  'endsAt',
]);
/** A row without an epoch has the facts of the release before, so that the MACs of its nodes stay valid. */
export const externalSignInFacts = (
  row: Parameters<typeof factsOfFirst>[0] & Pick<StoredRow<typeof externalSignIns>, 'userEpoch'>,
): Facts => {
  const [kind, facts] = factsOfFirst(row);
  return [kind, row.userEpoch === null ? facts : [...facts, row.userEpoch]];
};

export const externalSignInTable = described(externalSignIns, {
  machine: 'externalSignIn',
  key: externalSignIns.id,
  /** `state`, `answer`: change with the machine. */
  changes: {
    state: 'state',
    userId: 'answer',
    userEpoch: 'answer',
    amr: 'answer',
    authenticatedAt: 'answer',
    refusal: 'answer',
  },
  spreadBy: externalSignIns.referenceHash,
  rights: PASSING,
  mac: {
    facts: externalSignInFacts,
    alive: sql`${externalSignIns.state} in ('awaiting', 'answered')`,
    changesWithCommit: true,
  },
  counted: {},
  removal: (now) => [
    { ended: sql`${externalSignIns.endsAt} < ${anHourBefore(earlier(now))}`, over: externalSignIns.endsAt },
  ],
  personal: {
    name: 'sign_ins_elsewhere',
    owner: externalSignIns.userId,
    shown: [
      externalSignIns.kind,
      externalSignIns.provider,
      externalSignIns.requested,
      externalSignIns.state,
      externalSignIns.amr,
      externalSignIns.beganAt,
      externalSignIns.endsAt,
    ],
    since: externalSignIns.beganAt,
    // It stays until it has ended, which is soon: an answer counts once.
    erasure: 'kept',
  },
  rules: [
    beginsFirst(
      'an external sign-in begins in the first state of its machine, without an answer',
      "(NEW.purpose = 'link') <> (NEW.user_id IS NOT NULL)",
      'NEW.user_epoch IS NOT NULL',
      'NEW.amr IS NOT NULL',
      'NEW.authenticated_at IS NOT NULL',
      'NEW.refusal IS NOT NULL',
    ),
    keeps('keeps_what_began', 'an external sign-in stays that of its browser, its request and its place'),
    movesWithMachine('external sign-in'),
    refuses(
      'answer_comes_with_its_state',
      ({ columns }) => ({ update: columns('answer') }),
      'what the other place has said comes with the state, and stays',
      ({ columns, moves }) => [
        `NEW.state = OLD.state AND ${changed(columns('answer'))}`,
        'OLD.user_id IS NOT NULL AND NEW.user_id IS DISTINCT FROM OLD.user_id',
        'OLD.user_epoch IS NOT NULL AND NEW.user_epoch IS DISTINCT FROM OLD.user_epoch',
        'OLD.amr IS NOT NULL AND NEW.amr IS DISTINCT FROM OLD.amr',
        'OLD.authenticated_at IS NOT NULL AND NEW.authenticated_at IS DISTINCT FROM OLD.authenticated_at',
        `(NEW.refusal IS NOT NULL) AND NOT ${oneOf('NEW.state', statesBy('recordRefusal', moves))}`,
      ],
    ),
    staysUntil('stays_until_its_end', 'an external sign-in stays until it has ended', ['OLD.ends_at >= now()']),
    isNotEmptied('external sign-ins end one by one'),
  ],
});
