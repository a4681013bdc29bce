/** The numbers of the machines, and the names under which pages show them. */
import type { Item } from '../management/client/documents.ts';

export type MachineNumbers = Omit<Item<'/machines'>, '_links'>;
export type StateRows = MachineNumbers['states'][number];
export type Arm = MachineNumbers['arms'][number];

export const stateKey = (machine: string, state: string): string => `${machine} state ${state}`;
/** All arms of this event from one state to another, for any reason. */
export const armKey = (machine: string, { from, event, to }: Pick<Arm, 'from' | 'event' | 'to'>): string =>
  `${machine} arm ${from} ${event} ${to}`;

const DIGITS = new Intl.NumberFormat('en-GB');
export const shownNumber = (count: number): string => DIGITS.format(count);

/** Marks an estimate. */
export const shownCount = ({ rows }: StateRows, { exact }: Pick<MachineNumbers, 'exact'>): string =>
  `${exact ? '' : '≈ '}${shownNumber(rows)}`;

/** For the script of the page. Adds the numbers that the page shows as one. */
export function numbersOf(machines: readonly MachineNumbers[]): Readonly<Record<string, string | number>> {
  return Object.fromEntries(
    machines.flatMap(({ name, states, exact, arms }) => [
      ...states.map((state) => [stateKey(name, state.name), shownCount(state, { exact })]),
      ...together(arms).map((arm) => [armKey(name, arm), arm.last_5_minutes]),
    ]),
  );
}

/** Joins arms that differ only in their reason. */
export function together(arms: readonly Arm[]): readonly Arm[] {
  const groups = Map.groupBy(arms, ({ from, event, to }) => JSON.stringify([from, event, to]));
  return [...groups.values()].flatMap(([first, ...others]) =>
    first
      ? [
          {
            ...first,
            reason: null,
            last_5_minutes: others.reduce((sum, arm) => sum + arm.last_5_minutes, first.last_5_minutes),
          },
        ]
      : [],
  );
}
