/** Lists of the management API, page by page. */
import { type List, type Page, pageIn } from '../../management/client/client.ts';
import type { Item } from '../../management/client/documents.ts';
import { isStorable } from '../../oauth/sent-text.ts';
import { MAX_USERNAME_CHARACTERS } from '../../oauth/username.ts';
import { MAX_PAGE_ITEMS } from '../../storage/page-size.ts';
import { noSuch } from '../failure.ts';
import type { Answered, ManagementApi } from './api.ts';

type Place = { readonly limit: number; readonly cursor: string | undefined };
type PageRequest = { readonly limit: number; readonly after: string | null };

/** @param read one page. */
export const pagesOf =
  <One>(read: (place: Place) => Promise<Answered<List<One>>>) =>
  async ({ limit, after }: PageRequest): Promise<Page<One>> =>
    pageIn((await read({ limit, cursor: after ?? undefined })).value);

/** Every item of a list. */
export async function allOf<One>(read: (place: Place) => Promise<Answered<List<One>>>): Promise<readonly One[]> {
  const items: One[] = [];
  const pages = pagesOf(read);
  for (let after: string | null = null, isLast = false; !isLast; isLast = after === null) {
    const page: Page<One> = await pages({ limit: MAX_PAGE_ITEMS, after });
    items.push(...page.items);
    after = page.next;
  }
  return items;
}

/** @returns null: no end-user has this username. */
export async function userNamed(api: ManagementApi, username: string): Promise<Item<'/users'> | null> {
  // The API rejects such a username, so no end-user has it.
  const isNone = username.trim() === '' || username.length > MAX_USERNAME_CHARACTERS;
  if (isNone || !isStorable(username)) return null;
  const { value } = await api.send('GET', '/users', { query: { username } });
  return value.items[0] ?? null;
}

/** @throws CommandRefused when no end-user has this username. */
export async function subOf(api: ManagementApi, username: string): Promise<string> {
  const user = await userNamed(api, username);
  if (user === null) throw noSuch('user', username);
  return user.sub;
}
