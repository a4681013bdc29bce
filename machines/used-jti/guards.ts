import type { UsedJtiEvent } from './facts.ts';

type Presented = { event: UsedJtiEvent };

/** Every constant that a guard may name: a guard compares facts with facts, and writes no value of its own. */
export const BOUNDS = {
  /** Five minutes: a stolen proof is worth little, and the server remembers each for as long. */
  longestMilliseconds: 300_000,
  /** FAPI 2.0 §5.3.2.1: a server accepts instants up to 10 seconds in the future, and rejects those beyond 60 seconds. */
  futureMilliseconds: 60_000,
} as const;

export const usedJtiGuards = {
  expired: ({ event }: Presented) => event.now >= event.endsAt,
  livesTooLong: ({ event }: Presented) => event.endsAt - event.now > BOUNDS.longestMilliseconds,
  isFromFuture: ({ event }: Presented) =>
    event.beginsAt !== null && event.beginsAt - event.now > BOUNDS.futureMilliseconds,
};
