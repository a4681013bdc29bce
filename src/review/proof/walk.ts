/**
 * The declaration of a walk: its lifecycles, its initial states, its steps, and its invariants. The explorer (explore.ts) knows no
 * lifecycle; it runs the engine's own loop and asks the walk for everything else.
 */
import type { AnyStateMachine } from 'xstate';
import type { Request, running } from '../../engine/run.ts';
import type { LeftOut } from './carry-out.ts';
import type { ModelState, Move } from './moment.ts';
import type { Action, Bounds, Terms } from './terms.ts';

export type { Action, Bounds, Terms };

export type InitialState<T extends Terms> = {
  /** In a sentence, for the trace. */
  readonly says: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly stored: T['stored'];
  readonly known: T['known'];
};

export type Invariant<T extends Terms> = {
  readonly name: string;
  readonly says: string;
  readonly spec: string;
  /** The ids of the machines that it is about. */
  readonly machines: readonly string[];
  /** The violation in this step, in words; null: none. */
  readonly violation?: (walk: Walk<T>, before: ModelState<T>, move: Move<T>) => string | null;
  /** The violation in this state. Asked once for the values that it may depend on: `stored`, `known` and the time. */
  readonly violationAt?: (walk: Walk<T>, modelState: ModelState<T>) => string | null;
};

/** A request to the engine; rows and facts are the lifecycle's own. */
// biome-ignore lint/suspicious/noExplicitAny: requests to several lifecycles stand in one walk.
export type EngineRequest<T extends Terms> = Request<T['loaded'], any, any, T['commit'], T['answer']>;

export type Walk<T extends Terms> = {
  readonly name: string;
  /** The subject of the walk, as a noun. */
  readonly of: string;
  /** The ids of the machines that it covers. */
  readonly machines: readonly string[];
  readonly bounds: readonly Bounds[];
  readonly initialStates: readonly InitialState<T>[];

  /** The engine's loop, and which machine decides for a lifecycle. Mutants and other revisions replace them. */
  readonly running: typeof running;
  readonly machineOf: (machine: AnyStateMachine) => AnyStateMachine;
  /** @param again after a commit that did not hold or was lost; a read from before the request happens again too. */
  readonly load: (stored: T['stored'], asked: T['asked'], now: Date, again: boolean) => T['loaded'];
  /** @param draw the number of the request, which stands for its random draws. */
  readonly requestOf: (asked: T['asked'], draw: number) => EngineRequest<T>;
  /** The guarded statement, under the contract of src/storage. @param leftOut facts that are not asked for. @returns null: a guard did not hold, and nothing changed. */
  readonly commit: (stored: T['stored'], commit: T['commit'], now: Date, leftOut?: LeftOut) => T['stored'] | null;

  readonly requests: (modelState: ModelState<T>, walk: Walk<T>) => readonly T['asked'][];
  /** Requests that count as faults. */
  readonly disturbingRequests?: (modelState: ModelState<T>) => readonly T['asked'][];
  /** True: an earlier request has read a part of its rows, so that its load is a step of its own. */
  readonly loadsLater?: (asked: T['asked']) => boolean;
  /** True: the answer has a credential, so that losing it on the way to the client is a step of its own. */
  readonly isWorth?: (answer: T['answer']) => boolean;
  readonly whenCommitted: (
    known: T['known'],
    asked: T['asked'],
    commit: T['commit'],
    stored: T['stored'],
  ) => T['known'];
  readonly whenAnswered: (known: T['known'], asked: T['asked'], answer: T['answer']) => T['known'];

  /** Actions that count as requests, and those that count as faults. */
  readonly actions?: (modelState: ModelState<T>) => readonly Action<T>[];
  readonly faults: (modelState: ModelState<T>) => readonly Action<T>[];
  /** When something ends or falls due. Milliseconds since 1970; the explorer goes to just before, to and just after each. */
  readonly instants: (modelState: ModelState<T>) => readonly number[];
  /** Absent: no backup is restored. */
  readonly backups?: {
    /** The part of `known` that the store forgets when it falls back: the commits, not the credentials that left. */
    readonly of: (known: T['known']) => object;
    readonly restored: (
      modelState: ModelState<T>,
      backup: { readonly stored: T['stored']; readonly known: object },
      recovered: boolean,
    ) => { readonly stored: T['stored']; readonly known: T['known'] };
  };

  readonly invariants: readonly Invariant<T>[];
  readonly words: WalkWords<T>;
};

/** How a trace speaks of it (trace.ts). */
export type WalkWords<T extends Terms> = {
  /** "the code" */
  readonly name: (asked: T['asked']) => string;
  /** "A client presents the code" */
  readonly begins: (asked: T['asked'], known: T['known']) => string;
  /** "tokens are issued" */
  readonly commit: (commit: T['commit']) => string;
  /** "tokens" */
  readonly commitNoun: (commit: T['commit']) => string;
  /** The reason in the log, or another short noun. Null: none. */
  readonly answer: (answer: T['answer']) => string | null;
  /** Of an answer that has a credential. */
  readonly leaves?: (asked: T['asked'], answer: T['answer']) => string;
  /** The origin of instants, and its name: "the approval". */
  readonly since: readonly [instant: number, name: string];
  /** The sender of requests, in a diagram. */
  readonly sender: string;
};

// biome-ignore lint/suspicious/noExplicitAny: walks of several kinds stand in one list.
export type AnyWalk = Walk<any>;
// biome-ignore lint/suspicious/noExplicitAny: the same.
export type AnyInvariant = Invariant<any>;
