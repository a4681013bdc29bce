/** decide → apply → check: applies an event to a row. Pure, so that every check precedes the commit. */
import type { AnyStateMachine } from 'xstate';
import type { Effect, RejectReason } from '../../machines/unions.ts';
import type { LedgerEntry } from '../model/ledger.ts';
import { type Decision, decide, effectOf } from './decide.ts';
import { InvariantViolation } from './errors.ts';
import type { AnyEvent, AnyLifecycle, Step, Turn } from './lifecycle.ts';

/** The machine that decides for a lifecycle: its own, unless a review tool replaces it. */
export type MachineOf = (machine: AnyStateMachine) => AnyStateMachine;
const itself: MachineOf = (machine) => machine;

/**
 * The events of one request, in their order, as one step: all of them change the row, or none does. After a rejection,
 * no further event is decided.
 *
 * @throws InvariantViolation as `stepOf` does.
 */
export function stepsOf<Row, Facts>(
  lifecycle: AnyLifecycle<Row>,
  row: Row,
  { facts, event, next }: Turn<Row, Facts>,
  machineOf: MachineOf = itself,
): Step<Row> {
  const first = stepOf(lifecycle, row, facts, event, machineOf);
  const following = isRejected(first) ? null : (next?.(first.after) ?? null);
  if (following === null) return first;
  const rest = stepsOf(lifecycle, first.after, following, machineOf);
  if (isRejected(rest)) return { ...rest, before: row, after: row, entries: [] };
  return {
    before: row,
    after: rest.after,
    decisions: [...first.decisions, ...rest.decisions],
    entries: [...first.entries, ...rest.entries],
  };
}

const isRejected = (step: Step<unknown>): boolean => rejectionIn(step) !== null;

/** The answer to a rejected request. Null: it was not rejected. */
export function rejectionIn<Reason extends RejectReason>({
  decisions: [decision],
}: Pick<Step<unknown>, 'decisions'>): { readonly kind: 'rejected'; readonly reason: Reason } | null {
  const rejected = decision && effectOf(decision, 'reject');
  return rejected ? { kind: 'rejected', reason: rejected.params.reason as Reason } : null;
}

/**
 * @throws InvariantViolation when the row that the effects make is not in the machine's next state, or breaks an
 * invariant of the lifecycle.
 */
export function stepOf<Row, Facts>(
  lifecycle: AnyLifecycle<Row>,
  row: Row,
  facts: Facts,
  event: AnyEvent,
  machineOf: MachineOf = itself,
): Step<Row> {
  const from = lifecycle.stateOf(row, facts);
  const decision = decide(machineOf(lifecycle.machine), from, lifecycle.contextOf(row, facts), event);
  const decisions = [decision];
  const entries: LedgerEntry[] = [];
  let after = row;
  const { notAudited = [] } = lifecycle;
  let isRecorded = notAudited !== 'everything' && decision.from !== decision.to;
  // Entries follow the order of the effects: this decision's entry comes where it first changes the row, or before its
  // events.
  let place: number | null = null;
  for (const effect of decision.effects) {
    const changed = changedBy(lifecycle, effect, after, facts);
    if (changed !== after) {
      isRecorded ||= notAudited !== 'everything' && !notAudited.includes(effect.type);
      place ??= entries.length;
    }
    after = changed;
    const sent = lifecycle.sends?.[effect.type]?.(after, facts, paramsOf(effect) as never);
    if (sent) {
      const step = stepOf(sent.lifecycle, after, sent.facts, sent.event, machineOf);
      after = step.after;
      decisions.push(...step.decisions);
      entries.push(...step.entries);
    }
  }
  requireOneAnswer(lifecycle, decision);
  const derived = lifecycle.stateOf(after, facts);
  if (derived !== decision.to) {
    throw new InvariantViolation(`${decision.machine}: the machine says ${decision.to}, its effects make ${derived}`);
  }
  if (isRecorded) entries.splice(place ?? 0, 0, entryOf(decision, lifecycle.ledgerFacts?.(after, facts)));
  const step = { before: row, after, decisions, entries };
  const broken = lifecycle.violation?.(step, facts) ?? null;
  if (broken !== null) throw new InvariantViolation(`${decision.machine}: ${decision.event} in ${from}: ${broken}`);
  return step;
}

const paramsOf = (effect: Effect): unknown => ('params' in effect ? effect.params : undefined);

const changedBy = <Row, Facts>({ changes }: AnyLifecycle<Row>, effect: Effect, row: Row, facts: Facts): Row =>
  changes[effect.type]?.(row, facts, paramsOf(effect) as never) ?? row;

function requireOneAnswer<Row>({ answers }: AnyLifecycle<Row>, { machine, event, from, effects }: Decision): void {
  const allowed = answers[event];
  if (!allowed) return;
  const given = effects.filter(({ type }) => allowed.includes(type)).length;
  if (given !== 1)
    throw new InvariantViolation(`${machine}: ${event} in ${from} has ${given} answers; expected exactly one`);
}

function entryOf({ machine, event, from, to, effects }: Decision, facts: Partial<LedgerEntry> = {}): LedgerEntry {
  const reason = effects.map(reasonOf).find((found) => found !== null) ?? null;
  return { machine, event, from, to, reason, generation: null, ...facts };
}

const reasonOf = (effect: Effect): string | null =>
  'params' in effect && 'reason' in effect.params ? effect.params.reason : null;
