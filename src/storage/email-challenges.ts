/** Links in e-mails: the statement that loads a person's links with the end-user, lists of them, and end-users who need one. */
import { and, asc, desc, eq, gt, type SQL, sql } from 'drizzle-orm';

import { alias } from 'drizzle-orm/pg-core';
import type { PasskeyState } from '../../machines/passkey/facts.ts';
import type { RowMacs } from '../crypto/row-mac.ts';
import type { EmailChallenge } from '../lifecycles/email-challenge/entity.ts';
import type {
  EmailChallengeKey,
  EmailChallengeStore,
  LoadedEmailChallenge,
} from '../lifecycles/email-challenge/lifecycle.ts';
import { emailChallengeFacts, resumptionOf } from '../lifecycles/email-challenge/table.ts';
import type { RegisteredUser } from '../model/user.ts';
import type { Clock } from '../system/clock.ts';
import { commitStore } from './commit.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { identifiedBy, identifiedByAddress } from './identified.ts';
import { nowOf, readInstantOrNull, readNow } from './now.ts';
import { ofAnotherKey } from './of-another-key.ts';
import { type InstantPosition, olderThan, type Page, type PageRequest, positionInstant, readPage } from './page.ts';
import { plannedRead } from './planned-read.ts';
import { rowVersion } from './row-version.ts';
import { emailChallenges, secondFactors, server, users } from './schema.ts';
import { noServerRow } from './server-row.ts';
import { versionOf } from './user-macs.ts';
import { authenticColumns, isAuthenticUser, registeredColumns, usernameKey } from './users.ts';

const link = alias(emailChallenges, 'link');

/** The link that is meant, and the rows of its end-user and its person: tables of other keys, each read once the one before is. */
function tablesOf(db: Drizzle, key: EmailChallengeKey) {
  const meant = db.$with('link', {}).as(sql`select * from ${emailChallenges} where ${isMeant(key)}`);
  const ofLink = (column: 'user_id' | 'person') => sql`in (select ${sql.raw(column)} from ${meant})`;
  const theUser = key.kind === 'fresh' ? sql`= ${key.userId}::uuid` : ofLink('user_id');
  const thePerson = key.kind === 'fresh' ? sql`= ${key.person}` : ofLink('person');
  return [
    meant,
    ofAnotherKey(db, secondFactors, sql`${secondFactors.userId} ${theUser}`),
    ofAnotherKey(db, emailChallenges, sql`${emailChallenges.person} ${thePerson}`),
  ] as const;
}

/** When the oldest factor that is active was added; null: there is none. */
const OLDEST_FACTOR_AT = readInstantOrNull(sql`least(
  (select min(f.confirmed_at) from second_factors f where f.user_id = ${users.id} and f.state = 'active'),
  (select min(p.created_at) from passkeys p where p.user_id = ${users.id} and p.state = 'active'))`);

const NOTHING_SENT = { username: null, address: null };

export function emailChallengeStore(db: Drizzle, clock: Clock, macs: RowMacs): EmailChallengeStore {
  return {
    load: async (key) => {
      const { username, address = null } = key.kind === 'secret' ? key : NOTHING_SENT;
      const rows = await reading(() =>
        db
          .with(...tablesOf(db, key))
          .select({
            now: readNow(clock),
            user: registeredColumns,
            version: rowVersion(users),
            authentic: authenticColumns,
            addressesIdentify: server.addressesIdentify,
            usernameOf: identifiedBy(username === null ? null : usernameKey(username)),
            addressOf: identifiedByAddress(address),
            oldestFactorAt: OLDEST_FACTOR_AT,
            passkeyState: stateOfCredential(key),
            challenge: emailChallenges,
          })
          .from(server)
          .leftJoin(sql`link`, sql`true`)
          .leftJoin(users, sql`${users.id} = ${key.kind === 'fresh' ? sql`${key.userId}::uuid` : link.userId}`)
          .leftJoin(
            emailChallenges,
            and(
              sql`${emailChallenges.person} = ${key.kind === 'fresh' ? key.person : link.person}`,
              sql`(${emailChallenges.id} = ${link.id} or ${emailChallenges.state} = 'active')`,
            ),
          )
          .orderBy(desc(emailChallenges.createdAt), emailChallenges.id),
      );
      const [row] = rows;
      if (!row) throw noServerRow();
      const { now, user, version, authentic, oldestFactorAt, usernameOf, addressOf, addressesIdentify, passkeyState } =
        row;
      const isOurs = user === null || (authentic !== null && isAuthenticUser({ ...user, ...authentic }, macs));
      const found = rows.flatMap(({ challenge }) => challenge ?? []);
      // A writer to the database can put a link of another person beside this one, with its id or the hash of its secret.
      const isOfOne = new Set(found.map(({ person }) => person)).size <= 1;
      const isLink =
        isOfOne && (key.kind !== 'secret' || (isOurs && found.every((challenge) => mayBe(key, challenge, macs))));
      const challenges = isLink ? found.map(challengeFrom) : [];
      const loaded = {
        now,
        challenges,
        user,
        usernameOf,
        addressOf,
        addressesIdentify,
        oldestFactorAt,
        ...(passkeyState !== null && { passkeyState }),
      };
      return {
        ...loaded,
        version: user && versionOf(macs, user, { version, mac: null, macVersion: null, ...authentic }),
      } satisfies LoadedEmailChallenge;
    },
    commit: commitStore(db, macs),
  };
}

/** The link that the request is about; a fresh link: the row that a lost commit may have stored. */
function isMeant(key: EmailChallengeKey): SQL | undefined {
  const { id, person, purpose, secretHash } = emailChallenges;
  switch (key.kind) {
    case 'secret':
      return eq(secretHash, Buffer.from(key.secretHash));
    case 'id':
      return and(eq(id, key.id), eq(purpose, key.purpose));
    case 'fresh':
      return and(eq(id, key.id), eq(person, key.person));
  }
}

