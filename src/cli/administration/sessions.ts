/** Sessions, through the management API. */
import type { Item } from '../../management/client/documents.ts';
import { itemsUpTo } from '../pages.ts';
import type { ManagementApi } from './api.ts';
import { pagesOf, subOf } from './lists.ts';
import { mustExist } from './refusals.ts';

export type Session = Item<'/sessions'>;
export type SessionFilter = { readonly user?: string; readonly state?: Session['state'] };

/** Each throws CommandRefused for an end-user or a session that is not there. */
export function sessionsAt(api: ManagementApi) {
  const find = async (sid: string): Promise<Session> =>
    (await mustExist('session', sid, api.send('GET', '/sessions/{sid}', { params: { sid } }))).value;
  return {
    /** Newest first. */
    list: async ({ user, state }: SessionFilter, limit: number) => {
      const sub = user === undefined ? undefined : await subOf(api, user);
      return itemsUpTo(
        limit,
        pagesOf((page) => api.send('GET', '/sessions', { query: { sub, state, ...page } })),
      );
    },
    /** `hasEnded`: by this; false: it had ended already. */
    end: async (sid: string) => {
      const before = await find(sid);
      await api.send('DELETE', '/sessions/{sid}', { params: { sid } });
      return { hasEnded: before.reason === null && (await find(sid)).reason !== null, username: before.username };
    },
  };
}
