/** The differences between two versions of a machine, arm by arm. */
import { callWords } from '../../catalogue/calls.ts';
import { statesReachableFrom } from '../../catalogue/reach.ts';
import { type Arm, armsOf, type Machine } from '../../catalogue/read.ts';

export type MachineChange = {
  readonly machine: string;
  readonly kind:
    | 'machine added'
    | 'machine removed'
    | 'state added'
    | 'state removed'
    | 'state changed'
    | 'initial state changed'
    | 'state newly reachable'
    | 'state no longer reachable'
    | 'arm added'
    | 'arm removed'
    | 'arm moved'
    | 'guard changed'
    | 'described differently';
  /** `state`, or `state × event`. */
  readonly where: string;
  readonly words: string;
};

export function machineChanges(before: readonly Machine[], after: readonly Machine[]): MachineChange[] {
  const names = [...new Set([...before, ...after].map(({ name }) => name))];
  return names.flatMap((machine) => {
    const [old, fresh] = [before, after].map((all) => all.find(({ name }) => name === machine));
    if (!fresh)
      return [{ machine, kind: 'machine removed' as const, where: machine, words: 'the whole machine is gone' }];
    if (!old)
      return [{ machine, kind: 'machine added' as const, where: machine, words: 'a machine that was not there' }];
    return [
      ...initialChange(old, fresh),
      ...stateChanges(old, fresh),
      ...reachChanges(old, fresh),
      ...armChanges(old, fresh),
    ];
  });
}

function initialChange(old: Machine, fresh: Machine): MachineChange[] {
  if (old.initial === fresh.initial) return [];
  const words = `it begins as ${fresh.initial}, and not as ${old.initial}`;
  return [{ machine: fresh.name, kind: 'initial state changed', where: fresh.name, words }];
}

const namesOf = ({ states }: Machine): string[] => states.filter(({ exists }) => exists).map(({ name }) => name);

function stateChanges(old: Machine, fresh: Machine): MachineChange[] {
  const machine = fresh.name;
  const [before, after] = [namesOf(old), namesOf(fresh)];
  return [
    ...after
      .filter((name) => !before.includes(name))
      .map((where) => ({ machine, kind: 'state added' as const, where, words: 'a state that was not there' })),
    ...before
      .filter((name) => !after.includes(name))
      .map((where) => ({
        machine,
        kind: 'state removed' as const,
        where,
        words: 'rows in this state have no meaning any more',
      })),
    ...fresh.states.flatMap((state) => {
      const other = old.states.find(({ name }) => name === state.name);
      const change = (kind: MachineChange['kind'], words: string) => ({ machine, kind, where: state.name, words });
      return [
        ...(other && other.also !== state.also ? [change('state changed', `it says ${state.also || 'no more'}`)] : []),
        ...(other && descriptionOf(other) !== descriptionOf(state)
          ? [change('described differently', descriptionOf(state))]
          : []),
      ];
    }),
  ];
}

function reachChanges(old: Machine, fresh: Machine): MachineChange[] {
  const [before, after] = [reachable(old), reachable(fresh)];
  const change = (kind: 'state newly reachable' | 'state no longer reachable') => (path: string) => {
    const [from, to] = path.split(' → ');
    return {
      machine: fresh.name,
      kind,
      where: path,
      words: `${from} ${kind === 'state newly reachable' ? 'now leads' : 'no longer leads'} to ${to}, in one step or several`,
    };
  };
  return [
    ...[...after].filter((path) => !before.has(path)).map(change('state newly reachable')),
    ...[...before].filter((path) => !after.has(path)).map(change('state no longer reachable')),
  ];
}

/** `from → to`, over any number of arms. */
const reachable = (machine: Machine): ReadonlySet<string> =>
  new Set(
    namesOf(machine).flatMap((from) =>
      [...statesReachableFrom(machine, from)].filter((to) => to !== from).map((to) => `${from} → ${to}`),
    ),
  );

function armChanges(old: Machine, fresh: Machine): MachineChange[] {
  const states = [...new Set([...namesOf(old), ...namesOf(fresh)])];
  return states.flatMap((state) => {
    const arms = [old, fresh].flatMap(({ states }) => states).filter(({ name }) => name === state);
    const events = new Set(arms.flatMap((found) => found.arms.map(({ event }) => event)));
    return [...events].flatMap((event) =>
      changesOfArms(fresh.name, `${state} × ${event}`, armsOf(old, state, event), armsOf(fresh, state, event)),
    );
  });
}

function changesOfArms(machine: string, where: string, before: readonly Arm[], after: readonly Arm[]): MachineChange[] {
  const [old, fresh] = [before.map(wordsOfArm), after.map(wordsOfArm)];
  const change = (kind: MachineChange['kind'], words: string): MachineChange => ({ machine, kind, where, words });
  const kept = fresh.filter((arm) => old.includes(arm));
  const moved = kept.filter((arm, index) => old.filter((other) => fresh.includes(other))[index] !== arm);
  return [
    ...old.filter((arm) => !fresh.includes(arm)).map((arm) => change('arm removed', arm)),
    ...fresh.filter((arm) => !old.includes(arm)).map((arm) => change('arm added', `${arm} (${orderOf(fresh, arm)})`)),
    ...moved.map((arm) => change('arm moved', `${arm} (now ${orderOf(fresh, arm)})`)),
    ...after
      .filter((arm) =>
        before.some((other) => wordsOfArm(other) === wordsOfArm(arm) && descriptionOf(other) !== descriptionOf(arm)),
      )
      .map((arm) => change('described differently', descriptionOf(arm))),
  ];
}

const orderOf = (arms: readonly string[], arm: string) => `asked ${arms.indexOf(arm) + 1} of ${arms.length}`;

/** An arm in words: guard, target and effects, without its description. */
function wordsOfArm({ guard, state, to, effects, also }: Arm): string {
  const parts = [...(to === state ? [] : [`→ ${to}`]), ...effects.map(callWords), ...(also === '' ? [] : [also])];
  return `${guard ?? 'otherwise'}: ${parts.join(', ') || 'nothing happens'}`;
}

const descriptionOf = ({ description, spec }: Pick<Arm, 'description' | 'spec'>): string =>
  [description || 'no description', spec || 'no reference'].join(' · ');
