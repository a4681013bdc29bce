/** A machine's configuration, read as what can be drawn: states, and for each event of each state its arms in order. */

/** As XState keeps it (`machine.config`), or as somebody wrote it; nothing of it is trusted to be there. */
export type MachineConfig = {
  readonly id?: string;
  readonly initial?: unknown;
  readonly states?: Readonly<Record<string, StateConfig>>;
};
type StateConfig = Described & { readonly on?: Readonly<Record<string, unknown>>; readonly [other: string]: unknown };
type Described = { readonly description?: string; readonly meta?: { readonly spec?: string } };

export type Effect = { readonly name: string; readonly params: readonly string[] };

export type Arm = {
  readonly state: string;
  readonly event: string;
  /** The place in the order in which the guards of this event are asked, from 1. */
  readonly place: number;
  /** How many arms the event has in this state. */
  readonly of: number;
  /** Null: none. */
  readonly guard: string | null;
  readonly effects: readonly Effect[];
  /** The state that follows; the same one where the arm has no target. */
  readonly to: string;
  readonly description: string;
  readonly spec: string;
  /** Whatever else the arm says, such as `reenter`. */
  readonly also: string;
};

export type State = {
  readonly name: string;
  readonly isInitial: boolean;
  readonly description: string;
  readonly spec: string;
  /** Whatever else the state says, such as `type` or `after`. */
  readonly also: string;
  readonly arms: readonly Arm[];
};

export type ReadMachine = { readonly name: string; readonly states: readonly State[] };

export function readMachine(config: MachineConfig): ReadMachine {
  const states = Object.entries(config.states ?? {}).map(([name, state]): State => {
    const { description = '', meta, on = {}, ...others } = state;
    return {
      name,
      isInitial: name === config.initial,
      description,
      spec: meta?.spec ?? '',
      also: wordsOf(others),
      arms: Object.entries(on).flatMap(([event, arms]) =>
        [arms ?? []]
          .flat()
          .map((arm, index, all) => readArm(arm, { state: name, event, place: index + 1, of: all.length })),
      ),
    };
  });
  return { name: config.id ?? 'machine', states: [...states, ...missingIn(states)] };
}

/** A target that is no state must not look as if nothing led there. */
function missingIn(states: readonly State[]): readonly State[] {
  const names = new Set(states.map(({ name }) => name));
  const missing = new Set(states.flatMap(({ arms }) => arms.map(({ to }) => to)).filter((to) => !names.has(to)));
  return [...missing].map((name) => ({
    name,
    isInitial: false,
    description: '(no such state)',
    spec: '',
    also: '',
    arms: [],
  }));
}

type At = Pick<Arm, 'state' | 'event' | 'place' | 'of'>;

function readArm(written: unknown, at: At): Arm {
  const arm = typeof written === 'string' ? { target: written } : (written as ArmConfig);
  const { guard, target, actions, description = '', meta, ...others } = arm;
  return {
    ...at,
    guard: guard === undefined ? null : nameOf(guard),
    effects: [actions ?? []].flat().map(readEffect),
    to: [target ?? at.state].flat().map(String).join(', '),
    description,
    spec: meta?.spec ?? '',
    also: wordsOf(others),
  };
}

type ArmConfig = Described & {
  readonly guard?: unknown;
  readonly target?: unknown;
  readonly actions?: unknown;
  readonly [other: string]: unknown;
};

const readEffect = (action: unknown): Effect => ({
  name: nameOf(action),
  params: Object.values((action as { params?: object } | null)?.params ?? {}).map(String),
});

/** What is written as code cannot be drawn, and must not look as if nothing were there. */
const INLINE = '(inline code)';

function nameOf(named: unknown): string {
  if (typeof named === 'string') return named;
  if (typeof named === 'function') return INLINE;
  const { type } = (named ?? {}) as { type?: unknown };
  return typeof type === 'string' ? type : INLINE;
}

const wordsOf = (others: object): string =>
  Object.entries(others)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(namedFunctions(value))}`)
    .join(', ');

const namedFunctions = (value: unknown): unknown => JSON.parse(JSON.stringify(value, functionsAsWords) ?? 'null');

/** For JSON.stringify, which would drop them in silence. */
export const functionsAsWords = (_key: string, value: unknown): unknown =>
  typeof value === 'function' ? INLINE : value;

/** The question that an arm asks, in one or two words. */
export const questionOf = ({ guard, place, of }: Arm): string =>
  guard ?? (of > 1 && place === of ? 'otherwise' : 'always');

export const effectWords = ({ name, params }: Effect): string => [name, ...params].join(' ');
