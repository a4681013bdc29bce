/** Which rooms are measured. */
import { globSync, readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { isMutated, notMutated, rooms } from '../../mutants/rooms.ts';

const roomsOfSource = readdirSync('src', { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

it('measures every folder of src, or explains the exception', () => {
  expect(roomsOfSource.filter((room) => !(room in rooms) && !(room in notMutated))).toEqual([]);
  expect(Object.keys(notMutated).filter((room) => room in rooms || !roomsOfSource.includes(room))).toEqual([]);
});

it.each(Object.entries(rooms))('the folder %s has a mutated file and a test for it', (name, room) => {
  const folder = roomsOfSource.includes(name) ? `src/${name}` : name;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`);
  expect(files.filter((file) => isMutated(room, file))).not.toEqual([]);
  for (const tests of room.tests) expect(globSync(tests), tests).not.toEqual([]);
});
