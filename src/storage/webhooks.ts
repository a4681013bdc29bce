/** The statements about webhooks: the ledger entries for an endpoint, its deliveries, and their outcomes. */
import { and, asc, eq, inArray, isNotNull, lt, sql } from 'drizzle-orm';
import type { AttemptOutcome } from '../lifecycles/webhook-delivery/attempt.ts';
import { TEST_EVENT, type WebhookDelivery } from '../lifecycles/webhook-delivery/entity.ts';
import type { WebhookDeliveryStore } from '../lifecycles/webhook-delivery/lifecycle.ts';
import type { Clock } from '../system/clock.ts';
import { commitStore } from './commit.ts';
import type { Drizzle } from './database.ts';
import { isCluster } from './each-node.ts';
import { committing, reading, writing } from './failures.ts';
import { nowOf, readNow } from './now.ts';
import { areStill, type PlacesOfNodes, placeOf, withPlace } from './places-of-nodes.ts';
import { endsOfNodes, hasRecordingNodes, isOnePostgres, recordedOn, recordingNodes } from './recording-nodes.ts';
import {
  grants,
  server,
  sessions,
  transitions,
  users,
  webhookAttempts,
  webhookDeliveries,
  webhookReceivers,
} from './schema.ts';
import { selectionFor } from './selection.ts';
import { areSpread } from './spread-databases.ts';

export type Place = { readonly recordedIn: string; readonly position: string };
/** With `nodes` on a cluster. */
type Places = Place & Partial<PlacesOfNodes<Place>>;
const START: Place = { recordedIn: '0', position: '0' };

/** How many lines of the ledger a statement reads at most. */
const LINES_AT_A_TIME = 2000;

/** A receiver that no node has had in its configuration for so long is removed: nodes may reload at different times. */
const FORGOTTEN_AFTER = sql.raw(`interval '1 hour'`);
const DELIVERIES_AT_A_TIME = 500;

const SEEN = { target: webhookReceivers.name, set: { seenAt: sql`excluded.seen_at` } };

export type WebhookStore = ReturnType<typeof webhookStore>;

