/** Events on their way to other systems. The secrets of receivers, and what receivers answered, are never shown. */
import { z } from 'zod';
import { RECEIVER_NAME } from '../../../policies/webhooks-schema.ts';
import { ATTEMPT_OUTCOMES } from '../../lifecycles/webhook-delivery/attempt.ts';
import { type WebhookDelivery, webhookIdOf } from '../../lifecycles/webhook-delivery/entity.ts';
import { askDelivery, repeatRequest, retryPolicyOf } from '../../lifecycles/webhook-delivery/lifecycle.ts';
import { attemptsOf, findDelivery, listDeliveryPage } from '../../storage/webhook-list.ts';
import { webhookStore } from '../../storage/webhooks.ts';
import { addressOf, links } from '../addresses.ts';
import { shownInstant } from '../instant.ts';
import { instantPosition, link, listAnswer, pageBody, pageOf, pageQuery } from '../page.ts';
import { notFound } from '../problem.ts';
import { created, found, resource } from '../resource.ts';

export const receiverName = z.string().regex(RECEIVER_NAME).describe('As webhooks.yaml names it.');
const params = { delivery_id: z.uuid() };

const state = z.enum(['pending', 'delivered', 'abandoned']);

export const deliveryShape = z
  .object({
    delivery_id: z.uuid(),
    receiver: z.string().describe('As webhooks.yaml names it.'),
    event_id: z.string().describe('The `webhook-id` of every attempt: the same for every receiver of the event.'),
    event_type: z.string(),
    occurred_at: shownInstant,
    data: z.record(z.string(), z.unknown()).describe('The data of the event.'),
    state: state.describe('abandoned: no attempt succeeded.'),
    reason: z.string().nullable().describe('The reason of the abandonment; null: not abandoned.'),
    attempts: z.int().describe('Attempts since the recording, or the last redelivery.'),
    last_outcome: z
      .enum(ATTEMPT_OUTCOMES)
      .nullable()
      .describe('The outcome of the last attempt; null: no attempt has finished.'),
    next_attempt_at: shownInstant.nullable().describe('During an attempt: its timeout.'),
    gives_up_at: shownInstant,
    created_at: shownInstant,
    ended_at: shownInstant.nullable(),
    _links: z.object({ self: link, repetitions: link, attempts: link }),
  })
  .meta({ id: 'WebhookDelivery' });

export const addressOfDelivery = (issuer: string, id: string): string => addressOf(issuer, 'webhook-deliveries', id);

export const deliveryDocument = (issuer: string, delivery: WebhookDelivery) => ({
  delivery_id: delivery.id,
  receiver: delivery.receiver,
  event_id: webhookIdOf(delivery),
  event_type: delivery.eventType,
  occurred_at: delivery.occurredAt.toISOString(),
  data: delivery.data,
  state: delivery.state,
  reason: delivery.abandonedReason,
  attempts: delivery.attempts,
  last_outcome: delivery.lastOutcome,
  next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
  gives_up_at: delivery.givesUpAt.toISOString(),
  created_at: delivery.createdAt.toISOString(),
  ended_at: delivery.endedAt?.toISOString() ?? null,
  ...links({
    self: addressOfDelivery(issuer, delivery.id),
    repetitions: `${addressOfDelivery(issuer, delivery.id)}/repetitions`,
    attempts: `${addressOfDelivery(issuer, delivery.id)}/attempts`,
  }),
});

export const webhookDeliveries = resource('/webhook-deliveries', 'the deliveries of events', {}, (method) => ({
  GET: method({
    summary: 'Deliveries of events (pending, delivered or abandoned), newest first.',
    query: z.strictObject({
      ...pageQuery,
      receiver: receiverName.optional(),
      state: state.optional(),
    }),
    answer: pageOf(deliveryShape),
    run: ({ db, issuer }, { query: { receiver, state: wanted, ...page }, href }) =>
      listAnswer(page, instantPosition, href, async (request) => {
        const { items, next } = await listDeliveryPage(db, { receiver, state: wanted }, request);
        return { items: items.map((item) => deliveryDocument(issuer, item)), next };
      }),
  }),
}));

export const webhookDelivery = resource(
  '/webhook-deliveries/{delivery_id}',
  'a delivery of an event',
  params,
  (method) => ({
    GET: method({
      summary: 'One delivery.',
      answer: deliveryShape,
      run: async ({ db, issuer }, { params: { delivery_id: id } }) => {
        const stored = await findDelivery(db, id);
        return stored ? found(deliveryDocument(issuer, stored)) : notFound('delivery');
      },
    }),
  }),
);

export const webhookRepetitions = resource(
  '/webhook-deliveries/{delivery_id}/repetitions',
  'the repetitions of a delivery',
  params,
  (method) => ({
    POST: method({
      summary:
        'Redelivers the event immediately, with all attempts again and the same id. A delivered event can be redelivered too.',
      answer: deliveryShape,
      creates: true,
      run: async ({ db, clock, issuer, sleep, configuration }, { params: { delivery_id: id }, actor, makes }) => {
        const ports = { deliveries: webhookStore(db, clock).deliveries, sleep };
        // The same request again sends nothing again.
        const delivery = makes.wasCarriedOut
          ? await findDelivery(db, id)
          : await askDelivery(ports, id, repeatRequest(retryPolicyOf(configuration().webhooks), actor));
        if (delivery === null) return notFound('delivery');
        await makes.carryOut();
        return created(deliveryDocument(issuer, delivery), addressOfDelivery(issuer, id));
      },
    }),
  }),
);

const attemptShape = z
  .object({
    at: shownInstant.describe('When the attempt began.'),
    outcome: z.enum(ATTEMPT_OUTCOMES),
    status: z.int().nullable().describe('Of the answer (HTTP). Null: there was none.'),
    milliseconds: z.int().describe('How long the attempt took.'),
  })
  .meta({ id: 'WebhookAttempt' });

export const webhookAttempts = resource(
  '/webhook-deliveries/{delivery_id}/attempts',
  'the attempts of a delivery',
  params,
  (method) => ({
    GET: method({
      summary: 'The outcome of each attempt, the newest first: at most 100.',
      answer: pageOf(attemptShape),
      run: async ({ db }, { params: { delivery_id: id }, href }) => {
        if ((await findDelivery(db, id)) === null) return notFound('delivery');
        const attempts = await attemptsOf(db, id);
        const items = attempts.map(({ at, ...attempted }) => ({ at: at.toISOString(), ...attempted }));
        return found(pageBody({ items, next: null }, href));
      },
    }),
  }),
);
