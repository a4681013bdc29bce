/** Names of clients and users: none is both (RFC 9700 §4.15), and what identifies one end-user identifies no other. */
import { CLIENT, USER } from '../held-rows.ts';
import { allowed, type HeldCase, insertCopy, refused, updateOf } from './case.ts';

const FREE = '5d3f9a0e-0c57-4d0b-9d3c-9a6a2f1e7b11';

const client = (id: string) =>
  insertCopy({
    table: 'clients',
    where: `client_id = '${CLIENT.active}'`,
    columns:
      'client_name, application_type, token_endpoint_auth_method, secret_macs, redirect_uris, grant_types, policy, epoch',
    values: { client_id: `'${id}'` },
  });
const user = (id: string, username = 'new', address = 'null') =>
  insertCopy({
    table: 'users',
    where: `id = '${USER.alice}'`,
    columns: 'password_hash, claims, epoch',
    values: { id: `'${id}'`, username: `'${username}'`, username_key: `'${username}'`, sign_in_address: address },
  });

const ADDRESS = 'alice@example.com';
const update = updateOf('users', 'id');
const given = update(USER.alice, `sign_in_address = '${ADDRESS}'`);

export const nameCases: readonly HeldCase[] = [
  allowed('a client with the form of a sub', client(FREE)),
  allowed('a user with an id that no client has', user(FREE)),
  refused('client_id_is_no_sub', 'a client with the sub of a user', client(USER.alice)),
  refused('client_id_is_no_sub', 'a client with the sub of a user in capitals', client(USER.alice.toUpperCase())),
  refused(
    'client_id_is_no_sub',
    'a client is renamed to the sub of a user',
    client(FREE),
    `update clients set client_id = '${USER.alice}' where client_id = '${FREE}' returning 1`,
  ),
  refused('sub_is_no_client_id', 'a user with the id of a client', client(FREE), user(FREE)),
  refused('sub_is_no_client_id', 'a user with the id of a client in capitals', client(FREE.toUpperCase()), user(FREE)),
  allowed(
    'an end-user with another address, and one with the own address as the username',
    given,
    user(FREE, 'n@example.com', "'n@example.com'"),
  ),
  refused('an_identifier_is_of_one_user', 'a username that is the address of another', given, user(FREE, ADDRESS)),
  refused('an_identifier_is_of_one_user', 'an address that is the username of another', user(FREE, ADDRESS), given),
  refused(
    'an_identifier_is_of_one_user',
    'an end-user is renamed to the address of another',
    given,
    update(USER.bob, `username_key = '${ADDRESS}'`),
  ),
  allowed(
    'a node that knows no addresses deletes an end-user with one',
    given,
    update(
      USER.alice,
      "username = '', username_key = 'x', password_hash = '', imported_hash = null, password_by_link_at = null, claims = '{}', epoch = epoch + 1, disabled_at = now(), deleted_at = now()",
    ),
  ),
];
