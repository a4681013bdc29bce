/** The receivers of webhooks.yaml. They are changed there, and nowhere else; here an operator switches them off and on. */
import { z } from 'zod';
import { shownAddress, type WebhookReceiver } from '../../../policies/webhooks-schema.ts';
import { TEST_EVENT } from '../../lifecycles/webhook-delivery/entity.ts';
import { askDelivery, repeatRequest, retryPolicyOf } from '../../lifecycles/webhook-delivery/lifecycle.ts';
import type { Drizzle } from '../../storage/database.ts';
import { abandonedOf, type Backlog, backlogOf, countAbandoned, findDelivery } from '../../storage/webhook-list.ts';
import { pausedSince, switchReceiver } from '../../storage/webhook-switch.ts';
import { webhookStore } from '../../storage/webhooks.ts';
import { addressOf, links } from '../addresses.ts';
import type { ManagementDeps } from '../deps.ts';
import { shownInstant } from '../instant.ts';
import { link, pageBody, pageOf } from '../page.ts';
import { notFound } from '../problem.ts';
import { created, done, found, resource } from '../resource.ts';
import { addressOfDelivery, deliveryDocument, deliveryShape, receiverName } from './webhook-deliveries.ts';

const params = { receiver: receiverName };

const shape = z
  .object({
    name: z.string(),
    url: z.string().describe('Without its query.'),
    format: z.enum(['standard', 'set']),
    events: z.array(z.string()).describe('As the file names them: events, or groups.'),
    pending: z.int().describe('Events that wait for it, at most 10,000.'),
    oldest_pending_at: shownInstant.nullable().describe('When the oldest of them was recorded; null: none waits.'),
    abandoned: z.int().describe('Dead-lettered events that are still stored, at most 10,000.'),
    paused_at: shownInstant
      .nullable()
      .describe('An operator has switched the endpoint off: its events wait, except for test events. Null: it is on.'),
    _links: z.object({ self: link, deliveries: link, tests: link, pause: link, redeliveries: link }),
  })
  .meta({ id: 'WebhookReceiver' });

type Standing = { readonly backlog: Backlog; readonly abandoned: number; readonly pausedAt: Date | null };

async function standingOf(db: Drizzle, name: string): Promise<Standing> {
  const [backlog, abandoned, pausedAt] = await Promise.all([
    backlogOf(db, name),
    countAbandoned(db, name),
    pausedSince(db, name),
  ]);
  return { backlog, abandoned, pausedAt };
}

export const receiverDocument = (
  issuer: string,
  { name, url, format, events }: WebhookReceiver,
  { backlog, abandoned, pausedAt }: Standing,
) => ({
  name,
  url: shownAddress(url),
  format,
  events: [...events],
  pending: backlog.pending,
  oldest_pending_at: backlog.oldestAt?.toISOString() ?? null,
  abandoned,
  paused_at: pausedAt?.toISOString() ?? null,
  ...links({
    self: addressOf(issuer, 'webhook-receivers', name),
    deliveries: `${addressOf(issuer, 'webhook-deliveries')}?${new URLSearchParams({ receiver: name })}`,
    tests: addressOf(issuer, 'webhook-receivers', name, 'tests'),
    pause: addressOf(issuer, 'webhook-receivers', name, 'pause'),
    redeliveries: addressOf(issuer, 'webhook-receivers', name, 'redeliveries'),
  }),
});

const receiverNamed = ({ configuration }: ManagementDeps, name: string): WebhookReceiver | undefined =>
  configuration().webhooks.receivers.find((receiver) => receiver.name === name);

export const webhookReceivers = resource('/webhook-receivers', 'the receivers of events', {}, (method) => ({
  GET: method({
    summary: 'The endpoints of webhooks.yaml, and the waiting events of each.',
    answer: pageOf(shape),
    run: async ({ db, issuer, configuration }, { href }) => {
      const items = await Promise.all(
        configuration().webhooks.receivers.map(async (receiver) =>
          receiverDocument(issuer, receiver, await standingOf(db, receiver.name)),
        ),
      );
      return found(pageBody({ items, next: null }, href));
    },
  }),
}));

