import { sql } from 'drizzle-orm';
import { check, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import type { AbandonReason, WebhookDeliveryState } from '../../../machines/webhook-delivery/facts.ts';
import { instant } from '../columns.ts';
import {
  beginsFirst,
  changed,
  endsWithReason,
  isNotEmptied,
  keeps,
  movesWithMachine,
  quoted,
  refuses,
  staysUntil,
} from '../rules.ts';
import { described, PASSING } from '../table.ts';
import type { AttemptOutcome, WebhookData } from './attempt.ts';

/** Events on their way to receivers (machines/webhook-delivery/machine.ts). */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: uuid('id').notNull(),
    /** The name of the receiver in webhooks.yaml. */
    receiver: text('receiver').notNull(),
    /** The same for every receiver of the event; with `evt_` in front the `webhook-id` of every attempt. */
    eventId: uuid('event_id').notNull(),
    /** Such as `session.ended` (src/webhooks/events.ts). */
    eventType: text('event_type').notNull(),
    /** The `sub` of the end-user that the event is about; null: it concerns no end-user. */
    userId: uuid('user_id'),
    data: jsonb('data').$type<WebhookData>().notNull(),
    /** When the decision was taken. */
    occurredAt: instant('occurred_at').notNull(),
    state: text('state').$type<WebhookDeliveryState>().notNull(),
    /** Since it was recorded, or since it was repeated last. */
    attempts: integer('attempts').notNull(),
    /** No node attempts it before; while an attempt is under way, how long it has. Null: it has ended. */
    nextAttemptAt: instant('next_attempt_at'),
    givesUpAt: instant('gives_up_at').notNull(),
    createdAt: instant('created_at').notNull(),
    endedAt: instant('ended_at'),
    abandonedReason: text('abandoned_reason').$type<AbandonReason>(),
    /** The outcome of the last attempt, in a word that metrics use too; null: no attempt has ended. */
    lastOutcome: text('last_outcome').$type<AttemptOutcome>(),
  },
  (table) => [
    primaryKey({ columns: [table.id, table.eventId] }),
    uniqueIndex('webhook_deliveries_receiver_event_id').on(table.receiver, table.eventId),
    index('webhook_deliveries_due').on(table.receiver, table.nextAttemptAt).where(sql`${table.state} = 'pending'`),
    index('webhook_deliveries_abandoned')
      .on(table.receiver, table.createdAt, table.id)
      .where(sql`${table.state} = 'abandoned'`),
    index('webhook_deliveries_created_at').on(table.createdAt, table.id),
    index('webhook_deliveries_ended_at').on(table.endedAt),
    index('webhook_deliveries_user_id').on(table.userId),
    check('webhook_deliveries_state', sql`${table.state} in ('pending', 'delivered', 'abandoned')`),
    check(
      'webhook_deliveries_pending_is_due',
      sql`(${table.state} = 'pending') = (${table.nextAttemptAt} is not null)`,
    ),
    check('webhook_deliveries_ended', sql`(${table.state} = 'pending') = (${table.endedAt} is null)`),
    check(
      'webhook_deliveries_abandoned_has_reason',
      sql`(${table.state} = 'abandoned') = (${table.abandonedReason} is not null)`,
    ),
  ],
);

export const webhookDeliveryTable = described(webhookDeliveries, {
  machine: 'webhookDelivery',
  key: webhookDeliveries.id,
  /** `attempt`: changes while it is pending. `due`: there is one while it is pending. `end`: changes with the machine. */
  changes: {
    state: 'state',
    attempts: 'attempt',
    nextAttemptAt: 'due',
    givesUpAt: 'attempt',
    lastOutcome: 'attempt',
    endedAt: 'end',
    abandonedReason: 'end',
  },
  spreadBy: webhookDeliveries.eventId,
  rights: PASSING,
  counted: { newest: webhookDeliveries.createdAt },
  personal: {
    name: 'events_for_other_systems',
    owner: webhookDeliveries.userId,
    shown: [
      webhookDeliveries.receiver,
      webhookDeliveries.eventType,
      webhookDeliveries.data,
      webhookDeliveries.occurredAt,
      webhookDeliveries.state,
      webhookDeliveries.endedAt,
    ],
    since: webhookDeliveries.createdAt,
    // Other systems have to hear of the deletion too; it has the `sub` alone, and goes by itself.
    erasure: 'kept',
  },
  rules: [
    beginsFirst(
      'a delivery begins in the first state of its machine, with no attempt',
      'NEW.attempts <> 0',
      'NEW.last_outcome IS NOT NULL',
    ),
    keeps('keeps_its_event', 'a delivery stays that of its event and of its receiver'),
    movesWithMachine('webhook-delivery'),
    endsWithReason(
      'ends_once_with_a_reason',
      ['ended_at', 'abandoned_reason'],
      { by: 'abandonDelivery', reason: 'abandoned_reason' },
      'a delivery ends with its state, and is given up for a reason that its machine writes',
    ),
    refuses(
      'is_attempted_while_pending',
      ({ columns }) => ({ update: columns('attempt') }),
      'only a pending delivery is attempted, and attempts are counted by one',
      ({ machine, columns }) => [
        `OLD.state <> ${quoted(machine.initial)} AND NEW.state = OLD.state AND ${changed(columns('attempt'))}`,
        'NEW.attempts NOT IN (0, OLD.attempts, OLD.attempts + 1)',
      ],
    ),
    staysUntil('stays_until_it_has_ended', 'a delivery stays until it has ended', ({ machine }) => [
      `OLD.state = ${quoted(machine.initial)}`,
    ]),
    isNotEmptied('deliveries end one by one'),
  ],
});