/** Also of a row that the server did not write: its credential is taken. */
const stateOfCredential = (key: EmailChallengeKey): SQL<PasskeyState | null> =>
  key.kind === 'secret' && key.credentialId
    ? sql`(select p.state from passkeys p where p.credential_id = ${Buffer.from(key.credentialId)})`
    : sql`null`;

type Row = typeof emailChallenges.$inferSelect;

/** A row that the server did not write is no link. An ended link does nothing, with any other columns. */
const mayBe = (key: Extract<EmailChallengeKey, { kind: 'secret' }>, row: Row, macs: RowMacs): boolean =>
  row.state !== 'active' ||
  Buffer.compare(row.secretHash, key.secretHash) !== 0 ||
  macs.isRight(...emailChallengeFacts(row), row.mac);

const challengeFrom = ({
  resumePath,
  resumeBrowserHash,
  sentBy: _,
  mac: __,
  macVersion: ___,
  ...row
}: Row): EmailChallenge => ({
  ...row,
  resumption: resumptionOf({ resumePath, resumeBrowserHash }),
});

export type ListedInvitation = Pick<EmailChallenge, 'id' | 'address' | 'createdAt' | 'endsAt'> & {
  readonly sentBy: string | null;
};

/** Those that may still be used, newest first, by (created_at, id). @throws StoreUnavailable */
export const listInvitationPage = (
  db: Drizzle,
  clock: Clock,
  page: PageRequest<InstantPosition>,
): Promise<Page<ListedInvitation, InstantPosition>> =>
  readPage(page, {
    read: (after, rows) => plannedRead(db, (db) => invitationRows(db, clock, after, rows)),
    positionOf: ({ at, id }) => ({ at, id }),
    itemOf: ({ at: _, ...invitation }) => invitation,
    filters: false,
  });

/** @returns null: there is none, or it cannot be used any more. @throws StoreUnavailable */
export async function findInvitation(db: Drizzle, clock: Clock, id: string): Promise<ListedInvitation | null> {
  const [row] = await reading(() => invitationRows(db, clock, null, 1, eq(emailChallenges.id, id)));
  if (row === undefined) return null;
  const { at: _, ...invitation } = row;
  return invitation;
}

const invitationRows = (db: Drizzle, clock: Clock, after: InstantPosition | null, rows: number, also?: SQL) =>
  db
    .select({
      at: positionInstant(emailChallenges.createdAt),
      id: emailChallenges.id,
      address: emailChallenges.address,
      createdAt: emailChallenges.createdAt,
      endsAt: emailChallenges.endsAt,
      sentBy: emailChallenges.sentBy,
    })
    .from(emailChallenges)
    .where(
      and(
        eq(emailChallenges.purpose, 'invitation'),
        eq(emailChallenges.state, 'active'),
        gt(emailChallenges.endsAt, nowOf(clock)),
        olderThan(emailChallenges.createdAt, emailChallenges.id, after),
        also,
      ),
    )
    .orderBy(desc(emailChallenges.createdAt), desc(emailChallenges.id))
    .limit(rows);

/** No password, no linked identity, no passkey. */
const HAS_NO_WAY = sql`${users.deletedAt} is null and ${users.disabledAt} is null and ${users.passwordHash} = ''
  and not exists (select from linked_identities one where one.user_id = ${users.id} and one.state = 'active')
  and not exists (select from passkeys one where one.user_id = ${users.id} and one.state = 'active')`;
const HAS_ADDRESS = sql`coalesce(${users.claims} ->> 'email', '') <> ''`;
const IS_VERIFIED = sql`coalesce(${users.claims} -> 'email_verified' = 'true'::jsonb, false)`;

const hasLink = (clock: Clock): SQL => sql`exists (select from email_challenges one where one.user_id = ${users.id}
  and one.purpose in ('reset_password', 'verify_address') and one.state = 'active' and one.ends_at > ${nowOf(clock)})`;

export type WithoutPassword = {
  readonly all: number;
  readonly withoutAddress: number;
  readonly unverified: number;
  /** A link that was mailed before can still be used. */
  readonly mailed: number;
};

/** `unverified`: those without such a link. @throws StoreUnavailable */
export async function countWithoutPassword(db: Drizzle, clock: Clock): Promise<WithoutPassword> {
  const count = (which: SQL) => sql<number>`count(*) filter (where ${which})`.mapWith(Number);
  const [row] = await reading(() =>
    db
      .select({
        all: count(sql`true`),
        withoutAddress: count(sql`not ${HAS_ADDRESS}`),
        unverified: count(sql`${HAS_ADDRESS} and not ${IS_VERIFIED} and not ${hasLink(clock)}`),
        mailed: count(hasLink(clock)),
      })
      .from(users)
      .where(HAS_NO_WAY),
  );
  return row ?? { all: 0, withoutAddress: 0, unverified: 0, mailed: 0 };
}

/** By their ids, after the given one. Without those to whom a link was mailed that can still be used. @throws StoreUnavailable */
export const listWithoutPassword = (
  db: Drizzle,
  clock: Clock,
  { after, limit, unverified }: { readonly after: string | null; readonly limit: number; readonly unverified: boolean },
): Promise<readonly RegisteredUser[]> =>
  reading(() =>
    db
      .select(registeredColumns)
      .from(users)
      .where(
        and(
          HAS_NO_WAY,
          HAS_ADDRESS,
          unverified ? undefined : IS_VERIFIED,
          sql`not ${hasLink(clock)}`,
          after === null ? undefined : gt(users.id, after),
        ),
      )
      .orderBy(asc(users.id))
      .limit(limit),
  );
