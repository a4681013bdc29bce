/** The list of the machines that run is whole. */
import { globSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { expect, test } from 'vitest';
import { RUNNING } from '../../../machines/running.ts';
import { MACHINES } from '../../../src/catalogue/running.ts';
import { kebab } from '../../../src/review/drawing/names.ts';

test('every machine is listed under its id', () => {
  expect(Object.entries(RUNNING).map(([name, { id }]) => [name, id])).toEqual(
    Object.keys(RUNNING).map((name) => [name, name]),
  );
  expect([...MACHINES].map(([name, machine]) => [name, machine.name])).toEqual(
    Object.keys(RUNNING).map((name) => [name, name]),
  );
});

test('every folder with a machine belongs to a machine in the list', () => {
  const folders = globSync('machines/*/machine.ts').map((path) => basename(dirname(path)));
  expect(folders.sort()).toEqual([...MACHINES.keys()].map(kebab).sort());
});
