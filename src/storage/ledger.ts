/** A line of the ledger as every commit writes it. */
import { type SQL, type Subquery, sql } from 'drizzle-orm';
import { actorName } from '../model/actor.ts';
import type { LedgerEntry, SignInOrigin } from '../model/ledger.ts';
import type { Drizzle } from './database.ts';
import { transitions } from './schema.ts';
import { selectionFor, typed } from './selection.ts';

type Column = keyof typeof transitions.$inferSelect;
type Always = 'at' | 'machine' | 'shardKey' | 'event';
/** `recordedOn`: a trigger sets it on a node of a cluster (distribute.ts). */
type ByItself = 'recordedIn' | 'position' | 'recordedOn' | 'fromState' | 'toState';

/** SQL for each column; absent: null. `shardKey`: the statement that writes the entry changes rows of this key. */
export type LedgerValues = Readonly<Record<Always | 'from' | 'to', SQL>> & {
  readonly [Name in Exclude<Column, Always | ByItself>]?: SQL | undefined;
};

/** The selection of `insert(transitions).select(…)`. */
export const ledgerColumns = ({ from: fromState, to: toState, ...line }: LedgerValues) => {
  const recordedIn = sql`pg_current_xact_id()`;
  const position = sql`nextval('transitions_position')`;
  return selectionFor(transitions, typed(transitions, { ...line, fromState, toState, recordedIn, position }));
};

/** The key of entries about a row whose id is no UUID, such as a client. */
export const keyOf = (id: SQL): SQL =>
  sql`encode(substring(sha256(convert_to(${id}::text, 'UTF8')) for 16), 'hex')::uuid`;

/** The end-user of the entry, where it names one: the rows of the commit are theirs. */
function shardKeyOf({ userId, interactionId, clientId, signingKeyId }: LedgerEntry, rowId: unknown): SQL {
  const id = userId ?? interactionId;
  if (id) return sql`${id}`;
  const name = clientId ?? signingKeyId;
  return name === undefined ? sql`${rowId}` : keyOf(sql`${name}`);
}

/**
 * The selection of `insert(transitions).select(…)` for the entries of one commit, in their order; empty where `saved` has no row.
 * @param rowId of the first written row, for entries without another.
 */
export function entriesFrom(
  db: Drizzle,
  saved: Subquery,
  { entries, now }: { readonly entries: readonly LedgerEntry[]; readonly now: Date },
  rowId?: unknown,
): SQL {
  const queries = entries.map((entry) => {
    const values = {
      ...entryLine(entry),
      ...administrationLine(entry),
      ...aboutLine(entry),
      ...originLine(entry.origin),
      at: instant(now),
      shardKey: shardKeyOf(entry, rowId),
    };
    return sql`(${db.select(ledgerColumns(values)).from(saved)})`;
  });
  return sql.join(queries, sql` union all `);
}

/** An entry's values, bound. */
export const entryLine = ({ machine, event, from, to, reason }: LedgerEntry) => ({
  machine: sql`${machine}`,
  event: sql`${event}`,
  from: sql`${from}`,
  to: sql`${to}`,
  reason: sql`${reason}`,
});

/** The actor and the changed fields, bound; empty where the entry has none. */
export const administrationLine = ({ actor, fields = [] }: LedgerEntry) => ({
  ...(actor && { actor: sql`${actorName(actor)}`, addressHash: sql`${actor.addressHash}` }),
  ...(fields.length > 0 && { fields: sql`${sql.param([...fields])}` }),
});

const ABOUT = ['userId', 'clientId', 'policy', 'interactionId', 'sessionId', 'signingKeyId'] as const;

/** The subject of an entry, bound. */
const aboutLine = (entry: LedgerEntry): Partial<LedgerValues> =>
  Object.fromEntries(ABOUT.filter((name) => entry[name] !== undefined).map((name) => [name, sql`${entry[name]}`]));

/** From where a sign-in came, bound. */
export const originLine = (origin: SignInOrigin | undefined) =>
  origin && { address: sql`${origin.address}`, accountHash: sql`${origin.accountHash}` };

/** An instant, bound as a value. */
export const instant = (value: Date | null): SQL => sql`${value?.toISOString() ?? null}::timestamptz`;
