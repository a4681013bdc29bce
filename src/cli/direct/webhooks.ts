/** Events for other systems, on the database itself. A running server sends what is recorded here. */
import { setTimeout as sleep } from 'node:timers/promises';
import { shownAddress } from '../../../policies/webhooks-schema.ts';
import type { Runtime } from '../../boot/runtime.ts';
import { repeatDelivery, retryPolicyOf } from '../../lifecycles/webhook-delivery.ts';
import { commandLine } from '../../model/actor.ts';
import { TEST_EVENT, type WebhookDelivery, webhookIdOf } from '../../model/webhook.ts';
import type { InstantPosition, PageRequest } from '../../storage/page.ts';
import { backlogOf, findDelivery, listDeliveryPage } from '../../storage/webhook-list.ts';
import { webhookStore } from '../../storage/webhooks.ts';
import { databaseClock } from '../../system/clock.ts';
import { noSuch } from '../failure.ts';
import { itemsUpTo } from '../pages.ts';
import type { DeliveryShown, Webhooks } from '../ports.ts';

export function directWebhooks({ database, configuration, random }: Runtime): Webhooks {
  const db = database.drizzle;
  const file = configuration.webhooks;
  const store = webhookStore(db, databaseClock);
  return {
    receivers: () =>
      Promise.all(
        file.receivers.map(async ({ name, url, format, events }) => {
          const { pending, oldestAt } = await backlogOf(db, name);
          return { name, url: shownAddress(url), format, events, pending, oldestPendingAt: oldestAt };
        }),
      ),
    deliveries: async (filter, limit) => {
      const { items, more } = await itemsUpTo(limit, (page: PageRequest<InstantPosition>) =>
        listDeliveryPage(db, filter, page),
      );
      return { items: items.map(shown), more };
    },
    repeat: async (id) => {
      const world = { deliveries: store.deliveries, sleep: (milliseconds: number) => sleep(milliseconds) };
      const repeated = await repeatDelivery(world, id, retryPolicyOf(file), commandLine);
      if (repeated === null) throw noSuch('delivery', id);
      return shown(repeated);
    },
    test: async (receiver) => {
      if (!file.receivers.some(({ name }) => name === receiver)) throw noSuch('receiver', receiver);
      const made = { id: random.uuid(), receiver, eventId: random.uuid(), eventType: TEST_EVENT };
      await store.add({ ...made, userId: null, data: {}, occurredAt: new Date() }, file.giveUpAfterSeconds);
      const stored = await findDelivery(db, made.id);
      if (stored === null) throw noSuch('delivery', made.id);
      return shown(stored);
    },
  };
}

const shown = (delivery: WebhookDelivery): DeliveryShown => ({
  id: delivery.id,
  receiver: delivery.receiver,
  eventId: webhookIdOf(delivery),
  eventType: delivery.eventType,
  state: delivery.state,
  reason: delivery.abandonedReason,
  attempts: delivery.attempts,
  lastOutcome: delivery.lastOutcome,
  occurredAt: delivery.occurredAt,
  nextAttemptAt: delivery.nextAttemptAt,
});
