/** Events for other systems, through the management API. */
import type { Item } from '../../management/client/documents.ts';
import { itemsUpTo } from '../pages.ts';
import type { ManagementApi } from './api.ts';
import { pagesOf } from './lists.ts';
import { mustExist } from './refusals.ts';

export type Delivery = Item<'/webhook-deliveries'>;
export type DeliveryFilter = { readonly receiver?: string; readonly state?: Delivery['state'] };

/** Each throws CommandRefused for a receiver or a delivery that is not there. */
export const webhooksAt = (api: ManagementApi) => ({
  /** As webhooks.yaml names them. */
  receivers: async () => (await api.send('GET', '/webhook-receivers', {})).value.items,
  /** Newest first. */
  deliveries: (filter: DeliveryFilter, limit: number) =>
    itemsUpTo(
      limit,
      pagesOf((page) => {
        const { receiver, state } = filter;
        return api.send('GET', '/webhook-deliveries', { query: { receiver, state, ...page } });
      }),
    ),
  repeat: async (id: string) => {
    const path = '/webhook-deliveries/{delivery_id}/repetitions';
    return (await mustExist('delivery', id, api.send('POST', path, { params: { delivery_id: id } }))).value;
  },
  pause: async (receiver: string) => {
    const path = '/webhook-receivers/{receiver}/pause';
    return (await mustExist('receiver', receiver, api.send('PUT', path, { params: { receiver } }))).value;
  },
  resume: async (receiver: string) => {
    const path = '/webhook-receivers/{receiver}/pause';
    await mustExist('receiver', receiver, api.send('DELETE', path, { params: { receiver } }));
  },
  /** At most 500 of them. */
  redeliver: async (receiver: string) => {
    const path = '/webhook-receivers/{receiver}/redeliveries';
    return (await mustExist('receiver', receiver, api.send('POST', path, { params: { receiver }, body: {} }))).value;
  },
  test: async (receiver: string) => {
    const path = '/webhook-receivers/{receiver}/tests';
    return (await mustExist('receiver', receiver, api.send('POST', path, { params: { receiver } }))).value;
  },
});
