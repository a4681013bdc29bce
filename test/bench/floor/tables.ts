/** What the floor stores: one row a client, one row an authorization. No ledger, no epochs. */
import { randomBytes } from 'node:crypto';
import type postgres from 'postgres';
import {
  CHALLENGE,
  CLIENT_ID,
  CLIENT_SECRET,
  CODE_SECONDS,
  REDIRECT_URI,
  RESOURCE,
  SCOPE,
  SUBJECT_ID,
} from '../setting.ts';
import { mac, sha256 } from './keys.ts';
import { codeOf } from './tokens.ts';

export async function makeFloorTables(sql: postgres.Sql): Promise<void> {
  await sql`create table clients (
    client_id text primary key, secret_mac bytea not null, scope text not null, resource text not null)`;
  await sql`create table grants (
    id uuid primary key, client_id text not null, user_id text not null, scope text not null, resource text not null,
    code_hash bytea not null, code_challenge text not null, redirect_uri text not null, code_ends_at timestamptz not null,
    revoked_at timestamptz, generation bigint, nonce bytea,
    created_at timestamptz not null default now(), chain_ends_at timestamptz) with (fillfactor = 70)`;
  await sql`insert into clients values
    (${CLIENT_ID}, ${mac('client-secret', CLIENT_SECRET)}, ${SCOPE.join(' ')}, ${RESOURCE})`;
}

export async function insertFloorGrants(sql: postgres.Sql, count: number): Promise<string[]> {
  const made = Array.from({ length: count }, () => {
    const id = randomBytes(16);
    return { id, ...codeOf(id) };
  });
  const ids = made.map(({ id }) => id.toString('hex'));
  const hashes = made.map(({ secret }) => sha256(secret).toString('hex'));
  await sql`
    insert into grants (id, client_id, user_id, scope, resource, code_hash, code_challenge, redirect_uri, code_ends_at)
    select id::uuid, ${CLIENT_ID}, ${SUBJECT_ID}, ${SCOPE.join(' ')}, ${RESOURCE}, decode(hash, 'hex'), ${CHALLENGE},
      ${REDIRECT_URI}, now() + make_interval(secs => ${CODE_SECONDS})
    from unnest(${ids}::text[], ${hashes}::text[]) as made (id, hash)`;
  return made.map(({ code }) => code);
}
