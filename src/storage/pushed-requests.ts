/**
 * Pushed requests: their loads, and the parts of the statements of interactions that spend one. The id of an interaction is that of its
 * pushed request.
 */
import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { SpentRequest } from '../lifecycles/interaction/lifecycle.ts';
import type { PushedRequestStore } from '../lifecycles/pushed-request/lifecycle.ts';
import { isUuid } from '../oauth/sub.ts';
import type { Clock } from '../system/clock.ts';
import { bound } from './bound.ts';
import { commitStore } from './commit.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { ledgerColumns } from './ledger.ts';
import { nowOf, readInstant, readInstantOrNull, readNow } from './now.ts';
import { pushedRequests, server, transitions } from './schema.ts';
import { readServer } from './server-row.ts';

export function pushedRequestStore(db: Drizzle, clock: Clock): PushedRequestStore {
  return {
    loadFresh: async ({ id, clientId }) => {
      const now = nowOf(clock);
      const open = sql`from pushed_requests p
        where p.client_id = ${clientId} and p.state = 'pushed' and p.ends_at > ${now} and p.id <> ${id}::uuid`;
      const row = await readServer(() =>
        db
          .select({
            now: readInstant(now),
            request: pushedRequests,
            count: sql<string>`(select count(*) ${open})`,
            endsAt: readInstantOrNull(sql`(select min(p.ends_at) ${open})`),
          })
          .from(server)
          .leftJoin(pushedRequests, eq(pushedRequests.id, id)),
      );
      const { now: at, request, count, endsAt } = row;
      return { now: at, request, othersOpen: { count: Number(count), endsAt } };
    },
    load: async (id) => {
      if (!isUuid(id)) return null;
      const [row] = await reading(() =>
        db
          .select({ now: readNow(clock), request: pushedRequests })
          .from(pushedRequests)
          .where(eq(pushedRequests.id, id)),
      );
      return row ? { ...row, othersOpen: { count: 0, endsAt: null } } : null;
    },
    commit: commitStore(db),
  };
}

const thePushed = and(eq(pushedRequests.id, bound('id', 'uuid')), eq(pushedRequests.state, 'pushed'));

/** Read again, and locked until the answer is committed: of two answers, one waits for the other and finds the request used. */
export const isStillPushed = sql`exists (select 1 from ${pushedRequests} where ${thePushed} for update)`;

/**
 * The request is used, and the ledger says so, where `answered` has a row.
 * @returns the parts of the statement that answers.
 */
export function spending(db: Drizzle, answered: SQL) {
  const spent = db
    .$with('spent')
    .as(
      db
        .update(pushedRequests)
        .set({ state: 'used', sealed: '' })
        .where(and(thePushed, answered))
        .returning({ id: pushedRequests.id, clientId: pushedRequests.clientId }),
    );
  const recorded = db.$with('recorded').as(
    db
      .insert(transitions)
      .select(
        db
          .select(
            ledgerColumns({
              shardKey: sql`${spent.id}`,
              interactionId: sql`${spent.id}`,
              clientId: sql`${spent.clientId}`,
              at: bound('now', 'timestamptz'),
              machine: bound('spentMachine', 'text'),
              event: bound('spentEvent', 'text'),
              from: bound('spentFrom', 'text'),
              to: bound('spentTo', 'text'),
            }),
          )
          .from(spent),
      )
      .returning({ machine: transitions.machine }),
  );
  return [spent, recorded] as const;
}

/** The values of these parts. */
export const spentValues = ({ entry }: SpentRequest) => ({
  spentMachine: entry.machine,
  spentEvent: entry.event,
  spentFrom: entry.from,
  spentTo: entry.to,
});
