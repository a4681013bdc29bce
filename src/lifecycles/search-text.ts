import { type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';

type Text = SQL | AnyPgColumn;

/** In lower case, and without the accents of Latin, Greek and Cyrillic letters. */
export const folded = (text: Text): SQL =>
  sql`lower(regexp_replace(normalize(${text}, NFKD), '[\\u0300-\\u036f]', '', 'g'))`;

/** The text that a search reads: each part behind a space. An index of trigrams has the same expression. */
export const searchText = (parts: readonly Text[]): SQL =>
  folded(
    sql`(${sql.join(
      parts.map((part) => sql`' ' || coalesce(${part}, '')`),
      sql` || `,
    )})`,
  );

/** For an index of the kind GIN. The extension pg_trgm has it. */
export const trigrams = (text: SQL): SQL => sql`(${text}) gin_trgm_ops`;
