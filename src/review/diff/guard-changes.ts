/** Guards whose body changed although every arm stayed: an arm names its guard, and only the body has its condition. */
import type { MachineChange } from './machine-changes.ts';
import type { Side } from './sides.ts';

type Bodies = ReadonlyMap<string, string>;

export function guardChanges(before: Side, after: Side): MachineChange[] {
  const ofMachines = after.machines.flatMap((machine) => {
    const old = before.machines.find(({ id }) => id === machine.id);
    return old
      ? changed(machine.id, bodiesOf(old.implementations.guards), bodiesOf(machine.implementations.guards))
      : [];
  });
  // A predicate that several guards share concerns each of their machines.
  const shared = changed('', bodiesOf(before.sharedPredicates), bodiesOf(after.sharedPredicates));
  return [
    ...ofMachines,
    ...after.machines.flatMap((machine) => {
      const bodies = [...bodiesOf(machine.implementations.guards).values()];
      return shared
        .filter(({ where }) => isAsked(where, bodies, bodiesOf(after.sharedPredicates)))
        .map((change) => ({ ...change, machine: machine.id }));
    }),
  ];
}

/** A guard that only one side has is asked by an arm that only this side has. */
const changed = (machine: string, before: Bodies, after: Bodies): MachineChange[] =>
  [...after]
    .filter(([name, body]) => before.has(name) && before.get(name) !== body)
    .map(([where, body]) => ({ machine, kind: 'guard changed', where, words: `it asks ${body}` }));

/** By one of these bodies, or by a shared predicate that one of them asks. */
function isAsked(name: string, bodies: readonly string[], shared: Bodies): boolean {
  const names = new RegExp(`\\b${name}\\b`);
  return bodies.some(
    (body) =>
      names.test(body) ||
      [...shared].some(
        ([other, asked]) =>
          other !== name && new RegExp(`\\b${other}\\b`).test(body) && isAsked(name, [asked], without(shared, other)),
      ),
  );
}

const without = (bodies: Bodies, name: string): Bodies => new Map([...bodies].filter(([other]) => other !== name));

const bodiesOf = (values: Readonly<Record<string, unknown>>): Bodies =>
  new Map(Object.entries(values).map(([name, value]) => [name, bodyOf(value)]));

/** Node runs the source as it is written, so a function says its own text; types are blanks. */
const bodyOf = (value: unknown): string =>
  (typeof value === 'function' ? String(value) : JSON.stringify(value)).replaceAll(/\s+/g, ' ');
