/**
 * The rules that Postgres enforces for the rows of a table, as data: one rule is one trigger (src/review/sql/). States and reasons come
 * from the machine, and columns from their roles, so a table says only which columns belong to which move.
 */
import type { Machine } from '../catalogue/read.ts';
import { endedStatesOf, type Move, movesOf, pairsOf, statesAfter } from './moves.ts';

/**
 * How a column may change after the row has begun; a table defines each role. A column without a role never changes (`bound`), but for
 * the MAC and its version.
 */
export type Role =
  | 'state'
  | 'end'
  | 'head'
  | 'use'
  | 'user'
  | 'instant'
  | 'asked'
  | 'secret'
  | 'factor'
  | 'registration'
  | 'record'
  | 'epoch'
  | 'allowed'
  | 'answer'
  | 'name'
  | 'attempt'
  | 'due';

export type Rule = {
  readonly table: string;
  /** The name of the trigger, and the `constraint` of the error. */
  readonly name: string;
  /** An UPDATE that sets none of the listed columns does not run the trigger. */
  readonly on: { readonly update: readonly string[] } | 'insert' | 'delete' | 'update or delete' | 'truncate';
  /** SQL over OLD and NEW; refused when any of them is true. Empty: always refused. */
  readonly when: readonly string[];
  /** A precondition: where it is false, nothing is refused. */
  readonly only?: string;
  /** The message of the error. Contains no value of the row. */
  readonly says: string;
};

/** A table as its rules see it. */
export type Held = {
  readonly table: string;
  readonly machine: Machine;
  readonly moves: readonly Move[];
  /** The columns with this role, by the names of Postgres; `bound`: those without one. */
  readonly columns: (role: Role | 'bound') => readonly string[];
};
/** Null: the machine leaves nothing to refuse. */
export type MakesRule = (held: Held) => Rule | null;

/** @param when SQL over OLD and NEW; refused when any of them is true. */
export const refuses =
  (
    name: string,
    on: Rule['on'] | ((held: Held) => Rule['on']),
    says: string,
    when: readonly string[] | ((held: Held) => readonly string[]) = [],
    only?: string,
  ): MakesRule =>
  (held) => ({
    table: held.table,
    name: `${held.table}_${name}`,
    on: typeof on === 'function' ? on(held) : on,
    when: typeof when === 'function' ? when(held) : when,
    ...(only !== undefined && { only }),
    says,
  });

/** A row begins in the first state. @param unless further SQL over NEW that is refused */
export const beginsFirst = (says: string, ...unless: readonly string[]): MakesRule =>
  refuses('begins_with_its_machine', 'insert', says, ({ machine }) => [
    `NEW.state <> ${quoted(machine.initial)}`,
    ...unless,
  ]);

/** In the first state nothing is stored: a row begins in a state that is one move away. */
export const beginsMoved = (says: string, ...unless: readonly string[]): MakesRule =>
  refuses('begins_with_its_machine', 'insert', says, ({ machine, moves }) => [
    `NOT ${oneOf('NEW.state', statesAfter(machine.initial, moves))}`,
    ...unless,
  ]);

/** Columns without a role never change. */
export const keeps = (name: string, says: string): MakesRule =>
  refuses(
    name,
    ({ columns }) => ({ update: columns('bound') }),
    says,
    ({ columns }) => [changed(columns('bound'))],
  );

type Pair = ReturnType<typeof pairsOf>[number];

/** @param machine in words */
export const movesWithMachine = (
  machine: string,
  pairs: (held: Held) => readonly Pair[] = ({ moves }) => pairsOf(moves, ''),
): MakesRule =>
  refuses('moves_with_its_machine', { update: ['state'] }, `no arm of the ${machine} machine leads there`, (held) => [
    leavesThe(pairs(held)),
  ]);

export type Ending = {
  /** The effect that writes the reason. */
  readonly by: string;
  /** The column of the reason. */
  readonly reason: string;
};

/** Moves that end a row write one of the reasons of their arms. */
export const wrongReasons = ({ moves }: Held, { by, reason }: Ending): readonly string[] =>
  pairsOf(moves, by)
    .filter(({ reasons }) => reasons.length > 0)
    .map((pair) => `${along(pair)} AND NOT coalesce(${oneOf(`NEW.${reason}`, pair.reasons)}, false)`);

