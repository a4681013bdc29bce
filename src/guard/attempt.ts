/** One attempt for all callers that need its result at the same time. */

/** Cloudflare Workers and runtimes like it cancel a promise with the request that began it. */
const belongsToOneRequest = (): boolean => 'WebSocketPair' in globalThis || 'EdgeRuntime' in globalThis;

export type Attempt<Result> = {
  /** Whether a caller that runs now begins no attempt of its own. */
  readonly isRunning: () => boolean;
  readonly run: () => Promise<Result>;
};

/** @param begin never rejects. */
export function sharedAttempt<Result>(begin: () => Promise<Result>): Attempt<Result> {
  let pending: Promise<Result> | null = null;
  const isRunning = () => pending !== null && !belongsToOneRequest();
  return {
    isRunning,
    run: () => {
      if (pending !== null && isRunning()) return pending;
      const attempt = begin().finally(() => {
        if (pending === attempt) pending = null;
      });
      pending = attempt;
      return attempt;
    },
  };
}
