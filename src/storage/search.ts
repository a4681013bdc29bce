/** Searches for rows by parts of their names, by an index of trigrams. */
import { and, type SQL, sql } from 'drizzle-orm';
import { folded } from '../lifecycles/search-text.ts';

export type Search = {
  /** Whether the text has every word of the query, in any order. Case and accents make no difference. */
  readonly matches: (text: SQL) => SQL | undefined;
  /** Whether the index finds the rows. It has each beginning of a word, and each part of three letters or digits. */
  readonly isIndexed: boolean;
};

/** The database folds the text of a row for each word. */
export const MAX_WORDS = 10;

/** Each word once, without the marks of a pasted address: `"Lovelace, Ada" <ada@example.com>`. */
export function wordsOf(query: string): readonly string[] {
  const typed = query.split(/\s+/u).filter((word) => word !== '');
  const words = typed.map((word) => word.replace(MARKS, '')).filter((word) => word !== '');
  return [...new Set(words.length === 0 ? typed : words)];
}
const MARKS = /^["'<(]+|["'>),;]+$/gu;

const INDEXED = /[\p{L}\p{N}]{3}/u;
const BEGINNING = /^[\p{L}\p{N}]{1,2}$/u;

/** @param query a word of one or two letters is the beginning of a word; a longer one is any part. */
export function searchFor(query: string): Search {
  const words = wordsOf(query);
  return {
    matches: (text) => and(...words.map((word) => sql`${text} like ${patternOf(word)}`)),
    isIndexed: words.some((word) => INDEXED.test(word) || BEGINNING.test(word)),
  };
}

const patternOf = (word: string): SQL => sql`${BEGINNING.test(word) ? '% ' : '%'} || ${literal(word)} || '%'`;

/** No letter of it is a pattern. */
const literal = (word: string): SQL => sql`regexp_replace(${folded(sql`${word}::text`)}, '([\\\\%_])', '\\\\\\1', 'g')`;

/** The condition of a query on a text, for a list: by the index, or row by row. */
export function searchIn(text: SQL, query: string | undefined): { readonly indexed?: SQL; readonly searched?: SQL } {
  if (query === undefined) return {};
  const { matches, isIndexed } = searchFor(query);
  const condition = matches(text);
  if (condition === undefined) return {};
  return isIndexed ? { indexed: condition } : { searched: condition };
}