export const webhookReceiver = resource('/webhook-receivers/{receiver}', 'a receiver of events', params, (method) => ({
  GET: method({
    summary: 'One receiver.',
    answer: shape,
    run: async (deps, { params: { receiver: name } }) => {
      const receiver = receiverNamed(deps, name);
      if (!receiver) return notFound('receiver');
      return found(receiverDocument(deps.issuer, receiver, await standingOf(deps.db, name)));
    },
  }),
}));

export const webhookTests = resource(
  '/webhook-receivers/{receiver}/tests',
  'the test events of a receiver',
  params,
  (method) => ({
    POST: method({
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
  }),
);

export const webhookPause = resource(
  '/webhook-receivers/{receiver}/pause',
  'the pause of a receiver',
  params,
  (method) => ({
    PUT: method({
      summary:
        'Switches the endpoint off: its events are recorded and wait. Attempts under way end as usual, and test events are still sent.',
      answer: shape,
      run: async (deps, { params: { receiver: name }, actor }) => {
        const receiver = receiverNamed(deps, name);
        if (!receiver) return notFound('receiver');
        await webhookStore(deps.db, deps.clock).keep([name]);
        await switchReceiver(deps.db, deps.clock, name, 'off', actor);
        return found(receiverDocument(deps.issuer, receiver, await standingOf(deps.db, name)));
      },
    }),
    DELETE: method({
      summary: 'Switches the endpoint on: the server sends the events that waited, the longest due first.',
      run: async (deps, { params: { receiver: name }, actor }) => {
        if (!receiverNamed(deps, name)) return notFound('receiver');
        await switchReceiver(deps.db, deps.clock, name, 'on', actor);
        return done;
      },
    }),
  }),
);

/** Of one request. */
const MAX_REDELIVERED = 500;
const AT_ONCE = 8;

export const webhookRedeliveries = resource(
  '/webhook-receivers/{receiver}/redeliveries',
  'the redeliveries to a receiver',
  params,
  (method) => ({
    POST: method({
      summary: `Redelivers the dead-lettered events of the endpoint, the oldest first: at most ${MAX_REDELIVERED}. Ask again while \`left\` is more than 0.`,
      body: z.strictObject({
        limit: z.int().min(1).max(MAX_REDELIVERED).default(MAX_REDELIVERED).describe('Of this request.'),
      }),
      bodyIsOptional: true,
      example: { limit: 100 },
      answer: z
        .object({
          redelivered: z.int().describe('0: none was dead-lettered, or the request was carried out before.'),
          left: z.int().describe('Dead-lettered events that are left, at most 10,000.'),
          _links: z.object({ deliveries: link }),
        })
        .meta({ id: 'WebhookRedeliveries' }),
      creates: true,
      run: async (deps, { params: { receiver: name }, body: { limit }, actor, makes }) => {
        const { db, clock, issuer, sleep, configuration } = deps;
        if (!receiverNamed(deps, name)) return notFound('receiver');
        const ports = { deliveries: webhookStore(db, clock).deliveries, sleep };
        const policy = retryPolicyOf(configuration().webhooks);
        const ids = makes.wasCarriedOut ? [] : await abandonedOf(db, name, limit);
        for (let next = 0; next < ids.length; next += AT_ONCE) {
          const some = ids.slice(next, next + AT_ONCE);
          await Promise.all(some.map((id) => askDelivery(ports, id, repeatRequest(policy, actor))));
        }
        await makes.carryOut();
        const deliveries = `${addressOf(issuer, 'webhook-deliveries')}?${new URLSearchParams({ receiver: name })}`;
        const left = await countAbandoned(db, name);
        return created({ redelivered: ids.length, left, ...links({ deliveries }) }, deliveries);
      },
    }),
  }),
);
