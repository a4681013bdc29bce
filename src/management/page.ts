/** Lists in pages: a bounded number of items, and an opaque cursor to the next ones. */
import { z } from 'zod';
import { BASE64URL, base64urlDecode } from '../crypto/base64url.ts';
import { isStorable, jsonIn } from '../oauth/sent-text.ts';
import type { Place } from '../storage/keyed-page.ts';
import { MAX_PAGE_ITEMS, type Page, type PageRequest } from '../storage/page.ts';
import { type Problem, problem } from './problem.ts';
import { type Answer, found } from './resource.ts';

const MAX_ITEMS = MAX_PAGE_ITEMS;

/** Of a name in a list: 256 characters, each of which has up to 18 in the key of the name (NFKC of U+FDFA). */
const MAX_KEY_CHARACTERS = 256 * 18;
/** Base64url of that key, whose characters have 33 bytes for each of the name. */
const MAX_CURSOR_CHARACTERS = 12_288;

/** In the query of every list. */
export const pageQuery = {
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_ITEMS)
    .default(50)
    .describe(`The maximum number of items, 1 to ${MAX_ITEMS}.`),
  cursor: z
    .string()
    .max(MAX_CURSOR_CHARACTERS)
    .regex(BASE64URL)
    .optional()
    .describe('The cursor in `next` of the previous page. It stays valid when items are added.'),
};

/** Of an item, so that it can be changed without reading it alone. */
export const etag = z.string().describe('The `ETag` of the item by itself, for `If-Match`.');

export const link = z.object({ href: z.string().meta({ format: 'uri' }) }).meta({ id: 'Link' });
export const selfLink = z.object({ self: link });

/** The shape of a list. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    _links: z.object({ self: link, next: link.optional().describe('Absent: this is the last page.') }),
  });

/** The shape of a list whose items the server counts where that is cheap: few, or found by an index. */
export const countedPageOf = <Item extends z.ZodType>(item: Item) =>
  pageOf(item).extend({
    total: z
      .int()
      .optional()
      .describe('The number of all items of the list, on all its pages. Absent: the server has not counted them.'),
  });

/** How a search compares. */
export const WORDS_OF_A_SEARCH =
  'each word of it, in any order; case and accents make no difference. A word of one or two letters is the beginning of a word, a longer one any part.';

/** A position in a list, as storage knows it, as text that callers hand back. */
export const cursorText = (position: unknown): string => Buffer.from(JSON.stringify(position)).toString('base64url');

/** With microseconds. Postgres has no year 0000. */
export const exactInstant = z.iso.datetime({ precision: 6 }).refine((text) => !text.startsWith('0000'));

/** A place in a list that is sorted by an instant. */
export const instantPosition = z.strictObject({ at: exactInstant, id: z.uuid() });

/** A place in a list that is sorted by a name. */
export const keyPosition = z.string().max(MAX_KEY_CHARACTERS).refine(isStorable);

/** A place in a list that is sorted by one unique text. Its cursor is the text itself; empty: before the first. */
export const placeOfKey = keyPosition.transform((key): Place => (key === '' ? [] : [key]));
export const keyOfPlace = (place: Place | null): string | null => place && (place[0] ?? '');

/** Of a list that is sorted by several columns. */
export const placeOf = (...columns: readonly [z.ZodType<string>, z.ZodType<string>]): z.ZodType<Place> =>
  z.union([z.tuple([]), z.tuple([columns[0], columns[1]])]);

/** @returns a problem for a cursor that is not of this list. */
function positionIn<Position>(
  schema: z.ZodType<Position>,
  cursor: string | undefined,
): { readonly kind: 'at'; readonly position: Position | null } | Problem {
  if (cursor === undefined) return { kind: 'at', position: null };
  const read = schema.safeParse(cursorValue(cursor));
  if (read.success) return { kind: 'at', position: read.data };
  return problem('invalid_parameter', 'Nothing was read. See "errors".', [
    { field: 'cursor', detail: 'Expected the cursor of a link "next" of this list.' },
  ]);
}

/** @param position the shape of a place in this list. @param href the address of this list, with its query. */
export async function listAnswer<Position>(
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  position: z.ZodType<Position>,
  href: string,
  read: (request: PageRequest<Position>) => Promise<Page<object, unknown>>,
): Promise<Answer> {
  const at = positionIn(position, cursor);
  return at.kind === 'problem' ? at : found(pageBody(await read({ limit, after: at.position }), href));
}

export const cursorValue = (cursor: string): unknown => jsonIn(base64urlDecode(cursor)?.toString() ?? '');

/** @param self the address of this list, with the query as it was sent. */
export function pageBody({ items, next, total }: Page<object, unknown>, self: string): object {
  return {
    items,
    ...(total !== undefined && { total }),
    _links: {
      self: { href: self },
      ...(next !== null && { next: { href: withCursor(self, cursorText(next)) } }),
    },
  };
}

function withCursor(href: string, cursor: string): string {
  const url = new URL(href);
  url.searchParams.set('cursor', cursor);
  return url.href;
}
