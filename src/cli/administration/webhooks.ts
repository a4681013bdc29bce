/** Events for other systems, through the management API. */
import type { Item } from '../../management/client/documents.ts';
import { noSuch } from '../failure.ts';
import { itemsUpTo } from '../pages.ts';
import type { ManagementApi } from './api.ts';
import { pagesOf } from './lists.ts';
import { orNull } from './refusals.ts';

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
    const params = { delivery_id: id };
    const answered = await orNull(api.send('POST', '/webhook-deliveries/{delivery_id}/repetitions', { params }));
    if (answered === null) throw noSuch('delivery', id);
    return answered.value;
  },
  pause: async (receiver: string) => {
    const answered = await orNull(api.send('PUT', '/webhook-receivers/{receiver}/pause', { params: { receiver } }));
    if (answered === null) throw noSuch('receiver', receiver);
    return answered.value;
  },
  resume: async (receiver: string) => {
    const answered = await orNull(api.send('DELETE', '/webhook-receivers/{receiver}/pause', { params: { receiver } }));
    if (answered === null) throw noSuch('receiver', receiver);
  },
  /** At most 500 of them. */
  redeliver: async (receiver: string) => {
    const params = { receiver };
    const answered = await orNull(api.send('POST', '/webhook-receivers/{receiver}/redeliveries', { params, body: {} }));
    if (answered === null) throw noSuch('receiver', receiver);
    return answered.value;
  },
  test: async (receiver: string) => {
    const answered = await orNull(api.send('POST', '/webhook-receivers/{receiver}/tests', { params: { receiver } }));
    if (answered === null) throw noSuch('receiver', receiver);
    return answered.value;
  },
});
