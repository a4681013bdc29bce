/** Long work beside requests, in steps: it pauses after each in proportion to the step, and ends with its time. */
import { setTimeout } from 'node:timers/promises';

export type Steps = {
  /** Does steps until one says that nothing is left, or the time ends. @returns false: the time ended first. */
  readonly until: (share: number, step: () => Promise<'done' | 'more'>) => Promise<boolean>;
};

export type StepsOptions = {
  readonly milliseconds: number;
  readonly signal: AbortSignal;
  /** A pause takes as many times as long as the step before it. */
  readonly pauses?: number;
  readonly elapsed?: () => number;
  readonly pause?: (milliseconds: number) => Promise<void>;
};

/** Longer than this, a pause helps no request. */
const LONGEST_PAUSE_MILLISECONDS = 1000;

export function boundedSteps({
  milliseconds,
  signal,
  pauses = 1,
  elapsed = () => performance.now(),
  pause = async (milliseconds) => {
    await setTimeout(milliseconds, undefined, { signal }).catch(() => {});
  },
}: StepsOptions): Steps {
  const begunAt = elapsed();
  return {
    // Each work has at least one step, so that none starves behind another.
    until: async (share, step) => {
      for (;;) {
        const stepBegan = elapsed();
        if ((await step()) === 'done') return true;
        const now = elapsed();
        if (signal.aborted || now - begunAt >= milliseconds * share) return false;
        await pause(Math.min(pauses * (now - stepBegan), LONGEST_PAUSE_MILLISECONDS));
      }
    },
  };
}
