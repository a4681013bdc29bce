/** The tables as Postgres itself describes them, whatever statements created them. */
import { createHash } from 'node:crypto';
import type postgres from 'postgres';

/** An object of the database. `of` is the table or view that it belongs to. */
export type CatalogueEntry = {
  readonly kind: 'table' | 'view' | 'sequence' | 'column' | 'constraint' | 'unique index' | 'trigger' | 'function';
  readonly of: string;
  readonly name: string;
  /** All that a version could notice of it, as one text. */
  readonly definition: string;
  /** Of a column. */
  readonly mayBeOmitted: boolean;
};

/** By kind and name. */
export type Catalogue = ReadonlyMap<string, CatalogueEntry>;

/** A table has its oid, and a column its number: a recreated one has lost its rows. */
const OBJECTS = `
select case when c.relkind in ('v', 'm') then 'view' when c.relkind = 'S' then 'sequence' else 'table' end as kind,
  c.relname as "of", c.relname as name, concat_ws(' ', case when c.relkind in ('r', 'p') then c.oid end,
    case when c.relrowsecurity then 'row security' end) as definition,
  false as "mayBeOmitted"
from pg_class c where c.relkind in ('r', 'p', 'v', 'm', 'S') and c.relnamespace = 'public'::regnamespace and not c.relispartition
union all
select 'column', c.relname, c.relname || '.' || a.attname,
  concat_ws(' ', a.attnum, format_type(a.atttypid, a.atttypmod), case when a.attnotnull then 'not null' end,
    case when a.attgenerated <> '' or a.attidentity = 'a' then 'generated' when a.atthasdef then 'default' end),
  not a.attnotnull or a.atthasdef or a.attidentity <> ''
from pg_attribute a join pg_class c on c.oid = a.attrelid
where c.relkind in ('r', 'p', 'v', 'm') and c.relnamespace = 'public'::regnamespace and not c.relispartition
  and a.attnum > 0 and not a.attisdropped
union all
select 'constraint', c.relname, c.relname || '.' || k.conname, pg_get_constraintdef(k.oid), false
from pg_constraint k join pg_class c on c.oid = k.conrelid
where c.relnamespace = 'public'::regnamespace and not c.relispartition and k.contype not in ('n', 't')
union all
select 'unique index', c.relname, c.relname || '.' || i.indexrelid::regclass, pg_get_indexdef(i.indexrelid), false
from pg_index i join pg_class c on c.oid = i.indrelid
where i.indisunique and c.relnamespace = 'public'::regnamespace and not c.relispartition
union all
select 'trigger', c.relname, c.relname || '.' || t.tgname, pg_get_triggerdef(t.oid) || ' ' || p.prosrc, false
from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
where not t.tgisinternal and c.relnamespace = 'public'::regnamespace and not c.relispartition
union all
select 'function', p.proname, p.oid::regprocedure::text, pg_get_function_result(p.oid), false
from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prorettype <> 'trigger'::regtype`;

export async function readCatalogue(db: postgres.Sql | postgres.TransactionSql): Promise<Catalogue> {
  const rows = await db.unsafe<CatalogueEntry[]>(OBJECTS);
  return new Map(Array.from(rows, (entry) => [`${entry.kind} ${entry.name}`, entry]));
}

/** Changes with the definition. */
export const digestOf = (definition: string): string =>
  createHash('sha256').update(definition).digest('hex').slice(0, 12);
