/**
 * How long the server waits before it gives up. The values stand in one place because they must fit each other:
 * test/unit/system/deadlines.test.ts adds them up. Tests of other subjects lengthen them (test/support/patience.ts), so
 * that a slow machine fails no test. The server itself never changes them.
 */
export const deadlines = {
  /**
   * The bound: from the last byte of a request to its response. The sum of the following waits has to stay below it.
   */
  answerMilliseconds: 15_000,
  /** The time that a request may wait for the database, for all statements, tries and reloads together. */
  databasePerRequestMilliseconds: 10_000,
  /**
   * For one statement. Longer than Postgres's own statement_timeout, so only these cases reach it: a silent host, a
   * commit that waits for a standby, or a proxy of the database that accepts a connection and closes it.
   */
  databaseMilliseconds: 5_000,
  /** Loads and commits are single statements of milliseconds. The server ends one that takes longer. */
  statementMilliseconds: 4_000,
  /**
   * For a lock of a row or a table. Statements of the server lock a row for milliseconds, so this is another program's
   * lock, such as that of a migration. A statement that waits for it occupies a connection. Longer than Postgres's own
   * deadlock_timeout of a second.
   */
  lockMilliseconds: 2_000,
  /** For a free connection of the pool. */
  connectionMilliseconds: 1_500,
  /** In seconds. Shorter than the wait for a statement, so that the server knows that it did not send the statement. */
  connectSeconds: 4,
  /**
   * For one response of another OpenID Provider. It counts against the time that a request may wait for the database.
   */
  otherServerMilliseconds: 4_000,
  /**
   * For the response of a list of breached passwords. After it, the server accepts the password. It counts against that
   * time too.
   */
  breachedPasswordsMilliseconds: 2_000,
  /** The part of that time that other providers and the score of a password leave for the database. */
  afterOtherServersMilliseconds: 3_000,
  /** For the turn of a sign-in (sign-in-capacity.ts). */
  queueMilliseconds: 3_500,
  /**
   * For the score of a new password, with the wait for its turn. After it, the other rules decide alone. It counts
   * against the time that a request may wait for the database.
   */
  passwordScoreMilliseconds: 2_000,
  /** For the operations of a batch of the management API: none begins later. */
  batchMilliseconds: 8_000,
  /** For the headers of a request to arrive, from the opening of a connection or the end of the request before. */
  headersMilliseconds: 10_000,
  /** For the body of a request to arrive, from the end of its headers. */
  bodyMilliseconds: 10_000,
  /** For the next request on a kept-alive connection, once the server closes. */
  keptConnectionsMilliseconds: 1_000,
  /**
   * For the requests in flight, once the server closes, with the wait before. Supervisors wait for 10 to 30 seconds before they kill a
   * process.
   */
  closingMilliseconds: 8_000,
  /** For the response of a server to a command: longer than a server takes. */
  commandMilliseconds: 20_000,
  /** For all waits of a command before one request that the server throttles. */
  throttledMilliseconds: 120_000,
  /** For the whole closing. A database that does not respond must not keep a process that serves no requests. */
  hangingMilliseconds: 25_000,
};
