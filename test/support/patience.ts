/**
 * The server gives up on its database, on a request and on closing after seconds: right for a server, wrong on a machine with ten
 * other things to do. Tests get hours, and vitest's own time limit is the only one left. Preloaded before each test file
 * (vitest.config.ts) and into every server process that a test starts (`waiting` of child-process.ts).
 */
import { deadlines } from '../../src/system/deadlines.ts';

/** Kept outside the module, which is loaded once for each test file while the deadlines may be loaded once for all. */
const kept = globalThis as { serversOwnDeadlines?: typeof deadlines };
kept.serversOwnDeadlines ??= { ...deadlines };
export const serversOwn: Readonly<typeof deadlines> = kept.serversOwnDeadlines;

const HOUR_SECONDS = 3600;
const HOUR_MILLISECONDS = HOUR_SECONDS * 1000;

export const patient: typeof deadlines = {
  answerMilliseconds: HOUR_MILLISECONDS,
  databasePerRequestMilliseconds: HOUR_MILLISECONDS,
  databaseMilliseconds: HOUR_MILLISECONDS,
  statementMilliseconds: HOUR_MILLISECONDS,
  lockMilliseconds: HOUR_MILLISECONDS,
  connectionMilliseconds: HOUR_MILLISECONDS,
  connectSeconds: HOUR_SECONDS,
  otherServerMilliseconds: HOUR_MILLISECONDS,
  afterOtherServersMilliseconds: 0,
  queueMilliseconds: HOUR_MILLISECONDS,
  breachedPasswordsMilliseconds: HOUR_MILLISECONDS,
  passwordScoreMilliseconds: HOUR_MILLISECONDS,
  batchMilliseconds: HOUR_MILLISECONDS,
  headersMilliseconds: HOUR_MILLISECONDS,
  bodyMilliseconds: HOUR_MILLISECONDS,
  // The server always waits as long where a client keeps a connection.
  keptConnectionsMilliseconds: 0,
  closingMilliseconds: HOUR_MILLISECONDS,
  hangingMilliseconds: HOUR_MILLISECONDS,
  commandMilliseconds: HOUR_MILLISECONDS,
  throttledMilliseconds: HOUR_MILLISECONDS,
};
Object.assign(deadlines, patient);

/** For what a test says about a deadline itself. */
export const withServersOwnDeadlines = <T>(work: () => Promise<T>): Promise<T> => withDeadlines(serversOwn, work);

/** For a test that waits for the end of a deadline: with these, in milliseconds as short as the test likes. */
export async function withDeadlines<T>(shortened: Partial<typeof deadlines>, work: () => Promise<T>): Promise<T> {
  Object.assign(deadlines, shortened);
  return work().finally(() => Object.assign(deadlines, patient));
}