export function webhookStore(db: Drizzle, clock: Clock) {
  /** Instants of deliveries have milliseconds, so that a commit can compare the loaded row with the stored one. */
  const now = () => sql`date_trunc('milliseconds', ${nowOf(clock)})`;
  /** @returns false: none was kept, since the tables are spread. */
  const keepOne = async (receivers: readonly string[]): Promise<boolean> => {
    const name = sql<string>`unnest(${sql.param([...receivers])}::text[])`;
    const kept = await writing(() =>
      db
        .insert(webhookReceivers)
        .select(
          db
            .select(
              selectionFor(webhookReceivers, {
                name,
                // The lines of transactions that begin from here on are events for it.
                recordedIn: sql`pg_snapshot_xmax(pg_current_snapshot())`,
                position: sql`0::bigint`,
                seenAt: now(),
              }),
            )
            .from(server)
            .where(isOnePostgres),
        )
        .onConflictDoUpdate(SEEN)
        .returning({ name: webhookReceivers.name }),
    );
    return kept.length > 0;
  };
  return {
    keep: async (receivers: readonly string[]): Promise<void> => {
      if (receivers.length === 0) return;
      const isKept = areSpread(db) ? false : await keepOne(receivers);
      if (isKept) return;
      if (!(await reading(() => isCluster(db)))) return;
      const { here, others } = await reading(() => endsOfNodes(db));
      const seenAt = sql<Date>`${now()}`;
      const values = receivers.map((name) => ({
        name,
        recordedIn: here.begunBelow,
        position: 0n,
        nodes: others.map(({ node, begunBelow }) => ({ node, recordedIn: begunBelow, position: '0' })),
        seenAt,
        pausedAt: null,
      }));
      await writing(() => db.insert(webhookReceivers).values(values).onConflictDoUpdate(SEEN));
    },
    read: (receiver: string, machines: readonly string[]) => readLines(db, receiver, machines),
    record: (
      receiver: string,
      { from, to }: { readonly from: Places; readonly to: Places },
      deliveries: readonly NewDelivery[],
      giveUpAfterSeconds: number,
    ): Promise<boolean> =>
      committing(() => {
        if (to.nodes !== undefined) {
          // Citus writes tables of different keys in several statements.
          return db.transaction(async (transaction) => {
            const moved = await move(transaction, receiver, from, to);
            if (moved.length > 0 && deliveries.length > 0)
              await insertOf(transaction, now(), deliveries, giveUpAfterSeconds, sql`${server}`);
            return moved;
          });
        }
        const moved = db.$with('moved').as(move(db, receiver, from, to));
        if (deliveries.length === 0) return db.with(moved).select().from(moved);
        const recorded = db.$with('recorded').as(insertOf(db, now(), deliveries, giveUpAfterSeconds, sql`${moved}`));
        return db.with(moved, recorded).select().from(moved);
      }),
    /** Of an event that no line of the ledger is. */
    add: async (delivery: NewDelivery, giveUpAfterSeconds: number): Promise<void> => {
      await writing(() => insertOf(db, now(), [delivery], giveUpAfterSeconds, sql`${server}`));
    },
    due: (receiver: string, limit: number, after: { readonly id: string; readonly at: string } | null) => {
      const { id, nextAttemptAt, state, eventType } = webhookDeliveries;
      return reading(() =>
        db
          .select({ id, at: sql<string>`${nextAttemptAt}::text` })
          .from(webhookDeliveries)
          .where(
            and(
              eq(webhookDeliveries.receiver, receiver),
              eq(state, 'pending'),
              sql`${nextAttemptAt} <= ${now()}`,
              // An endpoint that is switched off gets tests, so that an operator can see whether it works again.
              sql`(${eventType} = ${TEST_EVENT} or not exists (select from ${webhookReceivers}
                where ${webhookReceivers.name} = ${receiver} and ${webhookReceivers.pausedAt} is not null))`,
              after === null
                ? undefined
                : sql`(${nextAttemptAt}, ${id}) > (${after.at}::timestamptz, ${after.id}::uuid)`,
            ),
          )
          .orderBy(asc(nextAttemptAt), asc(id))
          .limit(limit),
      );
    },
    /** Pending deliveries of receivers that no node has any more. */
    ofForgottenReceivers: async (): Promise<string[]> => {
      const rows = await reading(() =>
        db
          .select({ id: webhookDeliveries.id })
          .from(webhookDeliveries)
          .where(
            and(
              eq(webhookDeliveries.state, 'pending'),
              sql`not exists (select from ${webhookReceivers} where ${webhookReceivers.name} = ${webhookDeliveries.receiver}
                and ${webhookReceivers.seenAt} >= ${now()} - ${FORGOTTEN_AFTER})`,
            ),
          )
          .limit(DELIVERIES_AT_A_TIME),
      );
      return rows.map(({ id }) => id);
    },
    recordAttempt: async ({ id, ...attempted }: EndedAttempt): Promise<void> => {
      await writing(() =>
        db
          .insert(webhookAttempts)
          .values({ deliveryId: id, ...attempted })
          .onConflictDoNothing(),
      );
    },
    removeOldAttempts: async (keptSeconds: number): Promise<void> => {
      await writing(() =>
        db.delete(webhookAttempts).where(sql`${webhookAttempts.at} < ${now()} - make_interval(secs => ${keptSeconds})`),
      );
    },
    /** Receivers that no node has any more, and deliveries that ended longer ago. */
    removeOld: async (keptSeconds: number): Promise<void> => {
      await writing(() =>
        db.delete(webhookReceivers).where(sql`${webhookReceivers.seenAt} < ${now()} - ${FORGOTTEN_AFTER}`),
      );
      const isOld = and(
        isNotNull(webhookDeliveries.endedAt),
        lt(webhookDeliveries.endedAt, sql`${now()} - make_interval(secs => ${keptSeconds})`),
      );
      const { id } = webhookDeliveries;
      let deleted: readonly unknown[];
      do {
        const some = db.select({ id }).from(webhookDeliveries).where(isOld).limit(DELIVERIES_AT_A_TIME);
        deleted = await writing(() =>
          db
            .delete(webhookDeliveries)
            .where(and(sql`${id} in (${some})`, isOld))
            .returning({ id }),
        );
      } while (deleted.length === DELIVERIES_AT_A_TIME);
    },
    deliveries: deliveryStore(db, clock),
  };
}

/** The outcome of an attempt of a delivery. */
type EndedAttempt = Pick<WebhookDelivery, 'id' | 'eventId'> & {
  readonly at: Date;
  readonly outcome: AttemptOutcome;
  readonly status: number | null;
  readonly milliseconds: number;
};

type NewDelivery = Pick<
  WebhookDelivery,
  'id' | 'receiver' | 'eventId' | 'eventType' | 'userId' | 'data' | 'occurredAt'
>;

