/** Metrics and traces observe the engine here. An observer cannot change what the engine does. */
import type { Decision } from './decide.ts';
import type { UnavailableReason } from './errors.ts';

/** `decide` includes the making of the answer, and so `sign`. */
export type Phase = 'load' | 'decide' | 'sign' | 'commit';

/** `conflict`: a fact had moved in between, and nothing changed. `unknown`: the answer was lost. `unavailable`: nothing was carried out. */
export type CommitResult = 'committed' | 'conflict' | 'unknown' | 'unavailable';

/** Its functions must not throw. */
export type Observer = {
  /** The requested decision, then the decisions about the events that it sent. */
  readonly decided?: (decisions: readonly Decision[]) => void;
  readonly committed?: (machine: string, result: CommitResult) => void;
  /** No decision could be made true. */
  readonly failed?: (machine: string, reason: UnavailableReason) => void;
  /** Calls `work` once and returns what it returns, which may be a promise. @param what the machine, or the kind of token. */
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
