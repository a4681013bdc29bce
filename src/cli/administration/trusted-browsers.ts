/** Trusted browsers of an end-user, through the management API. */
import type { Item } from '../../management/client/documents.ts';
import type { ManagementApi } from './api.ts';
import { subOf } from './lists.ts';
import { mustExist } from './refusals.ts';

export type TrustedBrowser = Item<'/users/{sub}/trusted-browsers'>;

/** Each throws CommandRefused for an end-user or a browser that is not there. */
export function trustedBrowsersAt(api: ManagementApi) {
  const list = async (username: string): Promise<readonly TrustedBrowser[]> => {
    const params = { sub: await subOf(api, username) };
    return (await api.send('GET', '/users/{sub}/trusted-browsers', { params })).value.items;
  };
  return {
    /** Newest first. */
    list,
    /** @param id null: each. @returns how many stood before, and have ended. */
    end: async (username: string, id: string | null): Promise<number> => {
      const sub = await subOf(api, username);
      const before = await list(username);
      if (id === null) await api.send('DELETE', '/users/{sub}/trusted-browsers', { params: { sub } });
      else {
        const params = { sub, trust_id: id };
        const path = '/users/{sub}/trusted-browsers/{trust_id}';
        await mustExist('trusted browser', id, api.send('DELETE', path, { params }));
      }
      return before.filter((one) => id === null || one.id === id).length;
    },
  };
}
