/** One state of the model: the stored rows, the requests in flight, the memory of the actors outside. Plain data. */
import type { Command, Reply } from '../../engine/run.ts';
import { numberOf } from './keys.ts';
import type { Action, Bounds, Terms } from './terms.ts';

/** A request from its first load to its answer. `asked`, `draw`, `first` and `replies` determine every next step. */
export type Flight<T extends Terms> = {
  readonly asked: T['asked'];
  readonly draw: number;
  /** Null: not loaded yet. */
  readonly first: T['loaded'] | null;
  /** The replies to the engine's commands so far. */
  readonly replies: readonly Reply<T['loaded']>[];
  readonly next: Command<T['commit']> | Answered<T>;
  /** `keyOfGoing`. A waiting answer is the next command of the request: `replies` says which. */
  readonly key: string;
};

/** A flight but for its next step. */
export type Going<T extends Terms> = Omit<Flight<T>, 'next' | 'key'>;

/** Decided and committed, but the answer has not left. */
export type Answered<T extends Terms> = { readonly kind: 'answered'; readonly answer: T['answer'] };

/** A statement whose connection was lost on the way: it may still be carried out, once, at any time. */
export type DelayedCommit<T extends Terms> = { readonly asked: T['asked']; readonly commit: T['commit'] };

export type ModelState<T extends Terms> = {
  /** Milliseconds since 1970, the database's clock. */
  readonly now: number;
  readonly stored: T['stored'];
  readonly known: T['known'];
  readonly flights: readonly Flight<T>[];
  readonly delayed: readonly DelayedCommit<T>[];
  /** Versions that were stored once: a backup may hold each. */
  readonly versions: readonly { readonly stored: T['stored']; readonly known: object }[];
  /** How many requests were sent. */
  readonly draws: number;
  readonly left: Pick<Bounds, 'requests' | 'faults'>;
};

/** A step, for a trace. `answer`: the request ended there, and this is the reply to its sender. */
export type Step<T extends Terms> = (
  | { readonly kind: 'begun'; readonly asked: T['asked']; readonly known: T['known'] }
  | { readonly kind: 'loaded'; readonly asked: T['asked']; readonly again: boolean }
  | { readonly kind: 'committed'; readonly asked: T['asked']; readonly commit: T['commit']; readonly held: boolean }
  | {
      readonly kind: 'answerLost';
      readonly asked: T['asked'];
      readonly commit: T['commit'];
      readonly carriedOut: 'yes' | 'notYet' | 'never';
    }
  | { readonly kind: 'left'; readonly asked: T['asked'] }
  | { readonly kind: 'crashed'; readonly asked: T['asked'] }
  | {
      readonly kind: 'delayedArrived';
      readonly asked: T['asked'];
      readonly commit: T['commit'];
      readonly held: boolean;
    }
  | { readonly kind: 'timePassed'; readonly to: number }
  | { readonly kind: 'action'; readonly says: string }
  | { readonly kind: 'backupRestored'; readonly recovered: boolean }
) & { readonly ending?: Ending<T> };

/** How a request ended: with an answer, or with a 503 for this reason. */
export type Ending<T extends Terms> =
  | { readonly kind: 'answered'; readonly answer: T['answer'] }
  | { readonly kind: 'unavailable'; readonly reason: string };

export type Move<T extends Terms> = {
  readonly modelStep: Step<T>;
  readonly after: ModelState<T>;
  /** For the invariants: the commit that arrived with it, if one did. */
  readonly commit: { readonly asked: T['asked']; readonly commit: T['commit']; readonly held: boolean } | null;
  /** The answer that left the server with it, if one did. */
  readonly answer: { readonly asked: T['asked']; readonly answer: T['answer'] } | null;
  readonly action: Action<T> | null;
  /** A defect that the engine found in itself. */
  readonly broken: string | null;
};

/** All that decides how a request continues. */
export const keyOfGoing = <T extends Terms>({ asked, draw, first, replies }: Going<T>): string =>
  `${numberOf(asked)}.${draw}.${first === null ? '' : numberOf(first)}.${numberOf(replies)}`;

/** In any order. */
function keyOfSet<Value>(values: readonly Value[], keyOf: (value: Value) => string | number): string {
  const [first] = values;
  if (first === undefined) return '';
  return values.length === 1 ? `${keyOf(first)}` : values.map(keyOf).sort().join(';');
}

/** All that the invariants about a moment depend on. */
export const keyOfStanding = <T extends Terms>({ now, stored, known }: ModelState<T>): string =>
  `${now}|${numberOf(stored)}|${numberOf(known)}`;

/** Two moments with the same key have the same futures. @param standing `keyOfStanding`. */
export const keyOfMoment = <T extends Terms>(modelState: ModelState<T>, standing: string): string =>
  `${standing}|${keyOfSet(modelState.flights, keyOfFlight)}|${keyOfSet(modelState.delayed, numberOf)}|${
    modelState.versions.length === 0 ? '' : modelState.versions.map(numberOf).join()
  }|${modelState.left.requests}.${modelState.left.faults}`;
const keyOfFlight = ({ key }: { readonly key: string }) => key;
