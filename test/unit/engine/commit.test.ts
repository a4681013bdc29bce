import { describe, expect, test } from 'vitest';
import { insert, only, replacement, rowsOf, tableOf, update } from '../../../src/engine/commit.ts';

type Lamp = { readonly id: string; readonly room: string; readonly state: string; readonly litAt: Date | null };
const lamps = tableOf<Lamp>('lamps');
const dark: Lamp = { id: 'l1', room: 'hall', state: 'dark', litAt: null };
const litAt = new Date(0);

test('a table has its name', () => {
  expect(lamps).toEqual({ name: 'lamps' });
});

describe('an update', () => {
  test('sets the columns that differ, of the row with the same id', () => {
    expect(update(lamps, dark, { ...dark, state: 'bright', litAt }, ['state'])).toEqual({
      kind: 'update',
      table: 'lamps',
      loaded: dark,
      key: ['id'],
      expect: ['state'],
      set: { state: 'bright', litAt },
      unlike: [],
    });
  });

  test('has the key and the exclusions of its caller', () => {
    expect(update(lamps, dark, dark, [], { key: 'room', unlike: [{ state: 'bright' }] })).toMatchObject({
      key: ['room'],
      set: {},
      unlike: [{ state: 'bright' }],
    });
  });
});

test('a replacement sets every column but the key and those that it expects', () => {
  expect(replacement(lamps, dark, { ...dark, litAt }, 'id', ['state'])).toEqual({
    kind: 'update',
    table: 'lamps',
    loaded: dark,
    key: ['id'],
    expect: ['state'],
    set: { room: 'hall', litAt },
    unlike: [],
  });
});

test('an insert has the row and its exclusions', () => {
  expect(insert(lamps, dark, [{ room: 'hall' }])).toEqual({
    kind: 'insert',
    table: 'lamps',
    row: dark,
    unlike: [{ room: 'hall' }],
  });
});

test('a part of a row has these columns alone', () => {
  expect(only(dark, ['room', 'litAt'])).toEqual({ room: 'hall', litAt: null });
});

describe('a selection', () => {
  test('has no members beside its values', () => {
    expect(rowsOf(lamps, { room: 'hall' })).toEqual({ table: 'lamps', where: { room: 'hall' } });
    expect(Object.keys(rowsOf(lamps, { room: 'hall' }))).toEqual(['table', 'where']);
  });

  test('has what it excludes, and the instants after which its rows are', () => {
    expect(rowsOf(lamps, { room: 'hall' }, { not: { id: 'l1' }, later: { litAt } })).toEqual({
      table: 'lamps',
      where: { room: 'hall' },
      not: { id: 'l1' },
      later: { litAt },
    });
  });
});
