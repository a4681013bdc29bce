/** Invariants of every lifecycle, for a walk to state of its own rows and requests. */
import type { AnyEvent, AnyLifecycle } from '../../engine/lifecycle.ts';
import { type MachineOf, stepOf } from '../../engine/step.ts';
import type { ModelState } from './moment.ts';
import { runAlone } from './moves.ts';
import type { Invariant, Terms } from './walk.ts';

/** Every request is answered, in every state that can be reached, and none goes in circles: within the bounds, no request obstructs another often enough. */
export const everythingIsAnswered = <T extends Terms>(
  requestsAt: (modelState: ModelState<T>) => readonly T['asked'][],
): Required<Pick<Invariant<T>, 'violation' | 'violationAt'>> => ({
  violation: (_, __, { broken, modelStep: { ending } }) => {
    const isInCircles = ending?.kind === 'unavailable' && ending.reason === 'too_many_conflicts';
    return broken ?? (isInCircles ? 'a request went in circles' : null);
  },
  violationAt: (walk, modelState) => {
    for (const asked of requestsAt(modelState)) {
      const ran = runAlone(walk, modelState, asked);
      if (ran.kind === 'broken') return ran.words;
    }
    return null;
  },
});

/** A row that has ended stays as it was. @param fact the part of such a row that stays. */
export const staysEnded = <T extends Terms, Row>({
  rows,
  nameOf,
  hasEnded,
  fact,
}: {
  readonly rows: (stored: T['stored']) => readonly Row[];
  readonly nameOf: (row: Row) => string;
  readonly hasEnded: (row: Row) => boolean;
  readonly fact: (row: Row) => unknown;
}): Required<Pick<Invariant<T>, 'violation'>> => ({
  violation: (_, { stored }, { after }) => {
    // A step that writes nothing leaves the very rows.
    if (stored === after.stored) return null;
    const now = rows(after.stored);
    const changed = rows(stored).find((row) => {
      const later = now.find((one) => nameOf(one) === nameOf(row));
      return hasEnded(row) && (later === undefined || fact(later) !== fact(row));
    });
    return changed ? `${nameOf(changed)} had ended, and changed` : null;
  },
});

type Endable<Row> = {
  readonly lifecycle: AnyLifecycle<Row>;
  readonly stateOf: (row: Row) => string;
  /** "grant" */
  readonly what: string;
  /** The state of a row that has ended. */
  readonly ended: string;
};

/** The machine that decides has to reach the state that the rows have after an event. @returns the violation; null: none. */
export function armMissing<Row, Facts>(
  { lifecycle, stateOf, what, ended }: Endable<Row>,
  row: Row,
  facts: Facts,
  event: AnyEvent | null,
  machineOf: MachineOf,
): string | null {
  if (event === null) return `a ${what} ended by something that no event of its machine is about`;
  try {
    const { after } = stepOf(lifecycle, row, facts, event, machineOf);
    return stateOf(after) === ended ? null : `${event.type} ends a ${what}, and its machine says that it lives on`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
