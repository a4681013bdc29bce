/** The filter of the ledger, places in its order, and pages of it. */
import { and, eq, gte, inArray, lt, or, type SQL, sql } from 'drizzle-orm';
import { namesOfEndUser } from '../model/actor.ts';
import type { Drizzle } from './database.ts';
import { reading } from './failures.ts';
import type { Page } from './page.ts';
import { grants, sessions, transitions } from './schema.ts';

export type LedgerFilter = {
  readonly machine?: string | undefined;
  readonly reason?: string | undefined;
  readonly clientId?: string | undefined;
  /** The `sub`: lines about the end-user, and about those of their grants and sessions that are stored. */
  readonly userId?: string | undefined;
  /** As the ledger names the actor. */
  readonly actor?: string | undefined;
  /** The id of an actor who is an operator or an end-user. */
  readonly actorUserId?: string | undefined;
  readonly grantId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Of sign-ins. */
  readonly accountHash?: string | undefined;
  readonly address?: string | undefined;
  /** A part of the user agent, in any case. */
  readonly userAgentPart?: string | undefined;
  readonly event?: string | undefined;
  readonly fromState?: string | undefined;
  readonly toState?: string | undefined;
  /** Of the instant of the decision; inclusive. */
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly to?: Date | undefined;
};

/** `asc`: the oldest first, to be followed. */
export type LedgerOrder = 'asc' | 'desc';

export type LedgerPosition =
  /** Decimal digits both: no number of JavaScript holds them. */
  | { readonly recordedIn: string; readonly position: string }
  /** A line from before there was an order: its instant (microseconds, UTC), and its place on disk. */
  | { readonly at: string; readonly table: string; readonly row: string }
  | NodesPosition;

/** A place in the order of a recording node. Null: the one Postgres of before. */
export type NodePlace = { readonly node: number | null; readonly recordedIn: string; readonly position: string };
/** Of a line from before there was an order. */
export type OlderPlace = { readonly at: string; readonly hash: string };

/** Of a cluster. Absent: forward from the start; a backward reader has a place of each node. */
export type NodesPosition = { readonly nodes: readonly NodePlace[]; readonly older: OlderPlace | null };

export type OnePosition = Exclude<LedgerPosition, NodesPosition>;

export type ListedLine = Omit<typeof transitions.$inferSelect, 'recordedIn' | 'position'> & {
  readonly position: LedgerPosition;
};

export type LedgerPage = Page<ListedLine, LedgerPosition> & {
  /** No further line is there yet. In ascending order `next` is then where lines to come will follow. */
  readonly caughtUp: boolean;
};

/** How many lines one request reads at most. */
export const MAX_LINES_READ = 20_000;

/** The conditions that an index answers, and the time. The rest applies to each entry that is read. */
export async function innerOf(db: Drizzle, filter: LedgerFilter): Promise<SQL | undefined> {
  const owned = filter.userId === undefined ? null : await ownedBy(db, filter.userId);
  return and(
    filter.grantId === undefined ? undefined : aboutGrants([filter.grantId]),
    filter.sessionId === undefined
      ? undefined
      : and(about([filter.sessionId]), eq(transitions.sessionId, filter.sessionId)),
    filter.userId === undefined || owned === null ? undefined : aboutUser(filter.userId, owned),
    filter.from && gte(transitions.at, filter.from),
    filter.to && lt(transitions.at, filter.to),
  );
}

export const direction = (order: LedgerOrder): SQL => (order === 'desc' ? sql`desc` : sql`asc`);
export const behind = (order: LedgerOrder): SQL => (order === 'desc' ? sql`<` : sql`>`);

/** Said twice: of conditions on the first column the index begins at the plain one, and would read every line from the first. */
export const beyond = (
  after: { readonly recordedIn: string; readonly position: string },
  order: LedgerOrder,
): SQL => sql`(
  ${transitions.recordedIn} ${behind(order)}= ${after.recordedIn}::xid8
  and (${transitions.recordedIn}, ${transitions.position}) ${behind(order)} (${after.recordedIn}::xid8, ${after.position}::bigint)
)`;

const COMPARED = [
  'machine',
  'reason',
  'clientId',
  'event',
  'fromState',
  'toState',
  'actor',
  'accountHash',
  'address',
] as const;

const isNarrowed = (filter: LedgerFilter): boolean =>
  filter.userAgentPart !== undefined ||
  filter.actorUserId !== undefined ||
  COMPARED.some((name) => filter[name] !== undefined);

/** With the limit of a page alone, Postgres would walk the order, where the next such entries may be a million entries away. */
const isLookedUp = ({ userId, grantId, sessionId }: LedgerFilter): boolean =>
  userId !== undefined || grantId !== undefined || sessionId !== undefined;

/** Whether more lines are read than are kept. */
export const isBroad = (filter: LedgerFilter): boolean => isNarrowed(filter) || isLookedUp(filter);

export const keptBy = (filter: LedgerFilter): SQL =>
  and(
    filter.userAgentPart === undefined
      ? undefined
      : sql`strpos(lower(${transitions.userAgent}), lower(${filter.userAgentPart})) > 0`,
    filter.actorUserId === undefined ? undefined : inArray(transitions.actor, [...namesOfEndUser(filter.actorUserId)]),
    ...COMPARED.map((name) => {
      const value = filter[name];
      return value === undefined ? undefined : eq(transitions[name], value);
    }),
  ) ?? sql`true`;

/** More than an end-user has browsers and clients; of further grants the lines are found by the id of the grant. */
const MAX_OWNED = 500;

export async function ownedBy(db: Drizzle, userId: string) {
  const [ofGrants, ofSessions] = await Promise.all([
    reading(() =>
      db
        .select({ id: grants.id })
        .from(grants)
        .where(eq(grants.userId, userId))
        .orderBy(sql`${grants.createdAt} desc`)
        .limit(MAX_OWNED),
    ),
    reading(() =>
      db
        .select({ id: sessions.sid })
        .from(sessions)
        .where(eq(sessions.userId, userId))
        .orderBy(sql`${sessions.signedInAt} desc`)
        .limit(MAX_OWNED),
    ),
  ]);
  return { grants: ofGrants.map(({ id }) => id), sessions: ofSessions.map(({ id }) => id) };
}

export const aboutUser = (userId: string, owned: { readonly grants: string[]; readonly sessions: string[] }) =>
  or(about([userId, ...owned.sessions]), aboutGrants(owned.grants));

/** The first condition is where the scan of the index begins: steps of an interaction before its grant was made have its key too. */
const aboutGrants = (ids: readonly string[]): SQL =>
  sql`(${transitions.shardKey} = any(${sql.param([...ids])}::uuid[]) and ${transitions.grantId} = any(${sql.param([...ids])}::uuid[]))`;

/** As the index has it: of a line about a session its `sid`, of a line about an end-user the `sub`. */
const about = (ids: readonly string[]): SQL =>
  sql`(coalesce(${transitions.sessionId}, ${transitions.userId}) is not null
    and coalesce(${transitions.sessionId}, ${transitions.userId}) = any(${sql.param([...ids])}::uuid[]))`;
