/**
 * How long the server waits before it gives up. All in one place: they must fit each other (test/unit/system/deadlines.test.ts adds
 * them up), and tests that are about something else lengthen them (test/support/patience.ts), so that a slow machine fails no test.
 * Nothing in the server changes them.
 */
export const deadlines = {
  /** The bound: from the last byte of a request to its answer. What follows has to stay below it together. */
  answerMilliseconds: 15_000,
  /** All that a request may wait for the database, however many statements, tries and reloads it takes. */
  databasePerRequestMilliseconds: 10_000,
  /**
   * For one statement. Longer than Postgres's own statement_timeout: so only a host that fell silent gets here, a commit that waits
   * for a standby, or something in front of the database that accepts and hangs up.
   */
  databaseMilliseconds: 5_000,
  /** Loads and commits are single statements of milliseconds; one that takes longer is better ended than waited for. */
  statementMilliseconds: 4_000,
  /**
   * For a lock of a row or a table. Statements lock a row for milliseconds, so this is another program's lock, such as that of a
   * migration; one that waits for it holds a connection. Longer than Postgres's own deadlock_timeout of a second.
   */
  lockMilliseconds: 2_000,
  /** For a connection of the pool to be free. */
  connectionMilliseconds: 1_500,
  /** Shorter than the wait for a statement: then it is known that the statement was not sent. */
  connectSeconds: 4,
  /** For one answer of another OpenID Provider. It counts against the time that a request may wait for the database. */
  otherServerMilliseconds: 4_000,
  /** For the answer of a list of breached passwords; then the password is let through. It counts against that time too. */
  breachedPasswordsMilliseconds: 2_000,
  /** Of that time, what other providers and the score of a password leave for the database. */
  afterOtherServersMilliseconds: 3_000,
  /** For a sign-in to have its turn (sign-in-capacity.ts). */
  queueMilliseconds: 3_500,
  /**
   * For the score of a new password, with the wait for its turn; then the other rules decide alone. It counts against the time that a
   * request may wait for the database.
   */
  passwordScoreMilliseconds: 2_000,
  /** For the headers of a request to arrive, from the opening of a connection or the end of the request before. */
  headersMilliseconds: 10_000,
  /** For the body of a request to arrive, from the end of its headers. */
  bodyMilliseconds: 10_000,
  /** For the requests in flight once the server closes. Supervisors wait for 10 to 30 seconds before they kill. */
  closingMilliseconds: 8_000,
  /** For the answer of a server to a command: longer than a server takes. */
  commandMilliseconds: 20_000,
  /** For all of the closing. A database that does not let go must not keep a process that serves nothing. */
  hangingMilliseconds: 25_000,
};
