/**
 * `node test/bench/write-costs.ts`: the cost of each index, trigger and constraint for an approval without a page and for a rotation, in
 * Postgres. Databases that differ in nothing but one of them take turns, with the statements of the server. Commits do not wait for
 * the disk, and Postgres writes no whole pages, so that neither is in the figures. `--plan` prints the plans of both statements.
 */
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import { openDatabases } from './databases.ts';
import { postgresCpu, postgresCpuBetween } from './postgres-cpu.ts';
import { median } from './statistics.ts';
import { indexesOf } from './write-costs/indexes.ts';
import { explained } from './write-costs/plans.ts';
import { openWriter, seed, type Writer } from './write-costs/writer.ts';

const ROWS = 300;

/** `write-costs.ts NAME …` compares only the variants with one of these words in their names. */
const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { plan: { type: 'boolean', default: false }, rounds: { type: 'string', default: '7' } },
});
const ROUNDS = Number(options.rounds);

/** The shipped database first: every other one is compared with it. */
const VARIANTS: Readonly<Record<string, string>> = {
  'as shipped': '',
  'without grants_created_at': 'drop index grants_created_at',
  'without grants_user_id_created_at': 'drop index grants_user_id_created_at',
  'without grants_client_id_created_at': 'drop index grants_client_id_created_at',
  'without transitions_shard_key': 'drop index transitions_shard_key',
  'without transitions_order': 'drop index transitions_order',
  'transitions_shard_key with the instant': `drop index transitions_shard_key;
    create index transitions_shard_key on transitions (shard_key, at)`,
  'transitions_order with the instant': `drop index transitions_order;
    create index transitions_order on transitions (recorded_in, position, at)`,
  'the check constraints of grants as one': `alter table grants drop constraint grants_state;
    alter table grants drop constraint grants_revoked_has_reason; alter table grants drop constraint grants_head_is_whole;
    alter table grants add constraint grants_state check (state in ('active', 'revoked')
      and (state = 'revoked') = (revoked_reason is not null) and (refresh_generation is null) = (refresh_nonce is null))`,
  'without transitions_about': 'drop index transitions_about',
  'without the foreign keys of grants': `alter table grants drop constraint grants_client_id_clients_client_id_fk;
    alter table grants drop constraint grants_user_id_users_id_fk`,
  'without the check constraints of grants': `alter table grants drop constraint grants_state;
    alter table grants drop constraint grants_revoked_has_reason; alter table grants drop constraint grants_head_is_whole`,
  'without grants_begins_once': 'drop trigger grants_begins_once on grants',
  'without grants_begins_with_its_machine': 'drop trigger grants_begins_with_its_machine on grants',
  'without the triggers on updates of grants': `drop trigger grants_keeps_what_was_approved on grants;
    drop trigger grants_moves_with_its_machine on grants; drop trigger grants_ends_once_with_a_reason on grants;
    drop trigger grants_head_moves_by_one on grants; drop trigger grants_times_move_with_the_head on grants`,
  'without transitions_is_of_now': 'drop trigger transitions_is_of_now on transitions',
};

type Spent = { readonly cpu: number; readonly wal: number };
type Run = { readonly name: string; readonly database: string; readonly writer: Writer; readonly spent: Spent[][] };

const databases = await openDatabases();
const runs: Run[] = [];
try {
  await databases.admin`alter system set full_page_writes = off`;
  await databases.admin`select pg_reload_conf()`;
  const template = await databases.create('write_costs');
  await seed(template);
  await databases.analyze(template);
  const chosen = Object.entries(VARIANTS).filter(
    ([name], index) =>
      index === 0 || (!options.plan && (words.length === 0 || words.some((word) => name.includes(word)))),
  );
  for (const [index, [name, statements]] of chosen.entries()) {
    const database = `write_costs_${index}`;
    await databases.admin.unsafe(`create database ${database} template write_costs`);
    const url = template.replace(/write_costs$/, database);
    const owner = postgres(url, { max: 1, onnotice: () => {} });
    if (statements !== '') await owner.unsafe(statements);
    await owner.end();
    runs.push({ name, database, writer: await openWriter(url, ROWS), spent: [] });
  }
  const [shipped] = runs;
  if (!shipped) throw new Error('nothing to measure');
  if (options.plan) process.stdout.write(await explained(shipped.writer));
  else {
    // The first round warms up, and exchanges codes.
    for (let round = 0; round <= ROUNDS; round++) {
      const first = round % runs.length;
      for (const run of [...runs.slice(first), ...runs.slice(0, first)]) {
        const { approve, approveWithPage, rotate } = run.writer;
        const spent = [];
        for (const write of [approve, approveWithPage, rotate]) spent.push(await turn(run, write));
        if (round > 0) run.spent.push(spent);
      }
    }
    printVariants(shipped);
    process.stdout.write(await indexesOf(shipped.writer.sql));
  }
} finally {
  await Promise.all(runs.map(({ writer }) => writer.close()));
  await databases.close();
}

async function turn({ database }: Run, write: () => Promise<void>): Promise<Spent> {
  const walNow = async () => {
    const [row] = await databases.admin<{ lsn: string }[]>`select pg_current_wal_insert_lsn() - '0/0' as lsn`;
    return Number(row?.lsn);
  };
  const [cpu, wal] = [await postgresCpu(databases.admin, database), await walNow()];
  await write();
  const [walAfter, cpuAfter] = [await walNow(), await postgresCpu(databases.admin, database)];
  return { cpu: (postgresCpuBetween(cpu, cpuAfter) ?? Number.NaN) / ROWS, wal: (walAfter - wal) / ROWS };
}

function printVariants(shipped: Run): void {
  const write = (line: readonly string[], name: string) =>
    process.stdout.write(`${line.map((cell) => cell.padStart(9)).join(' ')}  ${name}\n`);
  process.stdout.write(
    `CPU of Postgres (µs) and WAL (octets) of one approval, of one that stores its interaction, and of one rotation: the medians of ${ROUNDS} rounds of ${ROWS}.\n` +
      'Below them the differences, the medians of those in each round.\n',
  );
  write(['approval', 'WAL', 'with page', 'WAL', 'rotation', 'WAL'], '');
  for (const run of runs) {
    const cells = [0, 1, 2].flatMap((kind) =>
      (['cpu', 'wal'] as const).map((what) => {
        const of = ({ spent }: Run, round: number) => spent[round]?.[kind]?.[what] ?? Number.NaN;
        const rounds = run.spent.map((_, round) => of(run, round) - (run === shipped ? 0 : of(shipped, round)));
        return median(rounds).toFixed(what === 'cpu' ? 1 : 0);
      }),
    );
    write(cells, run.name);
  }
}
