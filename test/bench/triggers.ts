/**
 * `node test/bench/triggers.ts`: the cost of the triggers for a rotation, in Postgres. Databases that differ in
 * nothing but their triggers take turns. Each turn moves every head once, a commit each, inside the database, so that neither
 * network nor disk is in the figures.
 */
import postgres from 'postgres';
import type { Rule } from '../../src/lifecycles/rules.ts';
import { heldMachines, rulesOf } from '../../src/review/sql/rules.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { openDatabases } from './databases.ts';
import { postgresCpu, postgresCpuBetween } from './postgres-cpu.ts';
import { median } from './statistics.ts';
import { insertGrants, registerClientAndPerson } from './targets/statehouse-rows.ts';

const CHAINS = 1000;
const ROUNDS = 30;

const updates = rulesOf(heldMachines).filter(({ table, on }) => table === 'grants' && typeof on === 'object');
const conditionOf = ({ when, only }: Rule) => `${only ?? 'true'} and (${when.join(' or ')})`;
const columnsOf = ({ on }: Rule) => (typeof on === 'object' ? on.update.join(', ') : '');
const each = (statement: (rule: Rule) => string) => updates.map(statement).join(';');

/** The same conditions, asked otherwise. */
const VARIANTS: Readonly<Record<string, string>> = {
  'no triggers':
    'drop trigger grants_begins_once on grants; drop trigger grants_begins_with_its_machine on grants; '.concat(
      'drop trigger grants_stays_until_its_end on grants; drop trigger grants_is_not_emptied on grants; ',
      each(({ name }) => `drop trigger ${name} on grants`),
    ),
  'as made: AFTER UPDATE OF, a function each': '',
  'BEFORE UPDATE OF, a function each': each(
    (rule) => `drop trigger ${rule.name} on grants;
      create function before_${rule.name}() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$ begin
        if ${conditionOf(rule)} then raise exception 'refused'; end if; return new; end $$;
      create trigger ${rule.name} before update of ${columnsOf(rule)} on grants for each row
        execute function before_${rule.name}()`,
  ),
  'AFTER UPDATE OF, conditions in WHEN': each(
    (rule) => `create or replace trigger ${rule.name} after update of ${columnsOf(rule)} on grants for each row
      when (${conditionOf(rule)}) execute function ${rule.name}()`,
  ),
};

const ROTATE_ALL = `create procedure rotate_all() language plpgsql as $$
declare chain record;
begin
  for chain in select id from grants loop
    update grants g set refresh_generation = coalesce(refresh_generation + 1, 0), last_used_at = now(), chain_ends_at = now(),
      refresh_nonce = decode(md5(random()::text), 'hex')
    from clients c, users u, server s
    where g.id = chain.id and g.state = 'active' and c.client_id = g.client_id and c.epoch = g.client_epoch
      and u.id = g.user_id and u.epoch = g.user_epoch and s.epoch = g.server_epoch;
    commit;
  end loop;
end $$`;

const databases = await openDatabases();
const runs: { name: string; database: string; sql: postgres.Sql; cpu: number[] }[] = [];
try {
  for (const [index, [name, statements]] of Object.entries(VARIANTS).entries()) {
    const database = `triggers_${index}`;
    const url = await databases.create(database);
    const seeding = openPostgres(url, { connections: 1 });
    await seeding.migrate();
    await registerClientAndPerson(seeding.drizzle);
    await insertGrants(seeding.drizzle, CHAINS);
    await seeding.close();
    const sql = postgres(url, { max: 1, onnotice: () => {}, connection: { synchronous_commit: 'off' } });
    runs.push({ name, database, sql, cpu: [] });
    if (statements !== '') await sql.unsafe(statements);
    await sql.unsafe(ROTATE_ALL);
    await databases.analyze(url);
  }
  for (let round = 0; round <= ROUNDS; round++) {
    const first = round % runs.length;
    for (const { sql, database, cpu } of [...runs.slice(first), ...runs.slice(0, first)]) {
      const before = await postgresCpu(databases.admin, database);
      await sql`call rotate_all()`;
      const spent = postgresCpuBetween(before, await postgresCpu(databases.admin, database));
      await sql`vacuum grants`;
      // The first round exchanges codes and warms up.
      if (round > 0) cpu.push((spent ?? Number.NaN) / CHAINS);
    }
  }
  process.stdout.write(
    'Postgres CPU of a rotation, µs: median of the rounds, and beside no triggers in the same round\n',
  );
  for (const { name, cpu } of runs) {
    const beside = median(cpu.map((value, round) => value - (runs[0]?.cpu[round] ?? 0)));
    process.stdout.write(`${median(cpu).toFixed(1).padStart(6)} ${`+${beside.toFixed(1)}`.padStart(6)}  ${name}\n`);
  }
} finally {
  await Promise.all(runs.map(({ sql }) => sql.end()));
  await databases.close();
}
