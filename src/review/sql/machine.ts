/** What a machine's configuration says about rows: which states follow which, and with which words. */

type Action = { readonly type: string; readonly params?: Readonly<Record<string, unknown>> };
type Arm = { readonly target?: string; readonly actions?: unknown };
export type MachineConfig = {
  readonly initial: string;
  readonly states: Readonly<Record<string, { readonly on: Readonly<Record<string, unknown>> }>>;
};

/** From one state to another. An arm that stays moves nothing. */
export type Move = { readonly from: string; readonly to: string; readonly actions: readonly Action[] };

/** One for each arm that leads elsewhere, in the order of the file. */
export const movesOf = ({ states }: MachineConfig): readonly Move[] =>
  Object.entries(states).flatMap(([from, { on }]) =>
    Object.values(on)
      .flatMap((arms) => [arms].flat() as Arm[])
      .flatMap(({ target, actions }) =>
        target === undefined || target === from ? [] : [{ from, to: target, actions: actionsOf(actions) }],
      ),
  );

/** Nothing leads out of these. */
export const endedStatesOf = (config: MachineConfig): readonly string[] =>
  Object.keys(config.states).filter((state) => !movesOf(config).some(({ from }) => from === state));

/** The states that an arm with this effect leads into. */
export const statesBy = (effect: string, moves: readonly Move[]): readonly string[] =>
  unique(moves.filter(({ actions }) => actions.some(({ type }) => type === effect)).map(({ to }) => to));

/** Each pair of states once, with what its arms write: the `reason` of the effect `writing`. */
export function pairsOf(moves: readonly Move[], writing: string) {
  const byPair = Map.groupBy(moves, ({ from, to }) => JSON.stringify([from, to]));
  return [...byPair.values()].map((same) => ({
    from: same[0]?.from ?? '',
    to: same[0]?.to ?? '',
    reasons: unique(
      same.flatMap(({ actions }) =>
        actions.filter(({ type }) => type === writing).map(({ params }) => String(params?.['reason'])),
      ),
    ),
  }));
}

const actionsOf = (actions: unknown): readonly Action[] =>
  [actions ?? []].flat().map((action) => (typeof action === 'string' ? { type: action } : (action as Action)));

const unique = (words: readonly string[]): readonly string[] => [...new Set(words)];
