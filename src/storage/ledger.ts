/** A line of the ledger as every commit writes it: only this file knows the columns of `transitions` in their order. */
import { type SQL, type Subquery, sql } from 'drizzle-orm';
import { actorName } from '../model/actor.ts';
import type { LedgerEntry, SignInOrigin } from '../model/ledger.ts';
import type { Drizzle } from './database.ts';

/** SQL for each column; absent: null. */
export type LedgerValues = {
  /** The statement that writes the entry changes rows of this key. */
  readonly shardKey: SQL;
  readonly at: SQL;
  readonly machine: SQL;
  readonly event: SQL;
  readonly from: SQL;
  readonly to: SQL;
  readonly reason?: SQL;
  readonly generation?: SQL;
  readonly grantId?: SQL;
  readonly interactionId?: SQL;
  readonly clientId?: SQL;
  readonly policy?: SQL;
  readonly signingKeyId?: SQL;
  readonly sessionId?: SQL;
  readonly scopeWithheld?: SQL;
  readonly userId?: SQL;
  readonly actor?: SQL;
  readonly addressHash?: SQL;
  readonly fields?: SQL;
  readonly address?: SQL;
  readonly accountHash?: SQL;
  readonly begunSessionId?: SQL;
  readonly userAgent?: SQL;
};

/** The selection of `insert(transitions).select(…)`. */
export const ledgerColumns = (line: LedgerValues) => ({
  at: column<Date>(line.at, 'timestamptz', 'at'),
  machine: column<string>(line.machine, 'text', 'machine'),
  shardKey: column<string>(line.shardKey, 'uuid', 'shard_key'),
  grantId: column<string>(line.grantId, 'uuid', 'grant_id'),
  interactionId: column<string>(line.interactionId, 'uuid', 'interaction_id'),
  event: column<string>(line.event, 'text', 'event'),
  fromState: column<string>(line.from, 'text', 'from_state'),
  toState: column<string>(line.to, 'text', 'to_state'),
  reason: column<string>(line.reason, 'text', 'reason'),
  generation: column<bigint>(line.generation, 'bigint', 'generation'),
  clientId: column<string>(line.clientId, 'text', 'client_id'),
  policy: column<string>(line.policy, 'text', 'policy'),
  signingKeyId: column<string>(line.signingKeyId, 'text', 'signing_key_id'),
  sessionId: column<string>(line.sessionId, 'uuid', 'session_id'),
  scopeWithheld: column<string>(line.scopeWithheld, 'text', 'scope_withheld'),
  userId: column<string>(line.userId, 'uuid', 'user_id'),
  actor: column<string>(line.actor, 'text', 'actor'),
  addressHash: column<string>(line.addressHash, 'text', 'address_hash'),
  fields: column<string[]>(line.fields, 'text[]', 'fields'),
  address: column<string>(line.address, 'text', 'address'),
  accountHash: column<string>(line.accountHash, 'text', 'account_hash'),
  begunSessionId: column<string>(line.begunSessionId, 'uuid', 'begun_session_id'),
  userAgent: column<string>(line.userAgent, 'text', 'user_agent'),
  recordedIn: column<string>(sql`pg_current_xact_id()`, 'xid8', 'recorded_in'),
  position: column<bigint>(sql`nextval('transitions_position')`, 'bigint', 'position'),
  // A trigger sets it on a node of a cluster (distribute.ts).
  recordedOn: column<number>(undefined, 'integer', 'recorded_on'),
});

const column = <T>(value: SQL = sql`null`, type: string, name: string) => sql<T>`${value}::${sql.raw(type)}`.as(name);

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
