/** Searches for rows by parts of their names, by an index of trigrams. */
import { and, type SQL, sql } from 'drizzle-orm';
import { folded } from '../lifecycles/search-text.ts';

export type Search = {
  /** Whether the text has every word of the query, in any order. Case and accents make no difference. */
  readonly matches: (text: SQL) => SQL | undefined;
  /** Whether the index finds the rows. It has each beginning of a word, and each part of three letters or digits. */
  readonly isIndexed: boolean;
};

const INDEXED = /[\p{L}\p{N}]{3}/u;
const BEGINNING = /^[\p{L}\p{N}]{1,2}$/u;

/** @param query a word of one or two letters is the beginning of a word; a longer one is any part. */
export function searchFor(query: string): Search {
  // Each word once: the database folds the text of a row for each.
  const words = [...new Set(query.split(/\s+/u).filter((word) => word !== ''))];
  return {
    matches: (text) => and(...words.map((word) => sql`${text} like ${patternOf(word)}`)),
    isIndexed: words.some((word) => INDEXED.test(word) || BEGINNING.test(word)),
  };
}

const patternOf = (word: string): SQL => sql`${BEGINNING.test(word) ? '% ' : '%'} || ${literal(word)} || '%'`;

/** No letter of it is a pattern. */
const literal = (word: string): SQL => sql`regexp_replace(${folded(sql`${word}::text`)}, '([\\\\%_])', '\\\\\\1', 'g')`;
