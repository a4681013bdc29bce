/** The numbers of the machines, and the names under which pages show them. */

export type Arm = {
  readonly from: string;
  readonly event: string;
  readonly to: string;
  readonly reason: string | null;
  readonly last_5_minutes: number;
};

export type StateRows = { readonly name: string; readonly rows: number };

export type MachineNumbers = {
  readonly name: string;
  readonly states: readonly StateRows[];
  /** False: the rows are those of the newest only. */
  readonly exact: boolean;
  /** The arms that were used within the last five minutes, and left a ledger entry. */
  readonly arms: readonly Arm[];
};

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
