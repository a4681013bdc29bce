/** Arms put together for the eye: the same arm of several events is one row, the rows of the same events have one heading. */
import { effectWords } from '../machine/calls.ts';
import { type Arm, type Machine, questionOf, type State } from '../machine/read.ts';

/** One arm, or the same arm of several events. */
export type Row = {
  readonly arm: Arm;
  /** In the order of the heading; one number where all are the same. Empty where no event has another arm. */
  readonly place: string;
};
export type Group = { readonly events: readonly string[]; readonly rows: readonly Row[] };

/** All that leads from one state to another. */
export type Edge = { readonly from: string; readonly to: string; readonly groups: readonly Group[] };

export type GroupedState = State & {
  /** What leaves the state as it is. */
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
  const byEvents = Map.groupBy(same.values(), (those) => JSON.stringify(those.map(({ event }) => event)));
  return [...byEvents].map(([events, rows]) => ({
    events: JSON.parse(events) as string[],
    rows: rows.flatMap((those) => (those[0] ? [{ arm: those[0], place: placesOf(those) }] : [])),
  }));
}

const keyOf = (arm: Arm): string =>
  JSON.stringify([questionOf(arm), arm.effects.map(effectWords), arm.to, arm.spec, arm.description, arm.also]);

function placesOf(arms: readonly Arm[]): string {
  if (arms.every(({ of }) => of === 1)) return '';
  const places = arms.map(({ place }) => place);
  return new Set(places).size === 1 ? String(places[0]) : places.join('/');
}
