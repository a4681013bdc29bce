/**
 * Where the database has rows about an end-user: what a download shows of each, and what becomes of it when the account is erased. A
 * table with a column of an end-user and no entry here fails a test (test/unit/storage/personal-data.test.ts).
 */
import { desc, eq, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { aboutUser, ownedBy } from './ledger-list.ts';
import {
  consents,
  consoleSessions,
  emailChallenges,
  externalSignIns,
  grants,
  interactions,
  linkedIdentities,
  mails,
  passkeys,
  recoveryCodes,
  secondFactors,
  sessions,
  transitions,
  users,
  webhookDeliveries,
} from './schema.ts';

type PersonalTable = {
  readonly table: PgTable;
  /** The `sub`. */
  readonly owner: AnyPgColumn;
  /** Without hashes, and without what is sealed: the end-user can read neither. The newest rows by `since`. */
  readonly shown: readonly AnyPgColumn[];
  /** What the row does not say by itself, by the name of a column in `shown`. */
  readonly shownAs?: Readonly<Record<string, SQL>>;
  readonly since: AnyPgColumn;
  /** `removed`: with the account, in the same statement. `kept`: it names nobody, and goes by itself. */
  readonly erasure: 'removed' | 'kept';
  /** Further rows that go with the account, which name the person without the `sub`. @param ids a query of one column: the `sub`. */
  readonly alsoRemoved?: (ids: SQL) => SQL;
};

/** An epoch ends many rows at once, as a new password ends every session, and writes none of them. By the words of src/model. */
const epochThatEnded = (row: 'sessions' | 'grants', ofClient = sql`false`) => sql`case
  when ${sql.raw(row)}.user_epoch <> (select u.epoch from users u where u.id = ${sql.raw(row)}.user_id) then 'user_ended'
  when ${ofClient} then 'client_ended'
  when ${sql.raw(row)}.server_epoch <> (select s.epoch from server s) then 'server_epoch_raised' end`;
const endOfSession = epochThatEnded('sessions');
const endOfGrant = epochThatEnded(
  'grants',
  sql`not exists (select 1 from clients c
    where c.client_id = grants.client_id and c.epoch = grants.client_epoch and c.deleted_at is null)`,
);

/**
 * Links for an account that did not exist yet: used, or replaced by others. A link that can still be used stays: it may be another
 * person's wish, and ends by itself. An end-user changes an address by a link, so older addresses stand in links of theirs.
 */
const linksFromBefore = (
  ids: SQL,
): SQL => sql`${emailChallenges.userId} is null and ${emailChallenges.state} <> 'active'
  and lower(${emailChallenges.address}) in (
    select lower(u.claims ->> 'email') from users u where u.id in (${ids})
    union all select lower(c.address) from email_challenges c where c.user_id in (${ids}))`;

/** By its name in the download. */
export const PERSONAL_TABLES: Readonly<Record<string, PersonalTable>> = {
  sessions: {
    table: sessions,
    owner: sessions.userId,
    shown: [
      sessions.sid,
      sessions.signedInAt,
      sessions.amr,
      sessions.lastUsedAt,
      sessions.endsAt,
      sessions.state,
      sessions.endedReason,
      sessions.userAgent,
    ],
    shownAs: {
      state: sql`case when ${endOfSession} is null then sessions.state else 'ended' end`,
      ended_reason: sql`coalesce(sessions.ended_reason, ${endOfSession})`,
    },
    since: sessions.signedInAt,
    // The browser's own words may tell people apart.
    erasure: 'removed',
  },
  consents: {
    table: consents,
    owner: consents.userId,
    shown: [consents.clientId, consents.scope, consents.resources, consents.grantedAt],
    since: consents.grantedAt,
    erasure: 'removed',
  },
  grants: {
    table: grants,
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
    // It stays until its last access token is over, so that the token is known as ended; it has the `sub` alone.
    erasure: 'kept',
  },
  open_sign_ins: {
    table: interactions,
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
  passkeys: {
    table: passkeys,
    owner: passkeys.userId,
    // The name is the person's own words.
    shown: [
      passkeys.name,
      passkeys.state,
      passkeys.backupEligible,
      passkeys.transports,
      passkeys.createdAt,
      passkeys.lastUsedAt,
      passkeys.removedAt,
    ],
    since: passkeys.createdAt,
    erasure: 'removed',
  },
  second_factors: {
    table: secondFactors,
    owner: secondFactors.userId,
    shown: [secondFactors.state, secondFactors.createdAt, secondFactors.confirmedAt, secondFactors.removedAt],
    since: secondFactors.createdAt,
    erasure: 'removed',
  },
  recovery_codes: {
    table: recoveryCodes,
    owner: recoveryCodes.userId,
    shown: [recoveryCodes.state, recoveryCodes.createdAt, recoveryCodes.endedAt],
    since: recoveryCodes.createdAt,
    erasure: 'removed',
  },
  linked_identities: {
    table: linkedIdentities,
    owner: linkedIdentities.userId,
    shown: [
      linkedIdentities.issuer,
      linkedIdentities.subject,
      linkedIdentities.provider,
      linkedIdentities.linkedAt,
      linkedIdentities.state,
      linkedIdentities.removedAt,
    ],
    since: linkedIdentities.linkedAt,
    // Its machine removes it with the end-user (userDeleted), and housekeeping then drops the row.
    erasure: 'kept',
  },
  sign_ins_elsewhere: {
    table: externalSignIns,
    owner: externalSignIns.userId,
    shown: [
      externalSignIns.kind,
      externalSignIns.provider,
      externalSignIns.wishes,
      externalSignIns.state,
      externalSignIns.amr,
      externalSignIns.beganAt,
      externalSignIns.endsAt,
    ],
    since: externalSignIns.beganAt,
    // It stays until it has ended, which is soon: an answer counts once.
    erasure: 'kept',
  },
  links_in_mails: {
    table: emailChallenges,
    owner: emailChallenges.userId,
    shown: [
      emailChallenges.purpose,
      emailChallenges.address,
      emailChallenges.state,
      emailChallenges.createdAt,
      emailChallenges.endsAt,
    ],
    since: emailChallenges.createdAt,
    erasure: 'removed',
    alsoRemoved: linksFromBefore,
  },
  console_sessions: {
    table: consoleSessions,
    owner: consoleSessions.userId,
    shown: [consoleSessions.createdAt, consoleSessions.tokenEndsAt],
    since: consoleSessions.createdAt,
    erasure: 'removed',
  },
  events_for_other_systems: {
    table: webhookDeliveries,
    owner: webhookDeliveries.userId,
    shown: [
      webhookDeliveries.receiver,
      webhookDeliveries.eventType,
      webhookDeliveries.data,
      webhookDeliveries.occurredAt,
      webhookDeliveries.state,
      webhookDeliveries.endedAt,
    ],
    since: webhookDeliveries.createdAt,
    // Other systems have to hear of the deletion too; it has the `sub` alone, and goes by itself.
    erasure: 'kept',
  },
  mails: {
    table: mails,
    owner: mails.userId,
    // The contents are sealed, and end with the mail.
    shown: [mails.purpose, mails.state, mails.createdAt, mails.endedAt],
    since: mails.createdAt,
    // Also one that waits: the end-user is gone, and so is the address.
    erasure: 'removed',
  },
};

/** Of each table, the newest. */
export const MAX_ROWS_SHOWN = 10_000;

type Row = Readonly<Record<string, unknown>>;

export type PersonalData = {
  readonly account: Row;
  /** By the name of the table; `more`: there are older rows. */
  readonly tables: Readonly<Record<string, { readonly rows: readonly Row[]; readonly more: boolean }>>;
};

/** @returns null: there is no such end-user. @throws StoreUnavailable */
export async function personalDataOf(db: Drizzle, userId: string): Promise<PersonalData | null> {
  const { id, username, claims, createdAt, disabledAt } = users;
  const hasPassword = sql<boolean>`${users.passwordHash} <> ''`;
  const [account] = await reading(() =>
    db
      .select({ sub: id, username, claims, hasPassword, createdAt, disabledAt })
      .from(users)
      .where(eq(users.id, userId)),
  );
  if (!account) return null;
  const { hasPassword: has, createdAt: since, disabledAt: disabled, ...rest } = account;
  const tables: Record<string, { rows: readonly Row[]; more: boolean }> = {};
  for (const [name, { table, owner, shown, shownAs, since: newest }] of Object.entries(PERSONAL_TABLES)) {
    tables[name] = await newestRows(db, { table, where: eq(owner, userId), shown, shownAs, newest });
  }
  tables['ledger'] = await newestRows(db, {
    table: transitions,
    where: aboutUser(userId, await ownedBy(db, userId)),
    shown: LEDGER_SHOWN,
    newest: transitions.at,
  });
  return {
    account: { ...rest, has_password: has, created_at: since, disabled_at: disabled },
    tables,
  };
}

const LEDGER_SHOWN = [
  transitions.at,
  transitions.machine,
  transitions.event,
  transitions.fromState,
  transitions.toState,
  transitions.reason,
  transitions.clientId,
  transitions.grantId,
  transitions.sessionId,
  transitions.actor,
  transitions.fields,
  // Kept when the account is erased, until the retention of the ledger ends: who tried to get in, and from where, is what it is for.
  transitions.address,
  transitions.userAgent,
];

async function newestRows(
  db: Drizzle,
  {
    table,
    where,
    shown,
    shownAs = {},
    newest,
  }: {
    readonly table: PgTable;
    readonly where: SQL | undefined;
    readonly shown: readonly AnyPgColumn[];
    readonly shownAs?: PersonalTable['shownAs'];
    readonly newest: AnyPgColumn;
  },
) {
  const columns = { ...Object.fromEntries(shown.map((column) => [column.name, column])), ...shownAs };
  const rows: Row[] = await reading(() =>
    db
      .select(columns)
      .from(table)
      .where(where)
      .orderBy(desc(newest))
      .limit(MAX_ROWS_SHOWN + 1),
  );
  return { rows: rows.slice(0, MAX_ROWS_SHOWN), more: rows.length > MAX_ROWS_SHOWN };
}
