/**
 * The number of rows of each machine in each state, from the tables and their views. There is no counter, so token requests do not pay
 * for it, and every node returns the same numbers. Callers keep the answer for some seconds.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { HeldTable } from '../lifecycles/table.ts';
import { HELD_TABLES } from '../lifecycles/tables.ts';
import type { Drizzle } from './database.ts';
import { plannedRead } from './planned-read.ts';

export type StateCounts = {
  /** The id of the machine. */
  readonly machine: string;
  /** A state that is not named has none. */
  readonly states: Readonly<Record<string, number>>;
  /** False: there are more rows than were counted, and the numbers are about MAX_COUNTED_ROWS of them, the newest where rows have an age. */
  readonly exact: boolean;
};

export const MAX_COUNTED_ROWS = 100_000;
const MAX = sql.raw(String(MAX_COUNTED_ROWS));

/** @throws StoreUnavailable */
export async function countStates(db: Drizzle): Promise<readonly StateCounts[]> {
  const [ofGrants, ...others] = await Promise.all([
    grantCounts(db),
    ...SIMPLE.map(async ({ machine, rows }) => ({ machine, counted: await countOf(db, rows) })),
  ]);
  return [
    ...ofGrants,
    ...others.map(({ machine, counted }) => ({
      machine,
      states: Object.fromEntries(counted.map(({ state, rows }) => [state, rows])),
      exact: isExact(counted),
    })),
  ];
}

const isExact = (counted: readonly { readonly rows: number }[]): boolean =>
  counted.reduce((all, { rows }) => all + rows, 0) < MAX_COUNTED_ROWS;

/** Of each machine with a table of its own: a query of the state of each row. */
const SIMPLE = HELD_TABLES.flatMap((held: HeldTable) => {
  if (held.machine === null || held.counted === undefined) return [];
  const { state = sql`state`, from = sql`${held.table}`, newest } = held.counted;
  const order = newest ? sql` order by ${sql.identifier(newest.name)} desc` : sql``;
  return [{ machine: held.machine, rows: sql`select ${state} as state from ${from}${order} limit ${MAX}` }];
});

const NUMBER = sql<number>`count(*)::int`;

const countOf = (db: Drizzle, rows: SQL) =>
  plannedRead(db, (db) =>
    db
      .select({ state: sql<string>`counted.state`, rows: NUMBER })
      .from(sql`(${rows}) as counted`)
      .groupBy(sql`counted.state`),
  );

/** Of grants, and of the codes and refresh tokens that are derived from them: a head at generation n has n used tokens behind it. */
async function grantCounts(db: Drizzle): Promise<StateCounts[]> {
  const exchanged = sql<boolean>`counted.refresh_generation is not null`;
  const counted = await plannedRead(db, (db) =>
    db
      .select({
        state: sql<'active' | 'revoked'>`counted.state`,
        exchanged,
        rows: NUMBER,
        behind: sql<number>`coalesce(sum(counted.refresh_generation), 0)::float8`,
      })
      .from(sql`(select state, refresh_generation from grant_states order by created_at desc limit ${MAX}) as counted`)
      .groupBy(sql`counted.state`, exchanged),
  );
  const exact = isExact(counted);
  const sum = (which: { state: string; exchanged?: boolean }, of: 'rows' | 'behind') =>
    counted
      .filter(
        (row) => row.state === which.state && (which.exchanged === undefined || row.exchanged === which.exchanged),
      )
      .reduce((all, row) => all + row[of], 0);
  const [alive, over] = [
    { state: 'active', exchanged: true },
    { state: 'revoked', exchanged: true },
  ];
  const states: Readonly<Record<string, Readonly<Record<string, number>>>> = {
    grant: { active: sum({ state: 'active' }, 'rows'), revoked: sum({ state: 'revoked' }, 'rows') },
    authorizationCode: {
      active: sum({ state: 'active', exchanged: false }, 'rows'),
      used: sum(alive, 'rows'),
      revoked: sum({ state: 'revoked' }, 'rows'),
    },
    refreshToken: {
      active: sum(alive, 'rows'),
      used: sum(alive, 'behind'),
      revoked: sum(over, 'rows') + sum(over, 'behind'),
    },
  };
  return Object.entries(states).map(([machine, of]) => ({ machine, states: of, exact }));
}
