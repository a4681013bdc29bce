/** Grants, through the management API. */
import type { Item } from '../../management/client/documents.ts';
import { itemsUpTo } from '../pages.ts';
import type { ManagementApi } from './api.ts';
import { pagesOf, subOf } from './lists.ts';
import { mustExist } from './refusals.ts';

export type Grant = Item<'/grants'>;

export type GrantFilter = {
  readonly client?: string;
  readonly user?: string;
  readonly state?: Grant['state'];
  readonly from?: Date;
  readonly to?: Date;
};

/** Each throws CommandRefused for a client, an end-user or a grant that is not there. */
export function grantsAt(api: ManagementApi) {
  const find = async (id: string): Promise<Grant> =>
    (await mustExist('grant', id, api.send('GET', '/grants/{grant_id}', { params: { grant_id: id } }))).value;
  return {
    /** Newest first. */
    list: async ({ client, user, state, from, to }: GrantFilter, limit: number) => {
      if (client !== undefined)
        await mustExist('client', client, api.send('GET', '/clients/{client_id}', { params: { client_id: client } }));
      const sub = user === undefined ? undefined : await subOf(api, user);
      const query = { client_id: client, sub, state, from: from?.toISOString(), to: to?.toISOString() };
      return itemsUpTo(
        limit,
        pagesOf((page) => api.send('GET', '/grants', { query: { ...query, ...page } })),
      );
    },
    /** `hasEnded`: by this; false: it had ended already. */
    revoke: async (id: string) => {
      const before = await find(id);
      await api.send('DELETE', '/grants/{grant_id}', { params: { grant_id: id } });
      return { hasEnded: before.reason === null && (await find(id)).reason !== null, grant: before };
    },
  };
}
