/** The options that lists share, and their pages one after another. */
import { InvalidArgumentError, Option } from 'commander';
import type { Page } from '../storage/page.ts';
import { MAX_PAGE_ITEMS } from '../storage/page-size.ts';

const MAX_LISTED = 10_000;

export const limitOption = () =>
  new Option('--limit <number>', `how many at most, up to ${MAX_LISTED}`).argParser(limitFrom).default(100);

function limitFrom(text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_LISTED) throw new InvalidArgumentError(`Expected a number from 1 to ${MAX_LISTED}.`);
  return limit;
}

const INSTANT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;

/** RFC 3339, or a date, which begins at midnight UTC. */
export function instantFrom(text: string): Date {
  const instant = new Date(INSTANT.test(text) ? text : Number.NaN);
  if (Number.isNaN(instant.getTime()))
    throw new InvalidArgumentError('Expected an instant such as 2026-01-31 or 2026-01-31T12:00:00Z.');
  return instant;
}

/** @param read the page behind a position. @returns `more`: there are more than `limit`. */
export async function itemsUpTo<Item, Position>(
  limit: number,
  read: (page: { readonly limit: number; readonly after: Position | null }) => Promise<Page<Item, Position>>,
): Promise<{ readonly items: readonly Item[]; readonly more: boolean }> {
  const items: Item[] = [];
  let after: Position | null = null;
  while (items.length <= limit) {
    const page: Page<Item, Position> = await read({ limit: Math.min(limit + 1 - items.length, MAX_PAGE_ITEMS), after });
    items.push(...page.items);
    after = page.next;
    if (after === null) break;
  }
  return { items: items.slice(0, limit), more: items.length > limit };
}

export const moreLine = (more: boolean, limit: number): string =>
  more ? `Only the newest ${limit} are listed; --limit lists more.\n` : '';
