/** Deliveries in pages, for administrators, and how far behind each receiver is. */
import { and, asc, desc, eq, ne, sql } from 'drizzle-orm';
import type { WebhookDeliveryState } from '../../machines/webhook-delivery/facts.ts';
import { TEST_EVENT, type WebhookDelivery } from '../lifecycles/webhook-delivery/entity.ts';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { nowOf, readInstantOrNull } from './now.ts';
import { type InstantPosition, olderThan, type Page, type PageRequest, positionInstant, readPage } from './page.ts';
import { plannedRead } from './planned-read.ts';
import { webhookAttempts, webhookDeliveries } from './schema.ts';

export type DeliveryFilter = {
  readonly receiver?: string | undefined;
  readonly state?: WebhookDeliveryState | undefined;
};

const COMPARED = ['receiver', 'state'] as const;

/** False: a row that the server did not write, with an instant that no document can have. The list skips it, and shows the others. */
const isReadable = and(
  ...(['createdAt', 'occurredAt', 'givesUpAt', 'nextAttemptAt', 'endedAt'] as const).map((name) => {
    const column = webhookDeliveries[name];
    return sql`(${column} is null or (${column} >= '1970-01-01Z' and ${column} < '9999-01-01Z'))`;
  }),
);

/** Newest first, by (created_at, id). @throws StoreUnavailable */
export const listDeliveryPage = (
  db: Drizzle,
  filter: DeliveryFilter,
  page: PageRequest<InstantPosition>,
): Promise<Page<WebhookDelivery, InstantPosition>> =>
  readPage(page, {
    read: (after, rows) =>
      plannedRead(db, (db) =>
        db
          .select({ at: positionInstant(webhookDeliveries.createdAt), delivery: webhookDeliveries })
          .from(webhookDeliveries)
          .where(and(olderThan(webhookDeliveries.createdAt, webhookDeliveries.id, after), isReadable))
          .orderBy(desc(webhookDeliveries.createdAt), desc(webhookDeliveries.id))
          .limit(rows),
      ),
    positionOf: ({ at, delivery }) => ({ at, id: delivery.id }),
    itemOf: ({ delivery }) =>
      COMPARED.every((name) => filter[name] === undefined || filter[name] === delivery[name]) ? delivery : null,
    filters: COMPARED.some((name) => filter[name] !== undefined),
  });

/** @returns null: the delivery is not found. @throws StoreUnavailable */
export async function findDelivery(db: Drizzle, id: string): Promise<WebhookDelivery | null> {
  const [row] = await reading(() =>
    db
      .select()
      .from(webhookDeliveries)
      .where(and(eq(webhookDeliveries.id, id), isReadable)),
  );
  return row ?? null;
}

/** The newest attempts, at most. The server makes fewer for a delivery, unless operators have redelivered it often. */
const MAX_ATTEMPTS = 100;

/** The newest first. @throws StoreUnavailable */
export const attemptsOf = (db: Drizzle, deliveryId: string) =>
  reading(() =>
    db
      .select({
        at: webhookAttempts.at,
        outcome: webhookAttempts.outcome,
        status: webhookAttempts.status,
        milliseconds: webhookAttempts.milliseconds,
      })
      .from(webhookAttempts)
      .where(eq(webhookAttempts.deliveryId, deliveryId))
      .orderBy(desc(webhookAttempts.at))
      .limit(MAX_ATTEMPTS),
  );

const isAbandoned = (receiver: string) =>
  and(
    eq(webhookDeliveries.receiver, receiver),
    sql`${webhookDeliveries.state} = 'abandoned'`,
    // No operator waits for an old test.
    ne(webhookDeliveries.eventType, TEST_EVENT),
  );

/** The dead-lettered events of this endpoint, the oldest first. @throws StoreUnavailable */
export async function abandonedOf(db: Drizzle, receiver: string, limit: number): Promise<readonly string[]> {
  const rows = await reading(() =>
    db
      .select({ id: webhookDeliveries.id })
      .from(webhookDeliveries)
      .where(isAbandoned(receiver))
      .orderBy(asc(webhookDeliveries.createdAt), asc(webhookDeliveries.id))
      .limit(limit),
  );
  return rows.map(({ id }) => id);
}

/** At most MAX_COUNTED. @throws StoreUnavailable */
export async function countAbandoned(db: Drizzle, receiver: string): Promise<number> {
  const found = db
    .select({ id: webhookDeliveries.id })
    .from(webhookDeliveries)
    .where(isAbandoned(receiver))
    .limit(MAX_COUNTED)
    .as('found');
  const [row] = await reading(() => db.select({ count: sql<number>`count(*)::int` }).from(found));
  return row?.count ?? 0;
}

/** `pending`: at most MAX_COUNTED. */
export type Backlog = { readonly pending: number; readonly oldestAt: Date | null };
const MAX_COUNTED = 10_000;

/** Of the deliveries that wait for this receiver. @throws StoreUnavailable */
export async function backlogOf(db: Drizzle, receiver: string): Promise<Backlog> {
  const { createdAt, state, receiver: name } = webhookDeliveries;
  const waiting = db
    .select({ createdAt })
    .from(webhookDeliveries)
    .where(and(eq(name, receiver), eq(state, 'pending'), isReadable))
    .limit(MAX_COUNTED)
    .as('waiting');
  const [row] = await reading(() =>
    db
      .select({
        pending: sql<number>`count(*)::int`,
        oldestAt: readInstantOrNull(sql`min(${waiting.createdAt})`),
      })
      .from(waiting),
  );
  return row ?? { pending: 0, oldestAt: null };
}

/** Of each receiver for which an event waits: since when the oldest does. Callers keep the answer for some seconds. @throws StoreUnavailable */
export function waitingEvents(
  db: Drizzle,
  clock: Clock,
): Promise<readonly { readonly receiver: string; readonly oldestSeconds: number }[]> {
  const { createdAt, receiver, state } = webhookDeliveries;
  return reading(() =>
    db
      .select({
        receiver,
        oldestSeconds: sql<number>`extract(epoch from ${nowOf(clock)} - min(${createdAt}))::float8`,
      })
      .from(webhookDeliveries)
      .where(eq(state, 'pending'))
      .groupBy(receiver),
  );
}
