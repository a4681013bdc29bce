/** oidc-provider's adapter on Postgres, as its documentation shows one: a table of JSON documents, prepared statements. */
import type { Adapter, AdapterPayload } from 'oidc-provider';
import type postgres from 'postgres';

/** Leaves a table that is there as it is. */
export async function makeTable(sql: postgres.Sql): Promise<void> {
  await sql`create table if not exists oidc_payloads (
    model text not null, id text not null, payload jsonb not null, grant_id text, uid text, user_code text,
    expires_at timestamptz, consumed_at timestamptz, primary key (id, model))`;
  await sql`create index if not exists oidc_payloads_grant_id on oidc_payloads (grant_id)`;
  await sql`create index if not exists oidc_payloads_uid on oidc_payloads (uid)`;
}

type Row = { readonly payload: AdapterPayload; readonly consumed: boolean };

/** Without `expiresIn` it is kept for good: so are clients. */
type Storing = (id: string, payload: AdapterPayload, expiresIn?: number) => Promise<void>;

export function adapterOn(sql: postgres.Sql, model: string): Adapter & { readonly upsert: Storing } {
  const found = (rows: readonly Row[]): AdapterPayload | undefined => {
    const [row] = rows;
    return row && (row.consumed ? { ...row.payload, consumed: true } : row.payload);
  };
  return {
    upsert: async (id, payload, expiresIn) => {
      const { grantId = null, uid = null, userCode = null } = payload;
      await sql`
        insert into oidc_payloads (model, id, payload, grant_id, uid, user_code, expires_at)
        values (${model}, ${id}, ${sql.json(payload as postgres.JSONValue)}, ${grantId}, ${uid}, ${userCode},
          now() + make_interval(secs => ${expiresIn ?? null}))
        on conflict (id, model) do update set payload = excluded.payload, grant_id = excluded.grant_id,
          uid = excluded.uid, user_code = excluded.user_code, expires_at = excluded.expires_at`;
    },
    find: async (id) =>
      found(
        await sql<Row[]>`
          select payload, consumed_at is not null as consumed from oidc_payloads
          where model = ${model} and id = ${id} and (expires_at is null or expires_at > now())`,
      ),
    findByUid: async (uid) =>
      found(
        await sql<Row[]>`
          select payload, consumed_at is not null as consumed from oidc_payloads
          where model = ${model} and uid = ${uid} and (expires_at is null or expires_at > now())`,
      ),
    // The device flow is off.
    findByUserCode: async () => undefined,
    consume: async (id) => {
      await sql`update oidc_payloads set consumed_at = now() where model = ${model} and id = ${id}`;
    },
    destroy: async (id) => {
      await sql`delete from oidc_payloads where model = ${model} and id = ${id}`;
    },
    revokeByGrantId: async (grantId) => {
      await sql`delete from oidc_payloads where model = ${model} and grant_id = ${grantId}`;
    },
  };
}
