/** A set without a hash table, for members that come and go with each request. */
import { expect, it } from 'vitest';
import { passingMembers } from '../../../src/http/passing-members.ts';

const member = (name: string) => ({ name, place: null as number | null });

it('has the members that were added and not removed, each once', () => {
  const members = passingMembers<ReturnType<typeof member>>();
  const [a, b, c] = ['a', 'b', 'c'].map(member) as [
    ReturnType<typeof member>,
    ReturnType<typeof member>,
    ReturnType<typeof member>,
  ];
  for (const one of [a, b, b, c]) members.add(one);
  expect(members.size()).toBe(3);
  expect(members.remove(a)).toBe(true);
  expect(members.remove(a)).toBe(false);
  expect(
    members
      .all()
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(['b', 'c']);
  members.add(a);
  for (const one of [c, b, a]) expect(members.remove(one)).toBe(true);
  expect(members.size()).toBe(0);
  expect(members.all()).toEqual([]);
});
