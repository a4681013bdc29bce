/** Metrics and traces observe the engine here. An observer cannot change the engine's behavior. */
import type { Decision } from './decide.ts';
import type { UnavailableReason } from './errors.ts';

/** `decide` includes the making of the answer, and therefore `sign`. */
export type Phase = 'load' | 'decide' | 'sign' | 'commit';

/**
 * `conflict`: a fact changed in between, and the commit changed nothing. `unknown`: the answer was lost. `unavailable`:
 * the database carried out nothing.
 */
export type CommitResult = 'committed' | 'conflict' | 'unknown' | 'unavailable';

/** Its functions must not throw. */
export type Observer = {
  /** The requested decision, then the decisions about the events that it sent. */
  readonly decided?: (decisions: readonly Decision[]) => void;
  readonly committed?: (machine: string, result: CommitResult) => void;
  /** The engine could not carry out a decision. */
  readonly failed?: (machine: string, reason: UnavailableReason) => void;
  /**
   * Calls `work` once and returns its result, which may be a promise. @param what the machine, or the kind of token.
   */
  readonly instrument?: <T>(phase: Phase, what: string, work: () => T) => T;
};

const observers = new Set<Observer>();

/** @returns a function that removes the observer. */
export function observeEngine(observer: Observer): () => void {
  observers.add(observer);
  return () => void observers.delete(observer);
}

export function notify(call: (observer: Observer) => void): void {
  for (const observer of observers) call(observer);
}

export function instrument<T>(phase: Phase, what: string, work: () => T): T {
  let whole = work;
  for (const { instrument: around } of observers) {
    const inner = whole;
    if (around) whole = () => around(phase, what, inner);
  }
  return whole();
}
