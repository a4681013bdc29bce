/** The conditions of a search, which the database evaluates for each row. */
import { sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import { expect, it } from 'vitest';
import { searchFor, wordsOf } from '../../../src/storage/search.ts';

it('has one condition for a word that the query repeats', () => {
  const condition = searchFor('a ada a  ada\ta').matches(sql`text`);
  expect(condition && new PgDialect().sqlToQuery(condition).params).toEqual(['% ', 'a', '%', 'ada']);
});

it.each([
  ['"Lovelace, Ada" <ada@example.com>', ['Lovelace', 'Ada', 'ada@example.com']],
  ['ada@example.com;', ['ada@example.com']],
  ["(Ada) O'Brien-Lovelace", ['Ada', "O'Brien-Lovelace"]],
  ['Lovelace , Ada', ['Lovelace', 'Ada']],
  ['<>', ['<>']],
  [' ', []],
])('finds %j by its words, without the marks around them', (query, words) => {
  expect(wordsOf(query)).toEqual(words);
});
