/** Bytes in Drizzle: the same on both drivers. */

import { pgTable, text } from 'drizzle-orm/pg-core';
import { expect, test } from 'vitest';
import { bytes } from '../../../src/lifecycles/columns.ts';
import { columnNames } from '../../../src/storage/columns.ts';

const table = pgTable('any', { idHash: bytes('id_hash'), note: text('note') });

test('the names of columns are found by the properties of the table, in order', () => {
  expect([...columnNames(table)]).toEqual([
    ['idHash', 'id_hash'],
    ['note', 'note'],
  ]);
});

test('bytes are bytea', () => {
  expect(table.idHash.getSQLType()).toBe('bytea');
});

test('bytes are those of their own part of the memory, and no others', () => {
  const memory = Uint8Array.from([1, 2, 3, 4, 5]);
  const part = memory.subarray(1, 3);
  const read = table.idHash.mapFromDriverValue(part);
  expect(read).toBeInstanceOf(Buffer);
  expect([...(read as Buffer)]).toEqual([2, 3]);
  expect(table.idHash.mapToDriverValue(Buffer.from(part))).toEqual(Buffer.from([2, 3]));
});
