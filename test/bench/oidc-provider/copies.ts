/** Authorizations that are left alone: the database copies the two documents of one of them. */
import type postgres from 'postgres';

export async function copyGrants(sql: postgres.Sql, code: string, count: number): Promise<void> {
  await sql`
    with made as (
      select replace(gen_random_uuid()::text, '-', '') as code, replace(gen_random_uuid()::text, '-', '') as grant_id
      from generate_series(1, ${count}::int)),
    template as (select * from oidc_payloads where model = 'AuthorizationCode' and id = ${code}),
    codes as (
      insert into oidc_payloads (model, id, payload, grant_id, expires_at)
      select t.model, m.code, t.payload || jsonb_build_object('jti', m.code, 'grantId', m.grant_id), m.grant_id, t.expires_at
      from template t, made m)
    insert into oidc_payloads (model, id, payload, expires_at)
    select g.model, m.grant_id, g.payload || jsonb_build_object('jti', m.grant_id), g.expires_at
    from template t join oidc_payloads g on g.model = 'Grant' and g.id = t.grant_id, made m`;
}
