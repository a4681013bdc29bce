/**
 * Runs the periodic jobs of a node. A round that takes longer than its interval never overlaps itself: the next begins
 * at the following tick. A job for all nodes runs on one node at a time.
 */
import { type RoundRun, roundsRun } from './observed.ts';

export type Round = {
  /** A label of the metrics, and the name of the lock between nodes. */
  readonly name: string;
  /** `all nodes`: while one node runs it, the others skip their turn. */
  readonly of: 'this node' | 'all nodes';
  readonly everyMilliseconds: number;
  /** Whether the job also runs when the rounds open, and not only after the first interval. */
  readonly atStart: boolean;
  /** @param signal aborts when the node closes or loses the lock. The round then ends after its current step. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  readonly onFailure: (error: unknown) => void;
};

/** @returns false: another node runs it. */
export type RunAlone = (name: string, work: (signal: AbortSignal) => Promise<void>) => Promise<boolean>;

export type Rounds = {
  /** Waits for the running rounds. */
  readonly close: () => Promise<void>;
};

export function openRounds(rounds: readonly Round[], runAlone: RunAlone): Rounds {
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  const timers = new Map<Round, NodeJS.Timeout>();

  const schedule = (round: Round, milliseconds: number): void => {
    if (closing.signal.aborted) return;
    timers.set(round, setTimeout(() => begin(round), milliseconds).unref());
  };
  const begin = (round: Round): void => {
    const begunAt = performance.now();
    const run = outcomeOf(round, runAlone, closing.signal).then((outcome) => {
      running.delete(run);
      const elapsed = performance.now() - begunAt;
      const overran = elapsed > round.everyMilliseconds;
      roundsRun.publish(() => ({ round: round.name, outcome, seconds: elapsed / 1000, overran }));
      schedule(round, round.everyMilliseconds - (elapsed % round.everyMilliseconds));
    });
    running.add(run);
  };
  for (const round of rounds) {
    if (round.atStart) begin(round);
    else schedule(round, round.everyMilliseconds);
  }
  return {
    close: async () => {
      closing.abort();
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.all(running);
    },
  };
}

async function outcomeOf(round: Round, runAlone: RunAlone, closing: AbortSignal): Promise<RoundRun['outcome']> {
  try {
    if (round.of === 'this node') {
      await round.run(closing);
      return 'completed';
    }
    const ran = await runAlone(round.name, (held) => round.run(AbortSignal.any([closing, held])));
    return ran ? 'completed' : 'elsewhere';
  } catch (error) {
    round.onFailure(error);
    return 'failed';
  }
}
