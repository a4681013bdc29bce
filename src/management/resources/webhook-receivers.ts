/** The receivers of webhooks.yaml. They are changed there, and nowhere else. */
import { z } from 'zod';
import { shownAddress, type WebhookReceiver } from '../../../policies/webhooks-schema.ts';
import { TEST_EVENT } from '../../lifecycles/webhook-delivery/entity.ts';
import { type Backlog, backlogOf, findDelivery } from '../../storage/webhook-list.ts';
import { webhookStore } from '../../storage/webhooks.ts';
import { addressOf, links } from '../addresses.ts';
import type { ManagementDeps } from '../deps.ts';
import { shownInstant } from '../instant.ts';
import { link, pageBody, pageOf } from '../page.ts';
import { notFound } from '../problem.ts';
import { created, found, type ManagementResource, methodsOf } from '../resource.ts';
import { addressOfDelivery, deliveryDocument, deliveryShape } from './webhook-deliveries.ts';

const none = z.object({});
const params = z.object({ receiver: z.string().min(1).max(40) });

const shape = z
  .object({
    name: z.string(),
    url: z.string().describe('Without its query.'),
    format: z.enum(['standard', 'set']),
    events: z.array(z.string()).describe('As the file names them: events, or groups.'),
    pending: z.int().describe('Events that wait for it, at most 10,000.'),
    oldest_pending_at: shownInstant.nullable().describe('When the oldest of them was recorded; null: none waits.'),
    _links: z.object({ self: link, deliveries: link, tests: link }),
  })
  .meta({ id: 'WebhookReceiver' });

export const receiverDocument = (issuer: string, { name, url, format, events }: WebhookReceiver, backlog: Backlog) => ({
  name,
  url: shownAddress(url),
  format,
  events: [...events],
  pending: backlog.pending,
  oldest_pending_at: backlog.oldestAt?.toISOString() ?? null,
  ...links({
    self: addressOf(issuer, 'webhook-receivers', name),
    deliveries: `${addressOf(issuer, 'webhook-deliveries')}?${new URLSearchParams({ receiver: name })}`,
    tests: addressOf(issuer, 'webhook-receivers', name, 'tests'),
  }),
});

const receiverNamed = ({ configuration }: ManagementDeps, name: string): WebhookReceiver | undefined =>
  configuration().webhooks.receivers.find((receiver) => receiver.name === name);

export const webhookReceivers = {
  path: '/webhook-receivers',
  name: 'the receivers of events',
  params: none,
  methods: {
    GET: methodsOf(none)({
      summary: 'The endpoints of webhooks.yaml, and the waiting events of each.',
      answer: pageOf(shape),
      run: async ({ db, issuer, configuration }, { href }) => {
        const items = await Promise.all(
          configuration().webhooks.receivers.map(async (receiver) =>
            receiverDocument(issuer, receiver, await backlogOf(db, receiver.name)),
          ),
        );
        return found(pageBody({ items, next: null }, href));
      },
    }),
  },
} as const satisfies ManagementResource;

export const webhookReceiver = {
  path: '/webhook-receivers/{receiver}',
  name: 'a receiver of events',
  params,
  methods: {
    GET: methodsOf(params)({
      summary: 'One receiver.',
      answer: shape,
      run: async (deps, { params: { receiver: name } }) => {
        const receiver = receiverNamed(deps, name);
        if (!receiver) return notFound('receiver');
        return found(receiverDocument(deps.issuer, receiver, await backlogOf(deps.db, name)));
      },
    }),
  },
} as const satisfies ManagementResource;

export const webhookTests = {
  path: '/webhook-receivers/{receiver}/tests',
  name: 'the test events of a receiver',
  params,
  methods: {
    POST: methodsOf(params)({
      summary: `Sends the event ${TEST_EVENT}, which has no data. The delivery shows whether the endpoint accepted it.`,
      answer: deliveryShape,
      creates: true,
      run: async (deps, { params: { receiver: name }, makes }) => {
        const { db, clock, issuer, configuration } = deps;
        if (!receiverNamed(deps, name)) return notFound('receiver');
        const delivery = { id: makes.uuid(), receiver: name, eventId: makes.uuid(), eventType: TEST_EVENT };
        if (!makes.wasCarriedOut) {
          const occurredAt = clock.fixedNow() ?? new Date();
          const event = { ...delivery, userId: null, data: {}, occurredAt };
          await webhookStore(db, clock).add(event, configuration().webhooks.giveUpAfterSeconds);
        }
        const stored = await findDelivery(db, delivery.id);
        if (stored === null) return notFound('delivery');
        await makes.carryOut();
        return created(deliveryDocument(issuer, stored), addressOfDelivery(issuer, stored.id));
      },
    }),
  },
} as const satisfies ManagementResource;
