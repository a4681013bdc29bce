/** Set-ups of the first operator: how one is stored, when it gets its operator, and how it ends. */
import { SET_UP, USER } from '../held-rows.ts';
import { allowed, type HeldCase, insertCopy, refused, updateOf } from './case.ts';

const BEGINS = 'operator_set_ups_begins_with_its_machine';
const MAKES = 'operator_set_ups_makes_one_operator';
const ENDS = 'operator_set_ups_ends_with_a_reason';

const update = updateOf('operator_set_ups', 'id');
const remove = (row: string) => `delete from operator_set_ups where id = '${row}' returning 1`;

const insertSetUp = (instead: Readonly<Record<string, string>> = {}): string =>
  insertCopy({
    table: 'operator_set_ups',
    where: `id = '${SET_UP.ended}'`,
    columns: 'username, server_epoch, created_at, ends_at',
    values: { id: 'gen_random_uuid()', secret_hash: "'\\x0eee'", state: "'active'", ...instead },
  });

export const operatorSetUpCases: readonly HeldCase[] = [
  allowed('a set-up is stored', remove(SET_UP.active), insertSetUp()),
  refused(
    BEGINS,
    'a set-up is stored as used',
    remove(SET_UP.used),
    insertSetUp({ state: "'used'", user_id: `'${USER.alice}'` }),
  ),
  refused(BEGINS, 'a set-up is stored as ended', insertSetUp({ state: "'ended'", ended_reason: "'replaced'" })),
  refused(MAKES, 'a used set-up becomes that of another', update(SET_UP.used, `user_id = '${USER.bob}'`)),
  refused(MAKES, 'an ended set-up gets an operator', update(SET_UP.ended, `user_id = '${USER.alice}'`)),
  refused(
    MAKES,
    'a set-up that ends gets an operator',
    update(SET_UP.active, `state = 'ended', ended_reason = 'replaced', user_id = '${USER.alice}'`),
  ),
  ...['replaced', 'operator_declared'].flatMap((reason) =>
    [SET_UP.active, SET_UP.used].map((row) =>
      allowed(`set-up ${row} ends: ${reason}`, update(row, `state = 'ended', ended_reason = '${reason}'`)),
    ),
  ),
  refused(ENDS, 'a set-up ends for another reason', update(SET_UP.active, "state = 'ended', ended_reason = 'lost'")),
  refused(ENDS, 'a reason is replaced', update(SET_UP.ended, "ended_reason = 'operator_declared'")),
  refused('operator_set_ups_is_not_emptied', 'all set-ups go', 'truncate operator_set_ups'),
  ...Object.values(SET_UP).map((row) => allowed(`set-up ${row} is removed`, remove(row))),
];
