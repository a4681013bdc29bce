/** End-users without any way to sign in: no password, no linked identity, no passkey. And the room that their mails find in the queue. */
import { and, asc, eq, gt, isNull, type SQL, sql } from 'drizzle-orm';
import type { RegisteredUser } from '../model/user.ts';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { nowOf } from './now.ts';
import { mails, users } from './schema.ts';
import { registeredColumns } from './users.ts';

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

/** Links in the queue. @throws StoreUnavailable */
export async function countWaitingLinks(db: Drizzle): Promise<number> {
  const [row] = await reading(() =>
    db
      .select({ waiting: sql`count(*)`.mapWith(Number) })
      .from(mails)
      .where(and(eq(mails.state, 'pending'), eq(mails.purpose, 'link'), isNull(mails.endedAt))),
  );
  return row?.waiting ?? 0;
}
