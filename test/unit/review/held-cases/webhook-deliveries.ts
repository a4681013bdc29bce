/** Events on their way to receivers. */
import { DELIVERY } from '../held-rows.ts';
import { allowed, type HeldCase, insertCopy, refused, updateOf } from './case.ts';

const update = updateOf('webhook_deliveries', 'id');
const insert = (instead: Readonly<Record<string, string>> = {}) =>
  insertCopy({
    table: 'webhook_deliveries',
    where: `id = '${DELIVERY.pending}'`,
    columns: 'receiver, event_type, user_id, data, occurred_at, gives_up_at, created_at',
    values: {
      id: 'gen_random_uuid()',
      event_id: 'gen_random_uuid()',
      state: "'pending'",
      attempts: '0',
      next_attempt_at: 'now()',
      last_outcome: 'null',
      ...instead,
    },
  });

const BEGINS = 'webhook_deliveries_begins_with_its_machine';
const ENDS = 'webhook_deliveries_ends_once_with_a_reason';
const ATTEMPTED = 'webhook_deliveries_is_attempted_while_pending';

export const webhookDeliveryCases: readonly HeldCase[] = [
  allowed('a delivery is recorded', insert()),
  refused(
    BEGINS,
    'a delivery is recorded as delivered',
    insert({ state: "'delivered'", next_attempt_at: 'null', ended_at: 'now()' }),
  ),
  refused(BEGINS, 'a delivery is recorded with an attempt', insert({ attempts: '1' })),
  refused(BEGINS, 'a delivery is recorded with an outcome', insert({ last_outcome: "'failed'" })),

  allowed(
    'a delivery is claimed',
    update(DELIVERY.pending, "attempts = 3, next_attempt_at = now() + interval '1 min'"),
  ),
  allowed('an attempt failed', update(DELIVERY.pending, "next_attempt_at = now(), last_outcome = 'timed_out'")),
  allowed(
    'a pending delivery is repeated',
    update(DELIVERY.pending, "attempts = 0, next_attempt_at = now(), gives_up_at = now() + interval '1 day'"),
  ),
  refused(ATTEMPTED, 'two attempts are counted in one statement', update(DELIVERY.pending, 'attempts = 4')),
  refused(ATTEMPTED, 'an attempt is taken back', update(DELIVERY.pending, 'attempts = 1')),
  refused(ATTEMPTED, 'a delivered event is attempted', update(DELIVERY.delivered, 'attempts = 3')),
  refused(ATTEMPTED, 'a delivered event has another outcome', update(DELIVERY.delivered, "last_outcome = 'gone'")),
  refused(ATTEMPTED, 'an event that was given up gets more time', update(DELIVERY.abandoned, 'gives_up_at = now()')),

  refused(
    ENDS,
    'the delivery of an event is dated again',
    update(DELIVERY.delivered, "ended_at = ended_at - interval '1 s'"),
  ),
  refused(
    ENDS,
    'an event that was given up gets another reason',
    update(DELIVERY.abandoned, "abandoned_reason = 'receiver_gone'"),
  ),

  refused(
    'webhook_deliveries_stays_until_it_has_ended',
    'a pending delivery is deleted',
    `delete from webhook_deliveries where id = '${DELIVERY.pending}' returning 1`,
  ),
  allowed(
    'a delivered event is deleted',
    `delete from webhook_deliveries where id = '${DELIVERY.delivered}' returning 1`,
  ),
  allowed(
    'an event that was given up is deleted',
    `delete from webhook_deliveries where id = '${DELIVERY.abandoned}' returning 1`,
  ),
  refused('webhook_deliveries_is_not_emptied', 'deliveries are emptied', 'truncate webhook_deliveries'),
];
