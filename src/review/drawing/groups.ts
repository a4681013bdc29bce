/** Groups arms for display: equal arms of several events share a row, and rows of the same events share a heading. */
import { effectWords } from '../../catalogue/calls.ts';
import { type Arm, type Machine, questionOf, type State } from '../../catalogue/read.ts';

/** An arm, or the same arm of several events. */
export type Row = {
  readonly arm: Arm;
  /** The arm's place per event, in the order of the heading; a single number where all are equal. Empty where no event has another arm. */
  readonly place: string;
};
export type Group = { readonly events: readonly string[]; readonly rows: readonly Row[] };

/** All arms from one state to another. */
export type Edge = { readonly from: string; readonly to: string; readonly groups: readonly Group[] };

export type GroupedState = State & {
  /** The arms that stay in this state. */
  readonly stays: readonly Group[];
};
export type Grouped = {
  readonly name: string;
  readonly also: string;
  readonly states: readonly GroupedState[];
  readonly edges: readonly Edge[];
};

export function grouped({ name, states, also }: Machine): Grouped {
  return {
    name,
    also,
    states: states.map((state) => ({ ...state, stays: groupsOf(state.arms.filter(({ to }) => to === state.name)) })),
    edges: states.flatMap((state) => {
      const targets = new Set(state.arms.map(({ to }) => to).filter((to) => to !== state.name));
      return [...targets].map((to) => ({
        from: state.name,
        to,
        groups: groupsOf(state.arms.filter((arm) => arm.to === to)),
      }));
    }),
  };
}

function groupsOf(arms: readonly Arm[]): readonly Group[] {
  const same = Map.groupBy(arms, keyOf);
  const byEvents = Map.groupBy(same.values(), (equal) => JSON.stringify(equal.map(({ event }) => event)));
  return [...byEvents].map(([events, rows]) => ({
    events: JSON.parse(events) as string[],
    rows: rows.flatMap((equal) => (equal[0] ? [{ arm: equal[0], place: placesOf(equal) }] : [])),
  }));
}

const keyOf = (arm: Arm): string =>
  JSON.stringify([questionOf(arm), arm.effects.map(effectWords), arm.to, arm.spec, arm.description, arm.also]);

function placesOf(arms: readonly Arm[]): string {
  if (arms.every(({ of }) => of === 1)) return '';
  const places = arms.map(({ place }) => place);
  return new Set(places).size === 1 ? String(places[0]) : places.join('/');
}
