/**
 * The time is the database's `now()`, read in the same statement as the row. A clock only overrides it: tests do, so
 * that no test has to sleep, and production never does.
 */
export type Clock = {
  /** Null: the database's time applies. */
  readonly fixedNow: () => Date | null;
};

export const databaseClock: Clock = { fixedNow: () => null };