/** The columns of an end change with the state alone, and the reason is one that the machine writes. */
export const endsWithReason = (name: string, columns: readonly string[], ending: Ending, says: string): MakesRule =>
  refuses(name, { update: columns }, says, (held) => [
    `NEW.state = OLD.state AND ${changed(columns.filter((column) => column !== 'state'))}`,
    ...wrongReasons(held, ending),
  ]);

/** The columns of an answer change with this effect alone. */
export const isAnsweredBy = (name: string, effect: string, says: string): MakesRule =>
  refuses(
    name,
    ({ columns }) => ({ update: columns('answer') }),
    says,
    ({ columns, moves }) => {
      const answering = moves.filter(({ effects }) => effects.some(({ name }) => name === effect));
      const moments = pairsOf(answering, '').map(along).join(' OR ') || 'FALSE';
      return [`${changed(columns('answer'))} AND NOT (${moments})`];
    },
  );

export const staysUntil = (name: string, says: string, when: readonly string[] | ((held: Held) => readonly string[])) =>
  refuses(name, 'delete', says, when);
export const stays = (says: string): MakesRule => refuses('stays', 'delete', says);
export const isNotEmptied = (says: string): MakesRule => refuses('is_not_emptied', 'truncate', says);

/** An epoch that went back would revive grants. */
export const epochRises = refuses('epoch_rises', { update: ['epoch'] }, 'an epoch only rises', [
  'NEW.epoch < OLD.epoch',
]);

// Building blocks of SQL.

/** @throws Error for a word with a quote or another special character; machines and tables have none. */
export function quoted(word: string): string {
  if (!/^[\w ,.;:()-]*$/.test(word)) throw new Error(`not a word for SQL: ${word}`);
  return `'${word}'`;
}

export const oneOf = (column: string, words: readonly string[]): string =>
  words.length === 0 ? 'false' : `(${column} IN (${words.map(quoted).join(', ')}))`;

export const hasEnded = ({ machine }: Held): string => oneOf('OLD.state', endedStatesOf(machine));

export function changed(columns: readonly string[]): string {
  const row = (side: string) => columns.map((column) => `${side}.${column}`).join(', ');
  return columns.length === 1
    ? `(${row('NEW')} IS DISTINCT FROM ${row('OLD')})`
    : `((${row('NEW')}) IS DISTINCT FROM (${row('OLD')}))`;
}

export const along = ({ from, to }: Pick<Pair, 'from' | 'to'>): string =>
  `OLD.state = ${quoted(from)} AND NEW.state = ${quoted(to)}`;

/** The state changes, but not along one of these pairs. */
function leavesThe(pairs: readonly Pair[]): string {
  const allowed = pairs.map((pair) => `(${along(pair)})`);
  return `NEW.state <> OLD.state AND NOT (${allowed.length > 0 ? allowed.join(' OR ') : 'false'})`;
}

/** For derived states: each of them as an expression in SQL, over OLD or NEW. */
export type Derived = Readonly<Record<string, (row: string) => string>>;

/** No row begins in a state that no arm leads to from the first, in which nothing is stored. */
export const beginsDerived = (says: string, states: Derived): MakesRule =>
  refuses('begins_with_its_machine', 'insert', says, ({ machine, moves }) => {
    const first = statesAfter(machine.initial, moves);
    return Object.keys(states).flatMap((state) => (first.includes(state) ? [] : [states[state]?.('NEW') ?? 'true']));
  });

/** Each change from one state to another that no arm makes is refused. @param columns that the states derive from */
export const movesDerived =
  (machine: string, columns: readonly string[], states: Derived): MakesRule =>
  (held) => {
    const all = Object.keys(states).flatMap((from) => Object.keys(states).map((to) => ({ from, to })));
    const jumps = all
      .filter(({ from, to }) => from !== to && !held.moves.some((move) => move.from === from && move.to === to))
      .map(({ from, to }) => `${states[from]?.('OLD')} AND ${states[to]?.('NEW')}`);
    const says = `no arm of the ${machine} machine leads there`;
    return jumps.length === 0 ? null : refuses('moves_with_its_machine', { update: columns }, says, jumps)(held);
  };

export const heldOf = (table: string, machine: Machine, columns: Held['columns']): Held => ({
  table,
  machine,
  moves: movesOf(machine),
  columns,
});
