/** Names of clients and users: none is both (RFC 9700 §4.15). */
import { CLIENT, USER } from '../held-rows.ts';
import { allowed, type HeldCase, insertCopy, refused } from './case.ts';

const FREE = '5d3f9a0e-0c57-4d0b-9d3c-9a6a2f1e7b11';

const client = (id: string) =>
  insertCopy({
    table: 'clients',
    where: `client_id = '${CLIENT.active}'`,
    columns:
      'client_name, application_type, token_endpoint_auth_method, secret_macs, redirect_uris, grant_types, policy, epoch',
    values: { client_id: `'${id}'` },
  });
const user = (id: string) =>
  insertCopy({
    table: 'users',
    where: `id = '${USER.alice}'`,
    columns: 'password_hash, claims, epoch',
    values: { id: `'${id}'`, username: "'new'", username_key: "'new'" },
  });

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
];
