/**
 * How long the server waits before it gives up. All in one place: they must fit each other, and tests that are about something else
 * lengthen them (test/support/patience.ts), so that a slow machine fails no test. Nothing in the server changes them.
 */
export const deadlines = {
  /**
   * Only a host that fell silent, or something in front of it that accepts and hangs up, gets here. Reads are tried again by
   * the caller; writes get a little longer than Postgres's own statement_timeout.
   */
  databaseReadMilliseconds: 5_000,
  databaseWriteMilliseconds: 12_000,
  /** Loads and commits are single statements of milliseconds; one that takes longer is better ended than waited for. */
  statementMilliseconds: 10_000,
  connectSeconds: 5,
  /** For a sign-in to have its turn (sign-in-capacity.ts). */
  queueMilliseconds: 5_000,
  /** For a request to arrive whole. */
  requestMilliseconds: 30_000,
  /** For the requests in flight once the server closes. Supervisors wait for 10 to 30 seconds before they kill. */
  closingMilliseconds: 8_000,
  /** For all of the closing. A database that does not let go must not keep a process that serves nothing. */
  hangingMilliseconds: 25_000,
};
