/** The permissions of an end-user: grants that may still be active, and remembered consents. */
import { and, asc, desc, eq, getTableColumns, inArray, lte, type SQL, sql } from 'drizzle-orm';
import type { RowMacs } from '../crypto/row-mac.ts';
import { actorName, endUser } from '../model/actor.ts';
import type { Client } from '../model/client.ts';
import type { Grant } from '../model/grant.ts';
import type { Clock } from '../system/clock.ts';
import { isAuthenticConsent } from './consents.ts';
import type { Drizzle } from './database.ts';
import { reading, writing } from './failures.ts';
import { ledgerColumns } from './ledger.ts';
import { nowOf, readNow } from './now.ts';
import { clients, consents, grants, server, transitions, users } from './schema.ts';

export type StoredPermissions = {
  readonly now: Date;
  /** Not revoked by a decision, newest first; an epoch may have ended them. */
  readonly grants: readonly Grant[];
  readonly consents: readonly StoredConsent[];
  /** Every client that a grant or a consent names, deleted ones too. */
  readonly clients: ReadonlyMap<string, Client>;
};

export type StoredConsent = {
  readonly clientId: string;
  readonly scope: readonly string[];
  readonly resources: readonly string[];
  readonly grantedAt: Date;
};

/** No machine: the remembered consent that an entry is about. */
const CONSENT = {
  machine: sql`'consent'`,
  event: sql`'withdrawn'`,
  from: sql`'remembered'`,
  to: sql`'ended'`,
} as const;

/** Each sign-in at a client makes a grant; beyond this many, older grants show nothing new. */
const MAX_GRANTS_PER_CLIENT = 200;

export function permissionStore(db: Drizzle, clock: Clock, macs: RowMacs) {
  return {
    load: async (userId: string): Promise<StoredPermissions> => {
      const [stored, remembered, [facts]] = await Promise.all([
        reading(() => newestGrants(db, userId)),
        reading(() => standingConsents(db, userId)),
        reading(() => factsOf(db, clock, userId)),
      ]);
      if (!facts) throw new Error('The user of a live session has no row.');
      const ids = [...new Set([...stored, ...remembered].map(({ clientId }) => clientId))];
      const named = await reading(() => db.select().from(clients).where(inArray(clients.clientId, ids)));
      const byId = new Map(named.map((client) => [client.clientId, client]));
      return {
        now: facts.now,
        grants: stored.map((grant) => {
          const client = byId.get(grant.clientId);
          return {
            ...grant,
            liveClientEpoch: client && client.deletedAt === null ? client.epoch : null,
            liveUserEpoch: facts.disabledAt === null ? facts.userEpoch : null,
            liveServerEpoch: facts.serverEpoch,
          };
        }),
        consents: remembered
          .filter((row) => isAuthenticConsent(macs, row))
          .map(({ clientId, scope, resources, grantedAt }) => ({ clientId, scope, resources, grantedAt })),
        clients: byId,
      };
    },
    /** Every grant that no decision has ended, without a limit. */
    grantIds: async (userId: string, clientId: string): Promise<string[]> => {
      const rows = await reading(() =>
        db
          .select({ id: grants.id })
          .from(grants)
          .where(and(activeOf(userId), eq(grants.clientId, clientId)))
          .orderBy(asc(grants.createdAt)),
      );
      return rows.map(({ id }) => id);
    },
    /** From now on the client has to ask again, and the ledger says so. @returns how many were forgotten. */
    forgetConsents: async (userId: string, clientId: string): Promise<number> => {
      const isTheirs = and(eq(consents.userId, userId), eq(consents.clientId, clientId));
      const forgotten = db
        .$with('forgotten')
        .as(db.delete(consents).where(isTheirs).returning({ clientId: consents.clientId }));
      const line = ledgerColumns({
        ...CONSENT,
        at: nowOf(clock),
        shardKey: sql`${userId}`,
        userId: sql`${userId}`,
        clientId: sql`${clientId}`,
        actor: sql`${actorName(endUser(userId))}`,
      });
      const entries = await writing(() =>
        db
          .with(forgotten)
          .insert(transitions)
          .select(db.select(line).from(forgotten))
          .returning({ position: transitions.position }),
      );
      return entries.length;
    },
  };
}

const activeOf = (userId: string): SQL | undefined => and(eq(grants.userId, userId), eq(grants.state, 'active'));

function newestGrants(db: Drizzle, userId: string) {
  const { revokedAt: _, policy: __, ...columns } = getTableColumns(grants);
  const rank = sql<number>`row_number() over (partition by ${grants.clientId} order by ${grants.createdAt} desc)`;
  const ranked = db
    .select({ id: grants.id, rank: rank.as('rank') })
    .from(grants)
    .where(activeOf(userId))
    .as('ranked');
  return db
    .select(columns)
    .from(grants)
    .innerJoin(ranked, eq(ranked.id, grants.id))
    .where(lte(ranked.rank, MAX_GRANTS_PER_CLIENT))
    .orderBy(desc(grants.createdAt));
}

/** As at consent: a consent given under an older epoch of the user or the client no longer stands. */
const standingConsents = (db: Drizzle, userId: string) =>
  db
    .select(getTableColumns(consents))
    .from(consents)
    .innerJoin(users, and(eq(users.id, consents.userId), eq(users.epoch, consents.userEpoch)))
    .innerJoin(clients, and(eq(clients.clientId, consents.clientId), eq(clients.epoch, consents.clientEpoch)))
    .where(eq(consents.userId, userId));

const factsOf = (db: Drizzle, clock: Clock, userId: string) =>
  db
    .select({
      now: readNow(clock),
      serverEpoch: server.epoch,
      userEpoch: users.epoch,
      disabledAt: users.disabledAt,
    })
    .from(server)
    .innerJoin(users, eq(users.id, userId));
