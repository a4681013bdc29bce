/** Lists of the management API, page by page. */
import type { Page, PageRequest } from '../../storage/page.ts';
import { MAX_PAGE_ITEMS } from '../../storage/page-size.ts';
import { noSuch } from '../failure.ts';
import type { Document, ManagementApi } from './api.ts';

type Query = Readonly<Record<string, string>>;

export const pagesOf =
  (api: ManagementApi, path: readonly string[], query: Query = {}) =>
  async ({ limit, after }: PageRequest<string>): Promise<Page<Document, string>> => {
    const page = { ...query, limit: String(limit), ...(after !== null && { cursor: after }) };
    const { document } = await api.send('GET', path, { query: page });
    // Of the link only the cursor is used: its address is that of the issuer, which may not be the way to this server.
    const next: string | undefined = document._links?.next?.href;
    return { items: document.items, next: next === undefined ? null : new URL(next).searchParams.get('cursor') };
  };

/** Every item of a list. */
export async function allOf(api: ManagementApi, path: readonly string[]): Promise<readonly Document[]> {
  const items: Document[] = [];
  const read = pagesOf(api, path);
  for (let after: string | null = null, isLast = false; !isLast; isLast = after === null) {
    const page: Page<Document, string> = await read({ limit: MAX_PAGE_ITEMS, after });
    items.push(...page.items);
    after = page.next;
  }
  return items;
}

/** @returns the end-user as the API shows them; null: nobody has this username. */
export async function userNamed(api: ManagementApi, username: string): Promise<Document | null> {
  // Nobody has such a username, and the API takes none.
  if (username.trim() === '' || username.includes('\0')) return null;
  const { document } = await api.send('GET', ['users'], { query: { username } });
  return document.items[0] ?? null;
}

/** @throws CommandRefused when nobody has this username. */
export async function subOf(api: ManagementApi, username: string): Promise<string> {
  const user = await userNamed(api, username);
  if (user === null) throw noSuch('user', username);
  return user.sub;
}
