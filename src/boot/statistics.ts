/** The statistics of the overview: a round counts the ledger and the active chains, and each node its responses (docs/decisions/0097). */
import { boundOf, noDurations, TIMED, type Timed } from '../model/statistics.ts';
import { boundedSteps } from '../storage/bounded-steps.ts';
import type { Database } from '../storage/database.ts';
import { type RequestCounts, statisticsStore } from '../storage/statistics.ts';
import type { Clock } from '../system/clock.ts';
import { type AnsweredRequest, answeredRequests } from '../system/observed.ts';
import type { Round } from '../system/rounds.ts';

/** The first start after an upgrade counts the entries of a month, in several rounds. */
const ROUND_MILLISECONDS = 20_000;

/** One node at a time. Rejects with StoreUnavailable. */
export function countingLedger({ drizzle: db }: Pick<Database, 'drizzle'>, clock: Clock): Round['run'] {
  const statistics = statisticsStore(db, clock);
  return async (signal) => {
    await statistics.sampleChains();
    await boundedSteps({ milliseconds: ROUND_MILLISECONDS, signal }).until(1, statistics.countEntries);
  };
}

/** Each node. After a failure, the next round sends the counts. */
export function countingResponses(
  { drizzle: db }: Pick<Database, 'drizzle'>,
  clock: Clock,
  responses: ResponseCounter = countResponses(),
): Round['run'] {
  const statistics = statisticsStore(db, clock);
  return async () => {
    const counted = responses.take();
    try {
      await statistics.addRequests(counted);
    } catch (error) {
      responses.giveBack(counted);
      throw error;
    }
  };
}

export type ResponseCounter = {
  /** The responses since the last call. */
  readonly take: () => RequestCounts;
  readonly giveBack: (counted: RequestCounts) => void;
};

/** For as long as the process runs. */
export function countResponses(): ResponseCounter {
  let durations: Record<Timed, number[]> = none();
  let serverErrors = 0;
  answeredRequests.listen((response) => {
    const timed = timedAs(response);
    if (timed === null) return;
    const counts = durations[timed];
    const index = boundOf(response.seconds * 1000);
    counts[index] = (counts[index] ?? 0) + 1;
    if (response.status >= 500) serverErrors += 1;
  });
  return {
    take: () => {
      const taken = { durations, serverErrors };
      [durations, serverErrors] = [none(), 0];
      return taken;
    },
    giveBack: (counted) => {
      serverErrors += counted.serverErrors;
      for (const timed of TIMED) {
        durations[timed] = durations[timed].map((count, index) => count + (counted.durations[timed][index] ?? 0));
      }
    },
  };
}

const none = (): Record<Timed, number[]> => ({ token_endpoint: noDurations(), other_endpoints: noDurations() });

/** Administration, health checks and addresses that nothing serves are no work for end-users and clients. */
const NOT_TIMED = /^\/(console|management|health)(\/|$)/;

function timedAs({ route }: Pick<AnsweredRequest, 'route'>): Timed | null {
  if (route === null || NOT_TIMED.test(route)) return null;
  return route === '/oauth/token' ? 'token_endpoint' : 'other_endpoints';
}
