/** What differs between two versions of a machine, arm by arm. */
import { callWords } from '../machine/calls.ts';
import { statesReachableFrom } from '../machine/reach.ts';
import { type Arm, armsOf, type Machine } from '../machine/read.ts';

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
    ...fresh.states.flatMap((state) => {
      const other = old.states.find(({ name }) => name === state.name);
      const change = (kind: MachineChange['kind'], words: string) => ({ machine, kind, where: state.name, words });
      return [
        ...(other && other.also !== state.also ? [change('state changed', `it says ${state.also || 'no more'}`)] : []),
        ...(other && saidOf(other) !== saidOf(state) ? [change('described differently', saidOf(state))] : []),
      ];
    }),
  ];
}

function reachChanges(old: Machine, fresh: Machine): MachineChange[] {
  const [before, after] = [reachable(old), reachable(fresh)];
  const change = (kind: 'state newly reachable' | 'state no longer reachable') => (one: string) => {
    const [from, to] = one.split(' → ');
    return {
      machine: fresh.name,
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
const reachable = (machine: Machine): ReadonlySet<string> =>
  new Set(
    namesOf(machine).flatMap((from) =>
      [...statesReachableFrom(machine, from)].filter((to) => to !== from).map((to) => `${from} → ${to}`),
    ),
  );

function armChanges(old: Machine, fresh: Machine): MachineChange[] {
  const states = [...new Set([...namesOf(old), ...namesOf(fresh)])];
  return states.flatMap((state) => {
    const arms = [old, fresh].flatMap((one) => one.states).filter(({ name }) => name === state);
    const events = new Set(arms.flatMap((one) => one.arms.map(({ event }) => event)));
    return [...events].flatMap((event) =>
      changesOfArms(fresh.name, `${state} × ${event}`, armsOf(old, state, event), armsOf(fresh, state, event)),
    );
  });
}

function changesOfArms(machine: string, where: string, before: readonly Arm[], after: readonly Arm[]): MachineChange[] {
  const [old, fresh] = [before.map(wordsOfArm), after.map(wordsOfArm)];
  const change = (kind: MachineChange['kind'], words: string): MachineChange => ({ machine, kind, where, words });
  const kept = fresh.filter((one) => old.includes(one));
  const moved = kept.filter((one, index) => old.filter((other) => fresh.includes(other))[index] !== one);
  return [
    ...old.filter((one) => !fresh.includes(one)).map((one) => change('arm removed', one)),
    ...fresh.filter((one) => !old.includes(one)).map((one) => change('arm added', `${one} (${orderOf(fresh, one)})`)),
    ...moved.map((one) => change('arm moved', `${one} (now ${orderOf(fresh, one)})`)),
    ...after
      .filter((arm) => before.some((other) => wordsOfArm(other) === wordsOfArm(arm) && saidOf(other) !== saidOf(arm)))
      .map((arm) => change('described differently', saidOf(arm))),
  ];
}

const orderOf = (arms: readonly string[], arm: string) => `asked ${arms.indexOf(arm) + 1} of ${arms.length}`;

/** Order, guard, target and effects are what an arm does; its description is what is said about it. */
function wordsOfArm({ guard, state, to, effects, also }: Arm): string {
  const parts = [...(to === state ? [] : [`→ ${to}`]), ...effects.map(callWords), ...(also === '' ? [] : [also])];
  return `${guard ?? 'otherwise'}: ${parts.join(', ') || 'nothing happens'}`;
}

const saidOf = ({ description, spec }: Pick<Arm, 'description' | 'spec'>): string =>
  [description || 'no description', spec || 'no reference'].join(' · ');
