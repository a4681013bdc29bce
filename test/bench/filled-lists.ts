/** A database as after a year of use: half of the grants have ended, every hundredth by a reuse. */
import postgres from 'postgres';

export type Extent = {
  readonly grants: number;
  readonly lines: number;
  readonly clients: number;
  readonly users: number;
  readonly sessions: number;
};

/** Every so many end-users have it. */
export const ONE_IN = { disabled: 1000, withoutPassword: 50, verified: 3, signedIn: 2, passkey: 10, app: 20 } as const;

export async function fillLists(url: string, extent: Extent): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    // The triggers refuse rows that no machine has made.
    await sql`set session_replication_role = replica`;
    await sql`set statement_timeout = 0`;
    await fillClients(sql, extent);
    await fillUsers(sql, extent);
    await fillSessions(sql, extent);
    await fillGrants(sql, extent);
    await fillLedger(sql, extent);
  } finally {
    await sql.end();
  }
}

const fillClients = (sql: postgres.Sql, { clients }: Extent) =>
  sql`insert into clients (client_id, client_name, application_type, token_endpoint_auth_method, secret_macs, redirect_uris, grant_types, policy, created_at)
    select 'client-' || n, 'Client number ' || n, 'web', 'none', '[]', array['https://c' || n || '.test/'],
      array['authorization_code', 'refresh_token'], 'default', now() - n * interval '1 hour' from generate_series(1, ${clients}::int) n`;

async function fillUsers(sql: postgres.Sql, { users }: Extent): Promise<void> {
  await sql`insert into users (id, username, username_key, password_hash, claims, created_at, disabled_at)
    select gen_random_uuid(), 'user-' || n, 'user-' || n, case when n % ${ONE_IN.withoutPassword} = 0 then '' else 'x' end,
      jsonb_build_object('name', initcap(substr(md5(n || 'a'), 1, 7)) || ' Müller', 'department', 'department ' || n % 200,
        'email', substr(md5(n || 'b'), 1, 9) || '@firma-' || n % 50 || '.example', 'email_verified', n % ${ONE_IN.verified} = 0),
      now() - n * interval '1 minute', case when n % ${ONE_IN.disabled} = 0 then now() end
    from generate_series(1, ${users}::int) n`;
  await sql`create temporary table numbered as select id, row_number() over () as n from users where username like 'user-%'`;
  await sql`create index on numbered (n)`;
  await sql`insert into last_sign_ins (user_id, signed_in_at)
    select id, now() - n * interval '5 minutes' from numbered where n % ${ONE_IN.signedIn} = 0`;
  await sql`insert into passkeys (id, user_id, state, name, credential_id, public_key, counter, backup_eligible, transports, created_at, mac, mac_version)
    select gen_random_uuid(), id, 'active', 'Phone', uuid_send(gen_random_uuid()), 'x'::bytea, 0, true, '{}', now(), 'x'::bytea, 1
    from numbered where n % ${ONE_IN.passkey} = 0`;
  await sql`insert into second_factors (id, user_id, state, sealed_secret, last_step, created_at, confirmed_at)
    select gen_random_uuid(), id, 'active', 'x', 1, now(), now() from numbered where n % ${ONE_IN.app} = 1`;
}

const fillSessions = (sql: postgres.Sql, { sessions, users }: Extent) =>
  sql`insert into sessions (id_hash, user_id, user_epoch, server_epoch, signed_in_at, ends_at, user_agent)
    select sha256(uuid_send(gen_random_uuid())), u.id, 0, 0, now() - s.n * interval '1 second', now() + interval '12 hours', 'Mozilla/5.0'
    from generate_series(1, ${sessions}::int) s(n) join numbered u on u.n = s.n % ${users} + 1`;

const fillGrants = (sql: postgres.Sql, { grants, clients, users }: Extent) =>
  sql`insert into grants (id, code_hash, client_id, user_id, client_epoch, user_epoch, server_epoch,
      scope, resources, policy, code_challenge, redirect_uri, code_ends_at, state, revoked_at, revoked_reason, created_at,
      refresh_generation, refresh_nonce, last_used_at, chain_ends_at)
    select gen_random_uuid(), sha256(uuid_send(gen_random_uuid())), 'client-' || (s.n % ${clients} + 1), u.id, 0, 0, 0,
      array['read'], array['https://api.example.com'], 'default', 'x', 'https://c.test/', now(),
      case when s.n % 2 = 0 then 'revoked' else 'active' end, case when s.n % 2 = 0 then now() - s.n * interval '10 seconds' end,
      case when s.n % 100 = 0 then 'refresh_token_reused' when s.n % 2 = 0 then 'revocation_requested' end,
      now() - s.n * interval '60 seconds', 10, '\\x00'::bytea, now() - interval '1 hour', now() + interval '30 days'
    from generate_series(1, ${grants}::int) s(n) join numbered u on u.n = s.n % ${users} + 1`;

/** Of a thousand entries, one is a reuse and ten are sign-ins, from fifty addresses. */
async function fillLedger(sql: postgres.Sql, { grants, lines, users }: Extent): Promise<void> {
  await sql`create temporary table chains as select id, client_id, row_number() over () as n from grants`;
  await sql`create index on chains (n)`;
  const AT_A_TIME = 100_000;
  for (let from = 0; from < lines; from += AT_A_TIME) {
    const to = Math.min(from + AT_A_TIME, lines);
    const at = sql`now() - (${lines}::int - s.n) * interval '0.1 second'`;
    await sql`insert into transitions (shard_key, at, machine, grant_id, event, from_state, to_state, generation, client_id, policy, reason)
      select g.id, ${at}, 'refreshToken', g.id, 'presented', 'active',
        case when s.n % 1000 = 0 then 'revoked' else 'used' end, s.n, g.client_id, 'default',
        case when s.n % 1000 = 0 then 'refresh_token_reused' end
      from generate_series(${from + 1}::int, ${to}::int) s(n) join chains g on g.n = s.n % ${grants} + 1 where s.n % 100 <> 1`;
    await sql`insert into transitions (shard_key, at, machine, event, from_state, to_state, user_id, address, account_hash)
      select u.id, ${at}, 'signIn', 'password', 'attempted', case when s.n % 300 = 1 then 'refused' else 'accepted' end, u.id,
        '192.0.2.' || s.n / 100 % 50, '00000000.' || left(md5((s.n % ${users})::text), 22)
      from generate_series(${from + 1}::int, ${to}::int) s(n) join numbered u on u.n = s.n % ${users} + 1 where s.n % 100 = 1`;
  }
}
