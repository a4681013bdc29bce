/** Everything that is stored about one authorization, for `statehouse explain`. Reads only. */

import { and, count, desc, eq, getTableColumns, sql } from 'drizzle-orm';
import type { Client } from '../model/client.ts';
import type { Grant } from '../model/grant.ts';
import type { Clock } from '../system/clock.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import { nowOf } from './now.ts';
import { clients, grants, server, transitions, users } from './schema.ts';
import { noServerRow } from './server-row.ts';

export type LedgerLine = {
  readonly at: Date;
  readonly machine: string;
  readonly event: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string | null;
  /** The head's generation afterwards. */
  readonly generation: bigint | null;
  readonly clientId: string | null;
  readonly policy: string | null;
  /** Scope tokens, separated by spaces: granted, but above the client's ceiling of that day. */
  readonly scopeWithheld: string | null;
  /** Of a code or token that was used before: the presenter. */
  readonly address: string | null;
  readonly userAgent: string | null;
  /** The administrator who asked for it: `command_line`, `operator SUB`, … (src/model/actor.ts). */
  readonly actor: string | null;
};

export type GrantLife = {
  /** The database's clock. */
  readonly now: Date;
  /** Null: housekeeping removed its row, or there never was one. */
  readonly grant: (Grant & { readonly policy: string; readonly revokedAt: Date | null }) | null;
  /** The grant's client, deleted or not. */
  readonly client: Client | null;
  readonly user: {
    readonly id: string;
    readonly sub: string | null;
    readonly username: string;
    readonly disabledAt: Date | null;
  } | null;
  /** Oldest first; at most the newest 1000. */
  readonly lines: readonly LedgerLine[];
  /** How many earlier lines the ledger has. */
  readonly earlierLines: number;
};

const MAX_LINES = 1000;

/** @throws StoreUnavailable */
export async function loadLife(db: Drizzle, clock: Clock, grantId: string): Promise<GrantLife> {
  const ofGrant = and(eq(transitions.shardKey, grantId), eq(transitions.grantId, grantId));
  const [[row], newest, [all]] = await Promise.all([
    reading(() =>
      db
        .select({
          now: sql<string>`${nowOf(clock)}`,
          serverEpoch: server.epoch,
          grant: getTableColumns(grants),
          client: clients,
          user: {
            id: users.id,
            sub: users.sub,
            username: users.username,
            disabledAt: users.disabledAt,
            epoch: users.epoch,
          },
        })
        .from(server)
        .leftJoin(grants, eq(grants.id, grantId))
        .leftJoin(clients, eq(clients.clientId, grants.clientId))
        .leftJoin(users, eq(users.id, grants.userId)),
    ),
    reading(() =>
      db
        .select(LINE)
        .from(transitions)
        .where(ofGrant)
        .orderBy(desc(transitions.at), ...WITHIN_AN_INSTANT)
        .limit(MAX_LINES),
    ),
    reading(() => db.select({ count: count() }).from(transitions).where(and(ofGrant))),
  ]);
  if (!row) throw noServerRow();
  const { grant, client, user } = row;
  return {
    now: new Date(row.now),
    grant: grant && {
      ...grant,
      liveClientEpoch: client && client.deletedAt === null ? client.epoch : null,
      liveUserEpoch: user && user.disabledAt === null ? user.epoch : null,
      liveServerEpoch: row.serverEpoch,
    },
    client,
    user,
    lines: newest.reverse(),
    earlierLines: (all?.count ?? newest.length) - newest.length,
  };
}

const LINE = {
  at: transitions.at,
  machine: transitions.machine,
  event: transitions.event,
  from: transitions.fromState,
  scopeWithheld: transitions.scopeWithheld,
  address: transitions.address,
  userAgent: transitions.userAgent,
  to: transitions.toState,
  reason: transitions.reason,
  generation: transitions.generation,
  clientId: transitions.clientId,
  policy: transitions.policy,
  actor: transitions.actor,
};

/** Newest first: the lines of a commit share an instant; the grant's line is the consequence of the other. */
const WITHIN_AN_INSTANT = [
  sql`array_position(array['interaction', 'authorizationCode', 'refreshToken', 'grant'], ${transitions.machine}) desc`,
  desc(transitions.generation),
  desc(transitions.recordedIn),
  desc(transitions.position),
];
