/**
 * A set whose members come and go with each request. A `Set` or `Map` would keep them: V8 gives it a new table every
 * few additions, and each table refers to the next one. Once a table is old, all members of later tables stay in memory
 * until the next full garbage collection (docs/performance.md).
 */
export type Member = {
  /** Only `passingMembers` sets it. Null: it is no member. */
  place: number | null;
};

export type PassingMembers<T extends Member> = {
  readonly size: () => number;
  readonly add: (member: T) => void;
  /** @returns whether it was a member. */
  readonly remove: (member: T) => boolean;
  /** In no particular order. */
  readonly all: () => readonly T[];
};

export function passingMembers<T extends Member>(): PassingMembers<T> {
  const members: T[] = [];
  return {
    size: () => members.length,
    add: (member) => {
      if (member.place === null) member.place = members.push(member) - 1;
    },
    remove: (member) => {
      const { place } = member;
      if (place === null) return false;
      member.place = null;
      const last = members.pop();
      if (last === undefined || last === member) return true;
      members[place] = last;
      last.place = place;
      return true;
    },
    all: () => members.slice(),
  };
}
