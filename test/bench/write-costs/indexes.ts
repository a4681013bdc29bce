/** The indexes of the tables that approvals and rotations write: the statement that reads each, and its size for each row. */
import type postgres from 'postgres';

const READ_BY: Readonly<Record<string, string>> = {
  grants_pkey: 'every load and commit of a grant; one approval of an interaction makes one grant',
  grants_created_at: 'the newest grants (management API, console), and housekeeping',
  grants_user_id_created_at: 'the grants of an end-user: /permissions, erasure, management API',
  grants_client_id_created_at: 'the grants of a client, and the consequences of its end (management API)',
  grants_revoked_at: 'alarms; holds revoked grants only',
  interactions_pkey: 'every load and commit of an interaction with a page',
  interactions_ends_at: 'housekeeping',
  sessions_sid_user_id_pk: 'the end of a session',
  sessions_id_hash: 'every request of a signed-in browser; the lock of an approval',
  sessions_ends_at: 'housekeeping',
  sessions_user_id_signed_in_at: 'the sessions of an end-user',
  sessions_signed_in_at: 'the newest sessions (management API, console)',
  transitions_shard_key: 'the ledger of a grant, and the trigger that lets a grant begin once',
  transitions_order: 'the feed, webhooks, and sealing, each from the place where it ended',
  transitions_about: 'the ledger of a session or an end-user; holds no entry of a rotation',
};

const TABLES = ['grants', 'interactions', 'sessions', 'transitions'];

/** A partitioned index has the size of its parts. */
export async function indexesOf(sql: postgres.Sql): Promise<string> {
  await sql`vacuum analyze`;
  const rows = await sql<{ name: string; table: string; octets: string; rows: string }[]>`
    with parts as (
      select i.oid as index, c.oid, c.reltuples from pg_class i join pg_class c on c.oid = i.oid
        or c.oid in (select p.relid from pg_partition_tree(i.oid) p where p.isleaf)
      where i.relkind in ('i', 'I') and c.relkind = 'i')
    select i.relname as name, t.relname as "table",
      (select sum(pg_relation_size(p.oid)) from parts p where p.index = i.oid) as octets,
      (select sum(greatest(p.reltuples, 0)) from parts p where p.index = i.oid) as rows
    from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
    where t.relname in ${sql(TABLES)} order by 2, 1`;
  const lines = rows.map(({ name, octets, rows: count }) => {
    const size = Number(count) === 0 ? '–' : (Number(octets) / Number(count)).toFixed(0);
    const reader = READ_BY[name];
    if (reader === undefined) throw new Error(`${name}: which statement reads it?`);
    return `${size.padStart(9)}  ${name}: ${reader}`;
  });
  const [ledger] = await sql<{ heap: string; indexes: string; entries: string }[]>`
    select sum(pg_relation_size(relid)) as heap, sum(pg_indexes_size(relid)) as indexes,
      (select count(*) from transitions) as entries from pg_partition_tree('transitions'::regclass) where isleaf`;
  const each = (octets: string | undefined) => (Number(octets) / Number(ledger?.entries)).toFixed(0);
  lines.push(`An entry of the ledger: ${each(ledger?.heap)} octets, and ${each(ledger?.indexes)} in indexes`);
  return `Octets of each index for a row in it, and the statements that read it:\n${lines.join('\n')}\n`;
}
