/** What differs between two versions of a machine, arm by arm. Machines as data, so that any two versions can be compared. */

export type MachineData = {
  readonly id: string;
  readonly initial?: unknown;
  readonly states?: Readonly<Record<string, StateData>>;
};
type StateData = {
  readonly on?: Readonly<Record<string, unknown>>;
  readonly description?: string;
  readonly meta?: unknown;
};
type ArmData = {
  readonly guard?: string;
  readonly target?: string;
  readonly actions?: unknown;
  readonly description?: string;
};

export type MachineChange = {
  readonly machine: string;
  readonly kind:
    | 'machine added'
    | 'machine removed'
    | 'state added'
    | 'state removed'
    | 'state newly reachable'
    | 'state no longer reachable'
    | 'arm added'
    | 'arm removed'
    | 'arm moved'
    | 'described differently';
  /** `state`, or `state × event`. */
  readonly where: string;
  readonly words: string;
};

export function machineChanges(before: readonly MachineData[], after: readonly MachineData[]): MachineChange[] {
  const names = [...new Set([...before, ...after].map(({ id }) => id))];
  return names.flatMap((machine) => {
    const [old, fresh] = [before, after].map((all) => all.find(({ id }) => id === machine));
    if (!fresh)
      return [{ machine, kind: 'machine removed' as const, where: machine, words: 'the whole machine is gone' }];
    if (!old)
      return [{ machine, kind: 'machine added' as const, where: machine, words: 'a machine that was not there' }];
    return [...stateChanges(old, fresh), ...reachChanges(old, fresh), ...armChanges(old, fresh)];
  });
}

const statesOf = ({ states = {} }: MachineData) => Object.keys(states);

function stateChanges(old: MachineData, fresh: MachineData): MachineChange[] {
  const machine = fresh.id;
  const [before, after] = [statesOf(old), statesOf(fresh)];
  return [
    ...after
      .filter((one) => !before.includes(one))
      .map((where) => ({ machine, kind: 'state added' as const, where, words: 'a state that was not there' })),
    ...before
      .filter((one) => !after.includes(one))
      .map((where) => ({
        machine,
        kind: 'state removed' as const,
        where,
        words: 'rows in this state have no meaning any more',
      })),
  ];
}

function reachChanges(old: MachineData, fresh: MachineData): MachineChange[] {
  const [before, after] = [reachable(old), reachable(fresh)];
  const change = (kind: 'state newly reachable' | 'state no longer reachable') => (one: string) => {
    const [from, to] = one.split(' → ');
    return {
      machine: fresh.id,
      kind,
      where: one,
      words: `${from} ${kind === 'state newly reachable' ? 'now leads' : 'no longer leads'} to ${to}, in one step or several`,
    };
  };
  return [
    ...[...after].filter((one) => !before.has(one)).map(change('state newly reachable')),
    ...[...before].filter((one) => !after.has(one)).map(change('state no longer reachable')),
  ];
}

/** `from → to`, over any number of arms. */
function reachable(machine: MachineData): ReadonlySet<string> {
  const steps = new Map(statesOf(machine).map((state) => [state, targetsOf(machine, state)]));
  const pairs = new Set<string>();
  for (const from of steps.keys()) {
    const reached = new Set(steps.get(from));
    for (const state of reached) for (const next of steps.get(state) ?? []) reached.add(next);
    for (const to of reached) if (to !== from) pairs.add(`${from} → ${to}`);
  }
  return pairs;
}

const targetsOf = (machine: MachineData, state: string): string[] =>
  Object.keys(machine.states?.[state]?.on ?? {}).flatMap((event) =>
    armsOf(machine, state, event).flatMap(({ target }) => target ?? []),
  );

function armsOf(machine: MachineData, state: string, event: string): ArmData[] {
  return [machine.states?.[state]?.on?.[event] ?? []].flat() as ArmData[];
}

function armChanges(old: MachineData, fresh: MachineData): MachineChange[] {
  const states = [...new Set([...statesOf(old), ...statesOf(fresh)])];
  return states.flatMap((state) => {
    const events = [old, fresh].flatMap((one) => Object.keys(one.states?.[state]?.on ?? {}));
    return [...new Set(events)].flatMap((event) =>
      changesOfArms(fresh.id, `${state} × ${event}`, armsOf(old, state, event), armsOf(fresh, state, event)),
    );
  });
}

function changesOfArms(
  machine: string,
  where: string,
  before: readonly ArmData[],
  after: readonly ArmData[],
): MachineChange[] {
  const [old, fresh] = [before.map(wordsOfArm), after.map(wordsOfArm)];
  const change = (kind: MachineChange['kind'], words: string): MachineChange => ({ machine, kind, where, words });
  const kept = fresh.filter((one) => old.includes(one));
  const moved = kept.filter((one, index) => old.filter((other) => fresh.includes(other))[index] !== one);
  return [
    ...old.filter((one) => !fresh.includes(one)).map((one) => change('arm removed', one)),
    ...fresh.filter((one) => !old.includes(one)).map((one) => change('arm added', `${one} (${placeOf(fresh, one)})`)),
    ...moved.map((one) => change('arm moved', `${one} (now ${placeOf(fresh, one)})`)),
    ...after
      .filter((arm) =>
        before.some((other) => wordsOfArm(other) === wordsOfArm(arm) && other.description !== arm.description),
      )
      .map((arm) => change('described differently', arm.description ?? 'no description')),
  ];
}

const placeOf = (arms: readonly string[], arm: string) => `asked ${arms.indexOf(arm) + 1} of ${arms.length}`;

/** Order, guard, target and effects are what an arm does; its description is what is said about it. */
function wordsOfArm({ guard, target, actions }: ArmData): string {
  const effects = [actions ?? []].flat().map((one) => effectWords(one as string | { type: string; params?: object }));
  const parts = [...(target ? [`→ ${target}`] : []), ...effects];
  return `${guard ?? 'otherwise'}: ${parts.join(', ') || 'nothing happens'}`;
}

const effectWords = (effect: string | { readonly type: string; readonly params?: object }): string =>
  typeof effect === 'string' ? effect : `${effect.type}(${Object.values(effect.params ?? {}).join(', ')})`;
