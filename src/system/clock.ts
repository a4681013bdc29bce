/**
 * The time is the database's `now()`, read in the same statement as the row. A clock only overrides it:
 * production never does, tests do, so that no test has to sleep.
 */
export type Clock = {
  /** Null: ask the database. */
  readonly fixedNow: () => Date | null;
};

export const databaseClock: Clock = { fixedNow: () => null };
