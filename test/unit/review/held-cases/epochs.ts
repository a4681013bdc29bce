/** Epochs of clients, users and the server: they only rise, and a client or a user does not end without raising its epoch. */
import { CLIENT, USER } from '../held-rows.ts';
import { allowed, type HeldCase, refused, updateOf } from './case.ts';

const OWNERS = [
  ['clients', `client_id = '${CLIENT.active}'`],
  ['users', `id = '${USER.alice}'`],
  ['server', 'id = 1'],
] as const;

const ENDS = [
  ['clients', 'client_id', 'deleted_at', CLIENT.active, CLIENT.deleted, 'clients_deletion_raises_epoch'],
  ['users', 'id', 'disabled_at', USER.alice, USER.disabled, 'users_disabling_raises_epoch'],
] as const;

export const epochCases: readonly HeldCase[] = [
  ...OWNERS.flatMap(([table, where]) => {
    const set = (epoch: string) => `update ${table} set epoch = ${epoch} where ${where} returning 1`;
    return [
      allowed(`an epoch of ${table} rises`, set('epoch + 1')),
      allowed(`an epoch of ${table} stays`, set('epoch')),
      refused(`${table}_epoch_rises`, `an epoch of ${table} falls`, set('epoch - 1')),
      refused(`${table}_epoch_rises`, `an epoch of ${table} falls to zero`, set('0')),
    ];
  }),
  ...ENDS.flatMap(([table, key, endedAt, active, over, rule]) => {
    const update = updateOf(table, key);
    return [
      allowed(`a row of ${table} ends`, update(active, `${endedAt} = now(), epoch = epoch + 1`)),
      refused(rule, `a row of ${table} ends, and its epoch stays`, update(active, `${endedAt} = now()`)),
      allowed(`a row of ${table} comes back`, update(over, `${endedAt} = null`)),
      allowed(`a row of ${table} that has ended ends once more`, update(over, `${endedAt} = now()`)),
    ];
  }),
  refused('server_stays', 'the server loses its row', 'delete from server'),
  refused('server_is_not_emptied', 'the server is emptied', 'truncate server'),
];
