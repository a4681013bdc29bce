/**
 * The webhook delivery: an event on its way to a receiver.
 *
 *                 succeeded (recordDelivery)
 *   ┌─────────┐ ─────────────────────────────────────────────────────────────► ┌───────────┐
 *   │ pending │                                                                │ delivered │
 *   └─────────┘ ─────────────────────────────────────────────────────────────► └───────────┘
 *     claimed, failed   the last attempt failed, gone, removed (abandonDelivery)  ┌───────────┐
 *                    ───────────────────────────────────────────────────────────► │ abandoned │
 *                                                                                 └───────────┘
 *
 * An operator repeats it out of any state (repeatDelivery). The event of a delivery comes from the ledger, so a decision that was
 * committed has its event, and no other has (docs/decisions/0045). A node claims a delivery before each attempt. When the node dies the
 * claim runs out, and another node attempts it again: a receiver may get an event twice, with the same `webhook-id`.
 *
 * As a picture or as JSON, whole: `npx statehouse diagram webhook-delivery` (`--format json`).
 */
import { setup } from 'xstate';
import type { Meta, SharedArm } from '../shared/arm.ts';
import type { Answers, AtEveryEvent } from '../shared/events.ts';
import { abandonDelivery, webhookDeliveryEffects } from './effects.ts';
import type { WebhookDeliveryContext, WebhookDeliveryEvent } from './facts.ts';
import { webhookDeliveryGuards } from './guards.ts';

const SPEC = { spec: 'Standard Webhooks 1.0.0' } as const;

const deliver = {
  target: 'delivered',
  actions: 'recordDelivery',
  description: 'The receiver answered with 2xx.',
  meta: SPEC,
} as const satisfies SharedArm;

const hasEnded = { description: 'It has ended: nothing is attempted.' } as const satisfies SharedArm;

const repeat = {
  target: 'pending',
  actions: 'repeatDelivery',
  description: 'An operator has it sent again, with the same id.',
  meta: SPEC,
} as const satisfies SharedArm;

export const webhookDeliveryMachine = setup({
  types: { context: {} as WebhookDeliveryContext, events: {} as WebhookDeliveryEvent, meta: {} as Meta },
  guards: webhookDeliveryGuards as AtEveryEvent<
    typeof webhookDeliveryGuards,
    WebhookDeliveryContext,
    WebhookDeliveryEvent
  >,
  actions: webhookDeliveryEffects,
}).createMachine({
  id: 'webhookDelivery',
  context: {} as WebhookDeliveryContext,
  initial: 'pending',
  states: {
    pending: {
      description: 'The event is recorded, and the receiver has not confirmed it.',
      meta: SPEC,
      on: {
        claimed: [
          { guard: 'notDue', description: 'Its next attempt is later, or another node attempts it now.' },
          {
            guard: 'attemptsUsedUp',
            target: 'abandoned',
            actions: abandonDelivery('attempts_used_up'),
            description: 'Nothing was heard of the last attempt: its node has died.',
            meta: SPEC,
          },
          {
            actions: 'claimDelivery',
            description: 'This node attempts it; no other node does until the claim runs out.',
          },
        ],
        succeeded: deliver,
        failed: [
          { guard: 'overtaken', description: 'A node has claimed a later attempt: its answer counts.' },
          {
            guard: 'attemptsUsedUp',
            target: 'abandoned',
            actions: abandonDelivery('attempts_used_up'),
            description: 'It was the last attempt.',
            meta: SPEC,
          },
          {
            guard: 'tooOld',
            target: 'abandoned',
            actions: abandonDelivery('too_old'),
            description: 'The next attempt would come too late.',
            meta: SPEC,
          },
          {
            actions: 'retryDelivery',
            description: 'Another attempt follows, each after a longer wait.',
            meta: SPEC,
          },
        ],
        goneAnswered: {
          target: 'abandoned',
          actions: abandonDelivery('receiver_gone'),
          description: 'The receiver answered with 410: it wants no more of it.',
          meta: { spec: 'Standard Webhooks 1.0.0, RFC 9110 §15.5.11' },
        },
        receiverRemoved: {
          target: 'abandoned',
          actions: abandonDelivery('receiver_removed'),
          description: 'No node has this endpoint in its configuration.',
        },
        repeatRequested: {
          actions: 'repeatDelivery',
          description: 'An operator has it sent now, without waiting for its next attempt.',
        },
      },
    },
    delivered: {
      description: 'The receiver has confirmed the event.',
      meta: SPEC,
      on: {
        claimed: hasEnded,
        succeeded: { description: 'It was confirmed before: the receiver knows the event by its id.', meta: SPEC },
        failed: hasEnded,
        goneAnswered: hasEnded,
        receiverRemoved: hasEnded,
        repeatRequested: repeat,
      },
    },
    abandoned: {
      description: 'Given up: the event is sent no more, unless an operator repeats it.',
      meta: SPEC,
      on: {
        claimed: hasEnded,
        succeeded: { ...deliver, description: 'An attempt that was under way has arrived after all.' },
        failed: hasEnded,
        goneAnswered: hasEnded,
        receiverRemoved: hasEnded,
        repeatRequested: repeat,
      },
    },
  } as const satisfies Answers<typeof webhookDeliveryGuards, WebhookDeliveryEvent>,
});
