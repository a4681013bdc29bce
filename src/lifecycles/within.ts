/** A lifecycle about a part of a row: so that one commit can be about several rows, each decided by its own machine. */
import type { Effect } from '../../machines/unions.ts';
import type { AnyLifecycle, Changes } from '../engine/lifecycle.ts';

type AnyChange = (row: unknown, facts: unknown, params: unknown) => unknown;

export function within<Whole, Part>(
  lifecycle: AnyLifecycle<Part>,
  part: (whole: Whole) => Part,
  changed: (whole: Whole, part: Part) => Whole,
): AnyLifecycle<Whole> {
  const { changes, stateOf, contextOf, ledgerFacts, machine, answers } = lifecycle;
  const lifted = Object.entries(changes).map(([name, change]) => [
    name,
    (whole: Whole, facts: unknown, params: unknown) => {
      const before = part(whole);
      const after = (change as AnyChange)(before, facts, params) as Part;
      return after === before ? whole : changed(whole, after);
    },
  ]);
  return {
    machine,
    answers,
    stateOf: (whole, facts) => stateOf(part(whole), facts),
    contextOf: (whole, facts) => contextOf(part(whole), facts),
    changes: Object.fromEntries(lifted) as Changes<Whole, unknown> & { [Name in Effect['type']]?: never },
    ...(ledgerFacts && { ledgerFacts: (whole: Whole, facts: unknown) => ledgerFacts(part(whole), facts) }),
  };
}
