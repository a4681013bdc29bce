/**
 * The declaration of a lifecycle, in one place, for the engine, the model check and the triggers (src/lifecycles/).
 * docs/adding-a-lifecycle.md shows how to add another.
 */
import type { AnyStateMachine } from 'xstate';
import type { Effect } from '../../machines/unions.ts';
import type { LedgerEntry } from '../model/ledger.ts';
import type { Decision } from './decide.ts';

type EffectName = Effect['type'];
type ParamsOf<Name extends EffectName> =
  Extract<Effect, { type: Name }> extends { readonly params: infer Params } ? Params : undefined;

/** The change that each effect makes to a row. Pure. An effect that is not listed changes no stored row. */
export type Changes<Row, Facts> = {
  readonly [Name in EffectName]?: (row: Row, facts: Facts, params: ParamsOf<Name>) => Row;
};

/**
 * An event for another lifecycle, or for another row of the same lifecycle. It is decided and committed together with
 * its sender.
 */
export type Sent<Row> = { readonly lifecycle: AnyLifecycle<Row>; readonly facts: unknown; readonly event: AnyEvent };
export type AnyEvent = { readonly type: string };

/**
 * One event of a request. `next`: the next event of the same request, for the row as this event leaves it. Null: none.
 */
export type Turn<Row, Facts> = {
  readonly facts: Facts;
  readonly event: AnyEvent;
  readonly next?: ((row: Row) => Turn<Row, Facts> | null) | undefined;
};

/**
 * `Row`: the stored columns that may change. `Facts`: everything else on which a decision depends (the time, the
 * policy, the session …), and the random values drawn for it (a nonce, an id). `Commit`: the value for the store.
 */
export type Lifecycle<Row, Facts, Commit> = {
  readonly machine: AnyStateMachine;
  /** The state of the row. Pure. */
  readonly stateOf: (row: Row, facts: Facts) => string;
  /** The context that the guards of the machine see. Pure. */
  readonly contextOf: (row: Row, facts: Facts) => object;
  readonly changes: Changes<Row, Facts>;
  /** Effects that are events to other rows. Null: the lifecycle sends none. */
  readonly sends?: {
    readonly [Name in EffectName]?: (row: Row, facts: Facts, params: ParamsOf<Name>) => Sent<Row> | null;
  };
  /** By event: each decision has exactly one of these effects. Events that are not listed need no answer. */
  readonly answers: Readonly<Record<string, readonly EffectName[]>>;
  /**
   * Effects that change a row without a ledger entry: they decide nothing. `everything`: another lifecycle, of the same
   * request, has the entry.
   */
  readonly notAudited?: readonly EffectName[] | 'everything';
  /** Invariants of a step beyond its states. @returns the violation. Null: none. */
  readonly violation?: (step: Step<Row>, facts: Facts) => string | null;
  /** The facts of a ledger entry besides the decision. */
  readonly ledgerFacts?: (row: Row, facts: Facts) => Partial<LedgerEntry>;
  /** The change for the store, with the conditions for its commit. */
  readonly commitOf: (step: Step<Row>, facts: Facts, entries: readonly LedgerEntry[]) => Commit;
};

// biome-ignore lint/suspicious/noExplicitAny: a lifecycle that receives an event has facts of its own type, made by the sender.
export type AnyLifecycle<Row> = Omit<Lifecycle<Row, any, any>, 'commitOf'>;

/** Binds an event to facts of the right type. */
export const send = <Row, Facts, Commit>(
  lifecycle: Lifecycle<Row, Facts, Commit>,
  facts: Facts,
  event: AnyEvent,
): Sent<Row> => ({ lifecycle, facts, event });

/** A decision applied in memory: the row before and after, and every decision that was part of it. */
export type Step<Row> = {
  readonly before: Row;
  readonly after: Row;
  /** First the requested decision, then the decisions about the events that it sent. */
  readonly decisions: readonly Decision[];
  readonly entries: readonly LedgerEntry[];
};