/** @param from has a row where they are to be inserted. */
function insertOf(
  db: Drizzle,
  now: ReturnType<typeof sql>,
  deliveries: readonly NewDelivery[],
  giveUpAfterSeconds: number,
  from: ReturnType<typeof sql>,
) {
  const rows = JSON.stringify(
    deliveries.map((delivery) => ({ ...delivery, occurredAt: delivery.occurredAt.toISOString() })),
  );
  return db
    .insert(webhookDeliveries)
    .select(
      db
        .select(
          selectionFor(webhookDeliveries, {
            id: sql`event.id`,
            receiver: sql`event.receiver`,
            eventId: sql`event."eventId"`,
            eventType: sql`event."eventType"`,
            userId: sql`event."userId"`,
            data: sql`event.data`,
            occurredAt: sql`event."occurredAt"`,
            state: sql`'pending'`,
            attempts: sql`0`,
            nextAttemptAt: now,
            givesUpAt: sql`${now} + make_interval(secs => ${giveUpAfterSeconds})`,
            createdAt: now,
          }),
        )
        .from(
          sql`${from} cross join jsonb_to_recordset(${rows}::jsonb) as event(id uuid, receiver text, "eventId" uuid,
            "eventType" text, "userId" uuid, data jsonb, "occurredAt" timestamptz)`,
        ),
    )
    .onConflictDoNothing({ target: [webhookDeliveries.receiver, webhookDeliveries.eventId] })
    .returning({ id: webhookDeliveries.id });
}

/** @returns no row: another node of the server has moved it. */
const move = (db: Drizzle, receiver: string, from: Places, to: Places) =>
  db
    .update(webhookReceivers)
    .set({ recordedIn: to.recordedIn, position: BigInt(to.position), ...(to.nodes && { nodes: to.nodes }) })
    .where(
      and(
        eq(webhookReceivers.name, receiver),
        sql`${webhookReceivers.recordedIn} = ${from.recordedIn}::xid8`,
        sql`${webhookReceivers.position} = ${from.position}::bigint`,
        from.nodes && areStill(webhookReceivers.nodes, from.nodes),
      ),
    )
    .returning({ name: webhookReceivers.name });

/** Lines wait until no older transaction can write any more, as in the feed (ledger-list.ts). */
async function readLines(db: Drizzle, receiver: string, machines: readonly string[]) {
  const [row] = await reading(() =>
    db
      .select({
        recordedIn: webhookReceivers.recordedIn,
        position: sql<string>`${webhookReceivers.position}::text`,
        nodes: webhookReceivers.nodes,
        spread: hasRecordingNodes,
      })
      .from(webhookReceivers)
      .where(eq(webhookReceivers.name, receiver)),
  );
  if (!row) return null;
  const { nodes, spread, ...from } = row;
  if (spread) return readNodes(db, { ...from, nodes: nodes ?? [] }, machines);
  const rows = await reading(() => outboxLines(db, from, machines));
  const last = rows.at(-1)?.line;
  return {
    from,
    to: last ? { recordedIn: last.recordedIn, position: last.position } : null,
    lines: rows
      .filter(({ isWanted }) => isWanted)
      .map(({ line: { place: _, shardKey: __, begunSessionId, ...said }, userOfGrant, userOfSession, sub }) => ({
        ...said,
        sessionId: said.sessionId ?? begunSessionId,
        userId: said.userId ?? userOfGrant ?? userOfSession,
        sub,
      })),
  };
}

/** The next lines of the first recording node that has some. */
async function readNodes(db: Drizzle, from: PlacesOfNodes<Place>, machines: readonly string[]) {
  for (const { node, settledBelow } of await reading(() => recordingNodes(db))) {
    const after = placeOf(from, node, START);
    if (BigInt(settledBelow) <= BigInt(after.recordedIn)) continue;
    const lines = await reading(() => linesOfNode(db, node, after, settledBelow));
    const last = lines.at(-1);
    if (last === undefined) continue;
    return {
      from,
      to: withPlace(from, node, { recordedIn: last.recordedIn, position: last.position }),
      lines: await withUsers(
        db,
        lines.filter(({ machine }) => machines.includes(machine)),
      ),
    };
  }
  return { from, to: null, lines: [] };
}

const linesOfNode = (db: Drizzle, node: number | undefined, after: Place, settledBelow: string) =>
  db
    .select({ ...LINE, recordedIn: sql<string>`${transitions.recordedIn}::text`.as('recorded_in_text') })
    .from(transitions)
    .where(
      and(
        recordedOn(node),
        sql`${transitions.recordedIn} >= ${after.recordedIn}::xid8 and ${transitions.recordedIn} < ${settledBelow}::xid8
          and (${transitions.recordedIn}, ${transitions.position}) > (${after.recordedIn}::xid8, ${after.position}::bigint)`,
      ),
    )
    .orderBy(transitions.recordedIn, transitions.position)
    .limit(LINES_AT_A_TIME);

