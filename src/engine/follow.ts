/** Lets metrics and traces follow what the loop does. A follower is told, and can change nothing. */
import type { Decision } from './decide.ts';
import type { UnavailableReason } from './errors.ts';

/** `decide` includes the making of the answer, and so `sign`. */
export type Phase = 'load' | 'decide' | 'sign' | 'commit';

/** `conflict`: a fact had moved in between, and nothing changed. `unknown`: the answer was lost. `unavailable`: nothing was carried out. */
export type CommitResult = 'committed' | 'conflict' | 'unknown' | 'unavailable';

/** Its functions must not throw. */
export type Follower = {
  /** What the caller is answered: the requested decision, then the decisions about the events that it sent. */
  readonly decided?: (decisions: readonly Decision[]) => void;
  readonly committed?: (machine: string, result: CommitResult) => void;
  /** No decision could be made true. */
  readonly failed?: (machine: string, reason: UnavailableReason) => void;
  /** Calls `work` once and returns what it returns, which may be a promise. @param what the machine, or the kind of token. */
  readonly during?: <T>(phase: Phase, what: string, work: () => T) => T;
};

const followers = new Set<Follower>();

/** @returns a function that ends it. */
export function followEngine(follower: Follower): () => void {
  followers.add(follower);
  return () => void followers.delete(follower);
}

export function tell(told: (follower: Follower) => void): void {
  for (const follower of followers) told(follower);
}

export function during<T>(phase: Phase, what: string, work: () => T): T {
  let whole = work;
  for (const { during: around } of followers) {
    const inner = whole;
    if (around) whole = () => around(phase, what, inner);
  }
  return whole();
}
