/** Clients and end-users: the row after a deletion, and that rows stay. */
import { CLIENT, USER } from '../held-rows.ts';
import { allowed, type HeldCase, insertCopy, refused, updateOf } from './case.ts';

const updateClient = updateOf('clients', 'client_id');
const updateUser = updateOf('users', 'id');
const SECRET = `secret_macs = '[{"keyId": "k", "mac": "m"}]'`;
const NOT_ERASED = 'users_deletion_erases';
const ERASED = 'users_erased_stays_erased';

const deletion = (left: string) =>
  updateUser(
    USER.alice,
    [
      "disabled_at = now(), deleted_at = now(), epoch = epoch + 1, username = '', password_hash = '', claims = '{}'",
      left,
    ]
      .filter((part) => part !== '')
      .join(', '),
  );

const LEFT: Readonly<Record<string, string>> = {
  claims: `'{"email": "bob@example.com"}'`,
  imported_hash: "'of a hash'",
  password_by_link_at: 'now()',
};

/** Deletes, and leaves this as it is. */
const deletionBut = (left: string): string =>
  updateUser(
    USER.bob,
    Object.entries({
      disabled_at: 'now()',
      deleted_at: 'now()',
      epoch: 'epoch + 1',
      username: "''",
      password_hash: "''",
      claims: "'{}'",
      imported_hash: 'null',
      password_by_link_at: 'null',
      [left]: LEFT[left] ?? left,
    })
      .map(([name, value]) => `${name} = ${value}`)
      .join(', '),
  );

const insertClient = (deletedAt: string): string =>
  insertCopy({
    table: 'clients',
    where: `client_id = '${CLIENT.active}'`,
    columns:
      'client_name, application_type, token_endpoint_auth_method, secret_macs, redirect_uris, grant_types, policy, epoch',
    values: { client_id: "'fresh'", deleted_at: deletedAt },
  });
const insertUser = (instead: Readonly<Record<string, string>>): string =>
  insertCopy({
    table: 'users',
    where: `id = '${USER.alice}'`,
    columns: 'password_hash, claims, epoch',
    values: { id: 'gen_random_uuid()', username: "'fresh'", username_key: "'fresh'", ...instead },
  });

export const administeredCases: readonly HeldCase[] = [
  // Clients.
  allowed('a client is registered', insertClient('null')),
  refused('clients_begins_with_its_machine', 'a client begins as deleted', insertClient('now()')),
  allowed('a client gets a secret', updateClient(CLIENT.active, SECRET)),
  refused('clients_deleted_has_no_secret', 'a deleted client gets a secret', updateClient(CLIENT.deleted, SECRET)),
  refused(
    'clients_deleted_has_no_secret',
    'a client is deleted and keeps a secret',
    updateClient(CLIENT.another, SECRET),
    updateClient(CLIENT.another, 'deleted_at = now(), epoch = epoch + 1'),
  ),
  allowed('a deleted client is registered again', updateClient(CLIENT.deleted, `deleted_at = null, ${SECRET}`)),
  refused('clients_stays', 'a client is removed', `delete from clients where client_id = '${CLIENT.another}'`),
  refused('clients_stays', 'a deleted client is removed', `delete from clients where client_id = '${CLIENT.deleted}'`),
  refused('clients_is_not_emptied', 'all clients are removed', 'truncate clients cascade'),

  // End-users.
  allowed('an end-user is registered', insertUser({})),
  ...['disabled_at', 'deleted_at'].map((ended) =>
    refused('users_begins_with_its_machine', `an end-user begins with ${ended}`, insertUser({ [ended]: 'now()' })),
  ),
  allowed('an end-user gets other claims', updateUser(USER.alice, `claims = '{"name": "Alice"}'`)),
  allowed('an end-user is deleted', deletion('')),
  refused(
    'users_deletion_raises_epoch',
    'an end-user is deleted, and the epoch stays',
    updateUser(USER.disabled, "deleted_at = now(), username = '', password_hash = '', claims = '{}'"),
  ),
  ...['disabled_at', 'username', 'password_hash', 'imported_hash', 'password_by_link_at', 'claims'].map((left) =>
    refused(NOT_ERASED, `an end-user is deleted, and ${left} is left`, deletionBut(left)),
  ),
  ...[
    "username = 'deleted'",
    "username_key = 'x'",
    "password_hash = 'x'",
    "imported_hash = 'x'",
    'password_by_link_at = now()',
    `claims = '{"a": 1}'`,
  ].map((set) => refused(ERASED, `of a deleted end-user, ${set}`, updateUser(USER.deleted, set))),
  refused(
    'users_moves_with_its_machine',
    'a deletion is undone, and nothing else',
    updateUser(USER.deleted, 'deleted_at = null'),
  ),
  refused(
    ERASED,
    'the disabling of a deleted end-user is dated again',
    updateUser(USER.deleted, "disabled_at = now() - interval '1 s'"),
  ),
  refused(ERASED, 'a deletion is dated again', updateUser(USER.deleted, "deleted_at = now() - interval '1 s'")),
  refused('users_stays', 'an end-user is removed', `delete from users where id = '${USER.disabled}'`),
  refused('users_stays', 'a deleted end-user is removed', `delete from users where id = '${USER.deleted}'`),
  refused('users_is_not_emptied', 'all end-users are removed', 'truncate users cascade'),
];