/** Looked up by their keys: Citus would read whole tables to join them with a page of lines. */
async function withUsers(db: Drizzle, lines: Awaited<ReturnType<typeof linesOfNode>>) {
  const grantIds = [...new Set(lines.flatMap(({ grantId }) => grantId ?? []))];
  const ofSession = lines.filter(({ sessionId }) => sessionId !== null);
  const ofGrants = await reading(() =>
    db.select({ id: grants.id, userId: grants.userId }).from(grants).where(inArray(grants.id, grantIds)),
  );
  const ofSessions = await reading(() =>
    db
      .select({ sid: sessions.sid, userId: sessions.userId })
      .from(sessions)
      .where(
        and(
          inArray(sessions.userId, [...new Set(ofSession.map(({ shardKey }) => shardKey))]),
          inArray(sessions.sid, [...new Set(ofSession.flatMap(({ sessionId }) => sessionId ?? []))]),
        ),
      ),
  );
  const userOfGrant = new Map(ofGrants.map(({ id, userId }) => [id, userId]));
  const userOfSession = new Map(ofSessions.map(({ sid, userId }) => [sid, userId]));
  const said = lines.map(({ shardKey: _, begunSessionId, ...line }) => ({
    ...line,
    sessionId: line.sessionId ?? begunSessionId,
    userId: line.userId ?? userOfGrant.get(line.grantId ?? '') ?? userOfSession.get(line.sessionId ?? '') ?? null,
  }));
  const ofUsers = await reading(() =>
    db
      .select({ id: users.id, sub: sql<string>`coalesce(${users.sub}, ${users.id}::text)` })
      .from(users)
      .where(inArray(users.id, [...new Set(said.flatMap(({ userId }) => userId ?? []))])),
  );
  const subs = new Map(ofUsers.map(({ id, sub }) => [id, sub]));
  return said.map((line) => ({ ...line, sub: subs.get(line.userId ?? '') ?? null }));
}

const LINE = {
  position: sql<string>`${transitions.position}::text`.as('position_text'),
  at: transitions.at,
  machine: transitions.machine,
  shardKey: transitions.shardKey,
  event: transitions.event,
  from: sql<string>`${transitions.fromState}`.as('from_state_'),
  to: sql<string>`${transitions.toState}`.as('to_state_'),
  reason: transitions.reason,
  clientId: transitions.clientId,
  userId: transitions.userId,
  sessionId: transitions.sessionId,
  begunSessionId: transitions.begunSessionId,
  grantId: transitions.grantId,
  signingKeyId: transitions.signingKeyId,
  actor: transitions.actor,
  fields: transitions.fields,
  address: transitions.address,
  userAgent: transitions.userAgent,
};

/** For a test of its plan, too. */
export function outboxLines(db: Drizzle, from: Place, machines: readonly string[]) {
  const sorted = sql`${transitions.recordedIn}, ${transitions.position}`;
  const line = db.$with('line').as(
    db
      .select({
        recordedIn: transitions.recordedIn,
        place: sql<number>`row_number() over (order by ${sorted})`.as('place'),
        ...LINE,
      })
      .from(transitions)
      .where(
        // The first condition is where the scan of the index begins: a comparison of rows alone would not be.
        sql`${transitions.recordedIn} >= ${from.recordedIn}::xid8
          and ${transitions.recordedIn} < pg_snapshot_xmin(pg_current_snapshot())
          and (${sorted}) > (${from.recordedIn}::xid8, ${from.position}::bigint) and ${isOnePostgres}`,
      )
      .orderBy(sorted)
      .limit(LINES_AT_A_TIME),
  );
  const isWanted = sql`${line.machine} = any(${sql.param([...machines])}::text[])`;
  return (
    db
      .with(line)
      .select({
        line: line._.selectedFields,
        isWanted: sql<boolean>`${isWanted}`,
        userOfGrant: grants.userId,
        userOfSession: sessions.userId,
        sub: sql<string | null>`coalesce(${users.sub}, ${users.id}::text)`,
      })
      .from(line)
      .leftJoin(grants, and(eq(grants.id, line.grantId), isWanted))
      // The key of an entry about a session is its end-user.
      .leftJoin(sessions, and(eq(sessions.sid, line.sessionId), eq(sessions.userId, line.shardKey), isWanted))
      .leftJoin(users, and(eq(users.id, sql`coalesce(${line.userId}, ${grants.userId}, ${sessions.userId})`), isWanted))
      .where(sql`${isWanted} or ${line.place} = (select max(other.place) from ${line} other)`)
      .orderBy(line.place)
  );
}

function deliveryStore(db: Drizzle, clock: Clock): WebhookDeliveryStore {
  return {
    load: async (id) => {
      const [row] = await reading(() =>
        db
          .select({ now: readNow(clock), delivery: webhookDeliveries })
          .from(webhookDeliveries)
          .where(eq(webhookDeliveries.id, id)),
      );
      return row ?? null;
    },
    commit: commitStore(db),
  };
}
