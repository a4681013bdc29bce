/**
 * What a lifecycle declares, in one place, for the engine, the proof and the triggers
 * (src/lifecycles/). docs/adding-a-lifecycle.md shows how to add another.
 */
import type { AnyStateMachine } from 'xstate';
import type { Effect } from '../../machines/unions.ts';
import type { LedgerEntry } from '../model/ledger.ts';
import type { Decision } from './decide.ts';

type EffectName = Effect['type'];
type ParamsOf<Name extends EffectName> =
  Extract<Effect, { type: Name }> extends { readonly params: infer Params } ? Params : undefined;

/** What an effect makes of a row. Pure. An effect that is not listed changes nothing that is stored. */
export type Changes<Row, Facts> = {
  readonly [Name in EffectName]?: (row: Row, facts: Facts, params: ParamsOf<Name>) => Row;
};

/** An event for another lifecycle, or for another row of the same lifecycle; decided and committed together with its sender. */
export type Sent<Row> = { readonly lifecycle: AnyLifecycle<Row>; readonly facts: unknown; readonly event: AnyEvent };
export type AnyEvent = { readonly type: string };

/** One event of a request. `next`: the next event of the same request, for the row as this event leaves it; null: none. */
export type Turn<Row, Facts> = {
  readonly facts: Facts;
  readonly event: AnyEvent;
  readonly next?: ((row: Row) => Turn<Row, Facts> | null) | undefined;
};

/**
 * `Row`: what is stored and may change. `Facts`: whatever else a decision depends on (the time, the policy, the session …), and
 * random values drawn for it (a nonce, an id). `Commit`: what the store is given.
 */
export type Lifecycle<Row, Facts, Commit> = {
  readonly machine: AnyStateMachine;
  /** What the row is now. Pure. */
  readonly stateOf: (row: Row, facts: Facts) => string;
  /** What the guards of the machine see. Pure. */
  readonly contextOf: (row: Row, facts: Facts) => object;
  readonly changes: Changes<Row, Facts>;
  /** Effects that are events to others. Null: there is nobody to tell. */
  readonly sends?: {
    readonly [Name in EffectName]?: (row: Row, facts: Facts, params: ParamsOf<Name>) => Sent<Row> | null;
  };
  /** By event: each decision has exactly one of these effects. Events that are not listed need no answer. */
  readonly answers: Readonly<Record<string, readonly EffectName[]>>;
  /** Effects that change a row without a line in the ledger: they decide nothing. */
  readonly notAudited?: readonly EffectName[];
  /** Invariants of a step beyond its states. @returns what is wrong; null: nothing. */
  readonly violation?: (step: Step<Row>, facts: Facts) => string | null;
  /** What a line of the ledger contains besides the decision. */
  readonly ledgerFacts?: (row: Row, facts: Facts) => Partial<LedgerEntry>;
  /** The change for the store, with what must still hold when it is committed. */
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
