/** The list of the machines that run is whole. */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MACHINES, RUNNING } from '../../../src/catalogue/running.ts';
import { kebab } from '../../../src/review/drawing/names.ts';

test('every machine is listed under its id', () => {
  expect(Object.entries(RUNNING).map(([name, { machine }]) => [name, machine.id])).toEqual(
    Object.keys(RUNNING).map((name) => [name, name]),
  );
  expect([...MACHINES].map(([name, machine]) => [name, machine.name])).toEqual(
    Object.keys(RUNNING).map((name) => [name, name]),
  );
});

test('every file of a machine is of a machine in the list', () => {
  const files = readdirSync(new URL('../../../machines', import.meta.url)).filter((file) =>
    file.endsWith('.machine.ts'),
  );
  expect(files.sort()).toEqual([...MACHINES.keys()].map((name) => `${kebab(name)}.machine.ts`).sort());
});
