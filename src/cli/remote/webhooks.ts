/** Events for other systems, through the management API. */
import { noSuch } from '../failure.ts';
import { itemsUpTo } from '../pages.ts';
import type { DeliveryShown, Webhooks } from '../ports.ts';
import type { Document, ManagementApi } from './api.ts';
import { pagesOf } from './lists.ts';
import { orNull } from './refusals.ts';

export function remoteWebhooks(api: ManagementApi): Webhooks {
  const post = async (path: readonly string[], what: 'delivery' | 'receiver', name: string) => {
    const answered = await orNull(api.send('POST', path));
    if (answered === null) throw noSuch(what, name);
    return shown(answered.document);
  };
  return {
    receivers: async () => {
      const { document } = await api.send('GET', ['webhook-receivers']);
      return document.items.map((receiver: Document) => ({
        name: receiver.name,
        url: receiver.url,
        format: receiver.format,
        events: receiver.events,
        pending: receiver.pending,
        oldestPendingAt: receiver.oldest_pending_at === null ? null : new Date(receiver.oldest_pending_at),
      }));
    },
    deliveries: async ({ receiver, state }, limit) => {
      const query = { ...(receiver !== undefined && { receiver }), ...(state && { state }) };
      const { items, more } = await itemsUpTo(limit, pagesOf(api, ['webhook-deliveries'], query));
      return { items: items.map(shown), more };
    },
    repeat: (id) => post(['webhook-deliveries', id, 'repetitions'], 'delivery', id),
    test: (receiver) => post(['webhook-receivers', receiver, 'tests'], 'receiver', receiver),
  };
}

const shown = (document: Document): DeliveryShown => ({
  id: document.delivery_id,
  receiver: document.receiver,
  eventId: document.event_id,
  eventType: document.event_type,
  state: document.state,
  reason: document.reason,
  attempts: document.attempts,
  lastOutcome: document.last_outcome,
  occurredAt: new Date(document.occurred_at),
  nextAttemptAt: document.next_attempt_at === null ? null : new Date(document.next_attempt_at),
});
