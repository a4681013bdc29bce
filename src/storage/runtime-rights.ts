/** The rights of the role of a server, and only they: `statehouse migrate --grant-to` gives them. */
import { sql } from 'drizzle-orm';
import { getTableConfig } from 'drizzle-orm/pg-core';
import type { Drizzle } from './database.ts';
import { DatabaseRoleError, rowsOf } from './database-role.ts';
import { answersOfEachNode, isCluster } from './each-node.ts';
import { reached } from './failures.ts';
import { TABLES } from './tables.ts';

const VIEWS = ['grant_states', 'authorization_codes', 'refresh_token_heads', 'session_states'];

/**
 * Gives a role the rights that a server needs, and takes all others; for the tables of this version. The owner calls it after each
 * migration. Nodes that run under the role see the change immediately, and as a whole.
 * @throws DatabaseRoleError where the role is not found, or it has rights that cannot be taken from it here.
 */
export async function grantToRuntime(db: Drizzle, role: string): Promise<void> {
  const [found] = await rowsOf<{ isSuperuser: boolean; ownsTables: boolean }>(
    db,
    sql`select r.rolsuper as "isSuperuser", pg_has_role(r.oid, c.relowner, 'MEMBER') as "ownsTables"
      from pg_roles r, pg_class c where r.rolname = ${role} and c.oid = 'public.transitions'::regclass`,
  );
  if (!found) {
    throw new DatabaseRoleError(
      `There is no role "${role}" in this Postgres. Make it, with a password: createuser --pwprompt ${role}`,
    );
  }
  if (found.isSuperuser || found.ownsTables) {
    const tooMuch = found.isSuperuser ? 'is a superuser' : 'owns the tables, or is a member of the role that does';
    throw new DatabaseRoleError(`The role "${role}" ${tooMuch}. Name another role, for the server alone.`);
  }
  const to = sql.identifier(role);
  const granted = TABLES.map(
    ({ table, rights }) =>
      sql`grant ${sql.raw(rights.join(', '))} on public.${sql.identifier(getTableConfig(table).name)} to ${to}`,
  );
  const statements = [
    // Before Postgres 15 every role could make tables there.
    sql`revoke create on schema public from public, ${to}`,
    sql`revoke all on all tables in schema public from ${to}`,
    sql`revoke all on all tables in schema drizzle from ${to}`,
    sql`revoke all on all functions in schema public from ${to}`,
    sql`grant usage on schema public, drizzle to ${to}`,
    sql`grant select on drizzle.__drizzle_migrations, drizzle.triggers to ${to}`,
    ...granted,
    sql`grant select on ${sql.join(
      VIEWS.map((view) => sql`public.${sql.identifier(view)}`),
      sql`, `,
    )} to ${to}`,
    sql`grant usage on sequence public.transitions_position to ${to}`,
    sql`grant execute on function public.keep_ledger_months(), public.ledger_default_entries() to ${to}`,
    // An index of the clients evaluates it.
    sql`grant execute on function public.web_origins(text[]) to ${to}`,
  ];
  await reached(() =>
    db.transaction(async (transaction) => {
      for (const statement of statements) await transaction.execute(statement);
    }),
  );
  await reached(() => grantOnEachNode(db, role));
}

/** A table that each node has by itself: Citus gives rights on the others to every node. @throws DatabaseRoleError */
async function grantOnEachNode(db: Drizzle, role: string): Promise<void> {
  if (!(await isCluster(db))) return;
  const name = `"${role.replaceAll('"', '""')}"`;
  for (const { table, spreadBy, rights } of TABLES) {
    if (spreadBy !== 'each node') continue;
    const { name: of } = getTableConfig(table);
    const answers = await answersOfEachNode(
      db,
      `do $do$ begin
        perform set_config('citus.enable_ddl_propagation', 'off', true);
        revoke all on public."${of}" from ${name};
        grant ${rights.join(', ')} on public."${of}" to ${name};
      end $do$`,
    );
    const refusal = answers.find(({ success }) => !success);
    if (refusal) throw new DatabaseRoleError(`The node ${refusal.node} refused the rights: ${refusal.result}`);
  }
}

/** The roles to which the rights of a server were granted before: they get those of the tables that a migration adds. */
export async function runtimeRoles(db: Drizzle): Promise<readonly string[]> {
  const rows = await rowsOf<{ role: string }>(
    db,
    sql`select r.rolname as role from pg_proc p, aclexplode(p.proacl) a join pg_roles r on r.oid = a.grantee
      where p.oid = 'public.keep_ledger_months()'::regprocedure and a.privilege_type = 'EXECUTE' and a.grantee <> p.proowner
      order by 1`,
  );
  return rows.map(({ role }) => role);
}
