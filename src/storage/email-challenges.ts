/** Links in e-mails: the statement that loads a person's links with the end-user, and the single statement that moves them. */
import { and, desc, eq, gt, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { RowMacs } from '../crypto/row-mac.ts';
import type {
  EmailChallengeCommit,
  EmailChallengeKey,
  EmailChallengeStore,
  LoadedEmailChallenge,
} from '../lifecycles/email-challenge/lifecycle.ts';
import { emailChallengeFacts, goesOnOf } from '../lifecycles/email-challenge/table.ts';
import { actorName } from '../model/actor.ts';
import type { EmailChallenge } from '../model/email-challenge.ts';
import type { RegisteredUser } from '../model/user.ts';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { committing, reading } from './failures.ts';
import { instant, ledgerColumns } from './ledger.ts';
import { nowOf } from './now.ts';
import { type InstantPosition, olderThan, type Page, type PageRequest, positionInstant, readPage } from './page.ts';
import { plannedRead } from './planned-read.ts';
import { FIRST_VERSION, rowVersion, storedVersion } from './row-version.ts';
import { emailChallenges, server, transitions, users } from './schema.ts';
import { noServerRow } from './server-row.ts';
import { macOfChange, usernameKeyOf, versionOf } from './user-store.ts';
import { authenticColumns, isAuthenticUser, registeredColumns, usernameKey } from './users.ts';

const named = alias(users, 'named');
const link = alias(emailChallenges, 'link');

/** When the oldest factor that is active was added; null: there is none. */
const OLDEST_FACTOR_AT = sql<string | null>`least(
  (select min(f.confirmed_at) from second_factors f where f.user_id = ${users.id} and f.state = 'active'),
  (select min(p.created_at) from passkeys p where p.user_id = ${users.id} and p.state = 'active'))`;

export function emailChallengeStore(db: Drizzle, clock: Clock, macs: RowMacs): EmailChallengeStore {
  return {
    load: async (key) => {
      const username = key.kind === 'secret' ? key.username : null;
      const rows = await reading(() =>
        db
          .select({
            now: sql<string>`${nowOf(clock)}`,
            user: registeredColumns,
            version: rowVersion(users),
            authentic: authenticColumns,
            usernameOf: named.id,
            oldestFactorAt: OLDEST_FACTOR_AT,
            challenge: emailChallenges,
          })
          .from(server)
          .leftJoin(link, isMeant(key))
          .leftJoin(users, sql`${users.id} = ${key.kind === 'fresh' ? sql`${key.userId}::uuid` : link.userId}`)
          .leftJoin(
            emailChallenges,
            and(
              sql`${emailChallenges.person} = ${key.kind === 'fresh' ? key.person : link.person}`,
              sql`(${emailChallenges.id} = ${link.id} or ${emailChallenges.state} = 'active')`,
            ),
          )
          .leftJoin(named, username === null ? sql`false` : eq(named.usernameKey, usernameKey(username)))
          .orderBy(desc(emailChallenges.createdAt), emailChallenges.id),
      );
      const [row] = rows;
      if (!row) throw noServerRow();
      const { now, user, version, authentic, usernameOf, oldestFactorAt } = row;
      const isOurs = user === null || (authentic !== null && isAuthenticUser({ ...user, ...authentic }, macs));
      const found = rows.flatMap(({ challenge }) => challenge ?? []);
      const isLink = key.kind !== 'secret' || (isOurs && found.every((challenge) => mayBe(key, challenge, macs)));
      const challenges = isLink ? found.map(challengeFrom) : [];
      const factorAt = oldestFactorAt === null ? null : new Date(oldestFactorAt);
      const loaded = { now: new Date(now), challenges, user, usernameOf, oldestFactorAt: factorAt };
      return {
        ...loaded,
        version: user && versionOf(macs, user, { version, mac: null, macVersion: null, ...authentic }),
      } satisfies LoadedEmailChallenge;
    },
    commit: (commit) => committing(() => commitStatement(db, macs, commit)),
  };
}

/** The link that the request is about; a fresh link: the row that a lost commit may have stored. */
function isMeant(key: EmailChallengeKey): SQL | undefined {
  switch (key.kind) {
    case 'secret':
      return eq(link.secretHash, Buffer.from(key.secretHash));
    case 'id':
      return and(eq(link.id, key.id), eq(link.purpose, key.purpose));
    case 'fresh':
      return eq(link.id, key.id);
  }
}

type Row = typeof emailChallenges.$inferSelect;

/** A row that was not made here is no link. One that has ended does nothing, whatever else its row says. */
const mayBe = (key: Extract<EmailChallengeKey, { kind: 'secret' }>, row: Row, macs: RowMacs): boolean =>
  row.state !== 'active' ||
  Buffer.compare(row.secretHash, key.secretHash) !== 0 ||
  macs.isRight(...emailChallengeFacts({ ...row, goesOn: goesOnOf(row) }), row.mac);

const challengeFrom = ({
  goesOnPath,
  goesOnBrowserHash,
  sentBy: _,
  mac: __,
  macVersion: ___,
  ...row
}: Row): EmailChallenge => ({
  ...row,
  goesOn: goesOnOf({ goesOnPath, goesOnBrowserHash }),
});

const id = { id: sql<string>`id`.as('id') };

/**
 * All or nothing. `held` locks every link that is to change, if it is still as loaded. The end-user's row changes only when all are held;
 * links change, and a new link is stored, only when the end-user's row has changed, if it is to. The INSERT waits for the newest link
 * until then, whose place in the index it takes; when another link of this purpose came first, nothing happens.
 */
function commitStatement(
  db: Drizzle,
  macs: RowMacs,
  { now, moves, added, addedBy, user, entries }: EmailChallengeCommit,
) {
  const held = db.$with('held', id).as(
    moves.length === 0
      ? sql`select null::uuid as id where false`
      : sql`select c.id from email_challenges c
          where ${sql.join(
            moves.map(
              (move) =>
                sql`(c.id = ${move.id}::uuid and c.state = ${move.from}::text and c.newer_links = ${move.newerLinks.from}::int)`,
            ),
            sql` or `,
          )}
          order by c.id for update`,
  );
  const allHeld = sql`(select count(*) from held) = ${moves.length}::int`;
  const saved = db
    .$with('saved', id)
    .as(user === null ? sql`select null::uuid as id where false` : userSql(macs, user, allHeld));
  const userIsSaved = user === null ? sql`true` : sql`exists (select from saved)`;
  const step = sql`values ${sql.join(
    [
      ...moves.map(
        (move) => sql`(${move.id}::uuid, ${move.to}::text, ${move.reason}::text, ${move.newerLinks.to}::int)`,
      ),
      sql`(null::uuid, null::text, null::text, null::int)`,
    ],
    sql`, `,
  )}`;
  const moved = db.$with('moved', id).as(sql`
    update email_challenges c set state = s.to_state, superseded_reason = s.reason, newer_links = s.newer_links
    from (${step}) as s (id, to_state, reason, newer_links)
    where c.id = s.id and ${allHeld} and ${userIsSaved}
    returning c.id`);
  const allMoved = sql`(select count(*) from moved) = ${moves.length}::int`;
  const sent = db
    .$with('sent', id)
    .as(
      added === null
        ? sql`select null::uuid as id where false`
        : linkSql(macs, added, addedBy && actorName(addedBy), sql`${allMoved} and ${userIsSaved}`),
    );
  const isDone = added === null ? sql`${allMoved} and ${userIsSaved}` : sql`exists (select from sent)`;
  const lines = sql`values ${sql.join(
    entries.map(
      ({ machine, event, from, to, reason, userId, actor, fields, origin }, place) =>
        sql`(${place}::int, ${machine}::text, ${event}::text, ${from}::text, ${to}::text, ${reason}::text, ${userId ?? null}::uuid,
          ${actor ? actorName(actor) : null}::text, ${actor?.addressHash ?? null}::text,
          ${fields && fields.length > 0 ? sql.param([...fields]) : null}::text[],
          ${origin?.address ?? null}::text, ${origin?.accountHash ?? null}::text)`,
    ),
    sql`, `,
  )}`;
  const line = db.$with('line', id).as(sql`
    select null::uuid as id, l.* from (${lines}) as l (place, machine, event, from_state, to_state, reason, user_id, actor, address_hash, fields, address,
      account_hash)`);
  return db
    .with(held, saved, moved, sent, line)
    .insert(transitions)
    .select(
      db
        .select(
          ledgerColumns({
            at: instant(now),
            machine: sql`line.machine`,
            event: sql`line.event`,
            from: sql`line.from_state`,
            to: sql`line.to_state`,
            reason: sql`line.reason`,
            userId: sql`line.user_id`,
            actor: sql`line.actor`,
            addressHash: sql`line.address_hash`,
            fields: sql`line.fields`,
            address: sql`line.address`,
            accountHash: sql`line.account_hash`,
          }),
        )
        .from(line)
        .where(isDone)
        .orderBy(sql`line.place`),
    )
    .returning({ machine: transitions.machine });
}

function userSql(macs: RowMacs, { version, after }: NonNullable<EmailChallengeCommit['user']>, allHeld: SQL): SQL {
  const key = usernameKeyOf(after);
  const claims = sql`${JSON.stringify(after.claims)}::text::jsonb`;
  const changed = macOfChange(macs, version, after);
  const [mac, macVersion] = [sql`${changed.mac}::bytea`, sql`${changed.macVersion.toString()}::bigint`];
  if (version === null) {
    return sql`insert into users (id, username, username_key, password_hash, claims, epoch, disabled_at, deleted_at, mac, mac_version)
      select ${after.id}::uuid, ${after.username}::text, ${key}::text, ${after.passwordHash}::text, ${claims},
        ${after.epoch.toString()}::bigint, ${instant(after.disabledAt)}, ${instant(after.deletedAt)}, ${mac}, ${macVersion}
      where ${allHeld}
      on conflict do nothing returning id`;
  }
  return sql`update users u set password_hash = ${after.passwordHash}::text, password_by_link_at = ${instant(after.passwordByLinkAt)},
    claims = ${claims}, epoch = ${after.epoch.toString()}::bigint, mac = ${mac}, mac_version = ${macVersion}
    where u.id = ${after.id}::uuid and u.xmin::text = ${storedVersion(version)} and ${allHeld}
    returning u.id`;
}

const linkSql = (macs: RowMacs, added: EmailChallenge, sentBy: string | null, when: SQL): SQL => sql`
  insert into email_challenges (id, purpose, state, secret_hash, person, user_id, user_epoch, address, sent_by,
    goes_on_path, goes_on_browser_hash, created_at, ends_at, mac)
  select ${added.id}::uuid, ${added.purpose}::text, ${added.state}::text, ${Buffer.from(added.secretHash)}::bytea, ${added.person}::text,
    ${added.userId}::uuid, ${added.userEpoch?.toString() ?? null}::bigint, ${added.address}::text, ${sentBy}::text,
    ${added.goesOn?.path ?? null}::text, ${added.goesOn ? Buffer.from(added.goesOn.browserHash) : null}::bytea,
    ${instant(added.createdAt)}, ${instant(added.endsAt)}, ${macs.macOf(...emailChallengeFacts({ ...added, macVersion: FIRST_VERSION }))}::bytea
  where ${when}
  on conflict do nothing returning id`;

/**
 * Accounts whose verified address this is, whatever its case; the oldest first. Bounded: accounts that only say so do not count, or five
 * of them would take the places of the owner's. Rows that were not made here are left out.
 */
export async function usersWithAddress(
  db: Drizzle,
  macs: RowMacs,
  address: string,
  limit: number,
): Promise<RegisteredUser[]> {
  const found = await reading(() =>
    db
      .select({ user: registeredColumns, authentic: authenticColumns })
      .from(users)
      .where(
        sql`lower(${users.claims} ->> 'email') = lower(${address}) and ${users.claims} -> 'email_verified' = 'true'::jsonb
          and ${users.deletedAt} is null`,
      )
      .orderBy(users.createdAt, users.id)
      .limit(limit),
  );
  return found.flatMap((row) => authenticUser(row, macs) ?? []);
}

/** Null: no such end-user, or a row that was not made here: nobody gets a mail by writing an address into it. */
export async function findRegisteredUser(db: Drizzle, macs: RowMacs, userId: string): Promise<RegisteredUser | null> {
  const [row] = await reading(() =>
    db.select({ user: registeredColumns, authentic: authenticColumns }).from(users).where(eq(users.id, userId)),
  );
  return row ? authenticUser(row, macs) : null;
}

type WithAuthentic = {
  readonly user: RegisteredUser;
  readonly authentic: { readonly usernameKey: string; readonly mac: Buffer | null; readonly macVersion: bigint };
};

const authenticUser = ({ user, authentic }: WithAuthentic, macs: RowMacs): RegisteredUser | null =>
  isAuthenticUser({ ...user, ...authentic }, macs) ? user : null;

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
