/** Grants in pages, for administrators: active or ended as the model says, under the current policies. */
import { and, desc, eq, getTableColumns, gte, lt, type SQL, sql } from 'drizzle-orm';
import type { Client } from '../model/client.ts';
import type { Grant } from '../model/grant.ts';
import { grantEndsAt, grantIsAlive, type Lifetimes } from '../model/lifetimes.ts';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { EPOCHS_OF_USER, liveEpoch } from './live-epochs.ts';
import { readNow } from './now.ts';
import { type InstantPosition, olderThan, type Page, type PageRequest, positionInstant, readPage } from './page.ts';
import { plannedRead } from './planned-read.ts';
import { clients, grants, server, users } from './schema.ts';

export type GrantListState = 'active' | 'ended';

export type GrantFilter = {
  readonly clientId?: string | undefined;
  readonly userId?: string | undefined;
  readonly state?: GrantListState | undefined;
  /** Inclusive. */
  readonly createdFrom?: Date | undefined;
  /** Exclusive. */
  readonly createdTo?: Date | undefined;
};

export type ListedGrant = {
  readonly grant: StoredGrant;
  readonly clientName: string;
  /** The name of the client's policy today. */
  readonly policyToday: string;
  readonly username: string;
  readonly state: GrantListState;
  /** When time ends it, unless it is used before. */
  readonly endsAt: Date;
  /** The database's clock. */
  readonly now: Date;
};

/** `policy`: the client's at the approval. */
export type StoredGrant = Grant & { readonly policy: string; readonly revokedAt: Date | null };

/** The lifetimes of a client's current policy; null: the policy is not found. */
export type LifetimesOf = (client: Pick<Client, 'clientId' | 'policy'>) => Lifetimes | null;

/** Newest first, by (created_at, id). @throws StoreUnavailable */
export const listGrantPage = (
  db: Drizzle,
  clock: Clock,
  lifetimesOf: LifetimesOf,
  filter: GrantFilter,
  page: PageRequest<InstantPosition>,
): Promise<Page<ListedGrant, InstantPosition>> =>
  readPage(page, {
    read: (after, rows) => plannedRead(db, (db) => grantRows(db, clock, filter, after, rows)),
    positionOf: ({ at, grant }) => ({ at, id: grant.id }),
    itemOf: (row) => {
      const listed = listedFrom(row, lifetimesOf);
      return filter.state === undefined || filter.state === listed.state ? listed : null;
    },
    filters: filter.state !== undefined,
  });

/** @returns null: the grant is not found. @throws StoreUnavailable */
export async function findListedGrant(
  db: Drizzle,
  clock: Clock,
  lifetimesOf: LifetimesOf,
  id: string,
): Promise<ListedGrant | null> {
  const [row] = await reading(() => withOwners(db, clock, placesOf(db, eq(grants.id, id)).limit(1)));
  return row ? listedFrom(row, lifetimesOf) : null;
}

/** For a test of its plan, too. */
export const grantRows = (
  db: Drizzle,
  clock: Clock,
  { clientId, userId, createdFrom, createdTo }: GrantFilter,
  after: InstantPosition | null,
  rows: number,
) => {
  const where = and(
    clientId === undefined ? undefined : eq(grants.clientId, clientId),
    userId === undefined ? undefined : eq(grants.userId, userId),
    createdFrom && gte(grants.createdAt, createdFrom),
    createdTo && lt(grants.createdAt, createdTo),
    olderThan(grants.createdAt, grants.id, after),
  );
  return withOwners(db, clock, placesOf(db, where).orderBy(desc(grants.createdAt), desc(grants.id)).limit(rows));
};

/** The rows of a page first, so that Postgres walks an index as far as needed and joins only these. */
const placesOf = (db: Drizzle, where: SQL | undefined) =>
  db.select({ id: grants.id, createdAt: grants.createdAt }).from(grants).where(where).$dynamic();

/** With the client, the end-user and the server of a grant. */
export const TODAYS_EPOCHS = {
  liveClientEpoch: liveEpoch(clients.epoch, clients.deletedAt),
  ...EPOCHS_OF_USER,
};

function withOwners(db: Drizzle, clock: Clock, chosen: ReturnType<typeof placesOf>) {
  const place = chosen.as('place');
  return db
    .select({
      now: readNow(clock),
      at: positionInstant(grants.createdAt),
      grant: getTableColumns(grants),
      client: { clientId: clients.clientId, clientName: clients.clientName, policy: clients.policy },
      sub: users.sub,
      username: users.username,
      ...TODAYS_EPOCHS,
    })
    .from(place)
    .innerJoin(grants, eq(grants.id, place.id))
    .innerJoin(clients, eq(clients.clientId, grants.clientId))
    .innerJoin(users, eq(users.id, grants.userId))
    .innerJoin(server, sql`true`)
    .orderBy(desc(place.createdAt), desc(place.id));
}

type Row = Awaited<ReturnType<typeof withOwners>>[number];

function listedFrom(row: Row, lifetimesOf: LifetimesOf): ListedGrant {
  const { client, username } = row;
  const grant = {
    ...row.grant,
    ...(row.sub !== null && { sub: row.sub }),
    liveClientEpoch: row.liveClientEpoch,
    liveUserEpoch: row.liveUserEpoch,
    liveServerEpoch: row.liveServerEpoch,
  };
  const [now, lifetimes] = [row.now, lifetimesOf(client)];
  return {
    grant,
    clientName: client.clientName,
    policyToday: client.policy,
    username,
    state: grantIsAlive(grant, lifetimes, now) ? 'active' : 'ended',
    endsAt: grantEndsAt(grant, lifetimes),
    now,
  };
}
