/** The statements about mails: the queue with its bounds, the next mails, and the outcome of each. */
import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { NewMail } from '../lifecycles/mail/entity.ts';
import type { MailStore } from '../lifecycles/mail/lifecycle.ts';
import type { MailPurpose } from '../lifecycles/mail/purpose.ts';
import type { Clock } from '../system/clock.ts';
import { commitStore } from './commit.ts';
import type { Drizzle } from './database.ts';
import { committing, reading } from './failures.ts';
import { nowOf, readInstant } from './now.ts';
import { mails } from './schema.ts';
import { selectionFor, typed } from './selection.ts';

/** The longest due of a purpose and a domain. */
export type DueMail = { readonly id: string; readonly purpose: MailPurpose; readonly domain: string };

export type MailQueue = {
  /**
   * @param most of its purpose, as far as nodes that insert at the same moment see each other; null: the mail takes the place of another.
   * @returns false: the queue is full.
   */
  readonly add: (mail: NewMail, most: number | null) => Promise<boolean>;
  /** The newest mail of the domain that has the most, where that is more than this domain would have. */
  readonly displaceable: (mail: Pick<NewMail, 'purpose' | 'domainHash'>) => Promise<string | null>;
  /** One for each purpose and domain. */
  readonly due: () => Promise<readonly DueMail[]>;
  readonly mails: MailStore;
};

const isPending = sql`${mails.state} = 'pending'`;

export function mailQueue(db: Drizzle, clock: Clock): MailQueue {
  /** With milliseconds, so that a commit can compare the loaded row with the stored one. */
  const now = () => sql`date_trunc('milliseconds', ${nowOf(clock)})`;
  return {
    add: (mail, most) => committing(() => inserted(db, now(), mail, most)),
    displaceable: async ({ purpose, domainHash }) => {
      const counted = db.$with('counted').as(
        db
          .select({ domainHash: mails.domainHash, waiting: sql<number>`count(*)`.as('waiting') })
          .from(mails)
          .where(and(isPending, eq(mails.purpose, purpose)))
          .groupBy(mails.domainHash),
      );
      const largest = sql`(select domain_hash, waiting from ${counted} order by waiting desc, domain_hash limit 1) as largest`;
      const own = sql`coalesce((select waiting from ${counted} where domain_hash = ${domainHash}), 0) + 1`;
      const [row] = await reading(() =>
        db
          .with(counted)
          .select({ id: mails.id })
          .from(mails)
          .innerJoin(largest, sql`largest.domain_hash = ${mails.domainHash} and largest.waiting > ${own}`)
          .where(and(isPending, eq(mails.purpose, purpose)))
          .orderBy(sql`${mails.createdAt} desc, ${mails.id} desc`)
          .limit(1),
      );
      return row?.id ?? null;
    },
    due: () =>
      reading(() =>
        db
          .selectDistinctOn([mails.purpose, mails.domainHash], {
            id: mails.id,
            purpose: mails.purpose,
            domain: sql<string>`encode(${mails.domainHash}, 'hex')`,
          })
          .from(mails)
          .where(sql`${isPending} and ${mails.nextAttemptAt} <= ${now()}`)
          .orderBy(mails.purpose, mails.domainHash, mails.nextAttemptAt, mails.id),
      ),
    mails: {
      load: async (id) => {
        const [row] = await reading(() =>
          db
            .select({ now: readInstant(now()), mail: mails })
            .from(mails)
            .where(eq(mails.id, id)),
        );
        return row ?? null;
      },
      commit: commitStore(db),
    },
  };
}

function inserted(db: Drizzle, now: SQL, mail: NewMail, most: number | null) {
  const { purpose, givesUpAt } = mail;
  const waiting = sql`select 1 from ${mails} where ${isPending} and ${mails.purpose} = ${purpose} limit ${most}`;
  const values = {
    ...typed(mails, { ...mail, givesUpAt: givesUpAt.toISOString() }),
    state: sql`'pending'`,
    attempts: sql`0`,
    nextAttemptAt: now,
    createdAt: now,
  };
  const row = db
    .select(selectionFor(mails, values))
    .from(sql`(values (1)) as one`)
    .where(most === null ? undefined : sql`(select count(*) from (${waiting}) as waiting) < ${most}`);
  return db.insert(mails).select(row).returning({ id: mails.id });
}

/** Of each purpose for which a mail waits: how many, and since when the oldest. Callers keep the answer for some seconds. @throws StoreUnavailable */
export const waitingMails = (
  db: Drizzle,
  clock: Clock,
): Promise<readonly { readonly purpose: MailPurpose; readonly waiting: number; readonly oldestSeconds: number }[]> =>
  reading(() =>
    db
      .select({
        purpose: mails.purpose,
        waiting: sql<number>`count(*)::int`,
        oldestSeconds: sql<number>`extract(epoch from ${nowOf(clock)} - min(${mails.createdAt}))::float8`,
      })
      .from(mails)
      .where(isPending)
      .groupBy(mails.purpose),
  );

/** Links that wait in the queue. @throws StoreUnavailable */
export async function countWaitingLinks(db: Drizzle): Promise<number> {
  const [row] = await reading(() =>
    db
      .select({ waiting: sql`count(*)`.mapWith(Number) })
      .from(mails)
      .where(and(isPending, eq(mails.purpose, 'link'))),
  );
  return row?.waiting ?? 0;
}
