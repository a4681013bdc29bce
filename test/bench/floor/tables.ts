/** The floor's tables: one row a client, an authorization, a session, a consent. No ledger, no epochs. */
import { randomBytes, randomUUID } from 'node:crypto';
import type postgres from 'postgres';
import type { SignedIn } from '../browser.ts';
import {
  CHALLENGE,
  CLIENT_ID,
  CLIENT_SECRET,
  CODE_SECONDS,
  REDIRECT_URI,
  RESOURCE,
  SCOPE,
  SESSION_SECONDS,
  SUBJECT_ID,
} from '../setting.ts';
import { mac, sha256 } from './keys.ts';
import { codeOf } from './tokens.ts';

/** Leaves tables that are there as they are. */
export async function makeFloorTables(sql: postgres.Sql): Promise<void> {
  await sql`create table if not exists clients (
    client_id text primary key, secret_mac bytea not null, scope text[] not null, resource text not null,
    redirect_uris text[] not null)`;
  await sql`create table if not exists sessions (
    cookie_hash bytea primary key, user_id text not null, ends_at timestamptz not null)`;
  await sql`create table if not exists consents (
    user_id text not null, client_id text not null, scope text[] not null, primary key (user_id, client_id))`;
  await sql`create table if not exists grants (
    id uuid primary key, client_id text not null, user_id text not null, scope text not null, resource text not null,
    code_hash bytea not null, code_challenge text not null, redirect_uri text not null, code_ends_at timestamptz not null,
    revoked_at timestamptz, generation bigint, nonce bytea,
    created_at timestamptz not null default now(), chain_ends_at timestamptz) with (fillfactor = 70)`;
  await sql`create table if not exists proofs (jti text primary key, ends_at timestamptz not null)`;
  await sql`insert into clients values
    (${CLIENT_ID}, ${mac('client-secret', CLIENT_SECRET)}, ${SCOPE}, ${RESOURCE}, ${[REDIRECT_URI]})
    on conflict do nothing`;
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

/** Their codes are unknown. */
export const insertOtherFloorGrants = (sql: postgres.Sql, count: number): Promise<unknown> => sql`
  insert into grants (id, client_id, user_id, scope, resource, code_hash, code_challenge, redirect_uri, code_ends_at)
  select gen_random_uuid(), ${CLIENT_ID}, ${SUBJECT_ID}, ${SCOPE.join(' ')}, ${RESOURCE},
    sha256(uuid_send(gen_random_uuid())), ${CHALLENGE}, ${REDIRECT_URI}, now() + make_interval(secs => ${CODE_SECONDS})
  from generate_series(1, ${count}::int)`;

/** Each a person of their own. */
export async function insertFloorBrowsers(sql: postgres.Sql, count: number): Promise<SignedIn[]> {
  const made = Array.from({ length: count }, () => ({
    userId: randomUUID(),
    cookie: randomBytes(32).toString('base64url'),
  }));
  const userIds = made.map(({ userId }) => userId);
  const hashes = made.map(({ cookie }) => sha256(cookie).toString('hex'));
  await sql`
    insert into sessions select decode(hash, 'hex'), id, now() + make_interval(secs => ${SESSION_SECONDS})
    from unnest(${userIds}::text[], ${hashes}::text[]) as made (id, hash)`;
  await sql`
    insert into consents select id, ${CLIENT_ID}, ${SCOPE} from unnest(${userIds}::text[]) as made (id)`;
  return made.map(({ userId, cookie }) => ({ userId, cookie: `session=${cookie}` }));
}
