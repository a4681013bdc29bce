/**
 * `node test/bench/triggers.ts`: what the triggers that hold the machines cost a rotation. Databases that differ in nothing but their
 * triggers take turns; each turn rotates every chain once, over one connection, with the server's own prepared commit.
 */
import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { GrantStore, LoadedGrant } from '../../src/engine/ports.ts';
import { machines } from '../../src/review/sql/migration.ts';
import { sqlOf } from '../../src/review/sql/text.ts';
import type { Database, Drizzle } from '../../src/storage/database.ts';
import { grantStore } from '../../src/storage/grant-store.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { databaseClock } from '../../src/system/clock.ts';
import { openDatabases } from './databases.ts';
import { postgresCpu, postgresCpuBetween } from './postgres-cpu.ts';
import { CLIENT_ID } from './setting.ts';
import { median, quantile } from './statistics.ts';
import { insertGrants, registerClientAndPerson } from './targets/statehouse.ts';

const CHAINS = 300;
const ROUNDS = 30;

const AS_MADE = sqlOf(machines);
const UPDATES_OF_GRANTS = /AFTER UPDATE OF ([\w, ]+) ON "grants"/g;
/** The same conditions, asked otherwise. */
const VARIANTS: Readonly<Record<string, string>> = {
  'no triggers': '',
  'as made: AFTER UPDATE OF … WHEN': AS_MADE,
  'AFTER UPDATE WHEN, whatever is set': AS_MADE.replace(UPDATES_OF_GRANTS, 'AFTER UPDATE ON "grants"'),
  'BEFORE UPDATE OF … WHEN': AS_MADE.replace(UPDATES_OF_GRANTS, 'BEFORE UPDATE OF $1 ON "grants"'),
  'BEFORE UPDATE, one function': `${AS_MADE}--> statement-breakpoint ${oneFunction()}`,
};

/** What is most often written: one function that compares in PL/pgSQL. */
function oneFunction(): string {
  const triggers = AS_MADE.split('--> statement-breakpoint').filter((one) =>
    /AFTER UPDATE OF [\w, ]+ ON "grants"/.test(one),
  );
  const names = triggers.map((one) => one.match(/TRIGGER "(\w+)"/)?.[1] ?? '');
  const conditions = triggers.map((one) => one.match(/WHEN \(([\s\S]*)\)\n {2}EXECUTE/)?.[1] ?? 'false');
  return [
    ...names.map((name) => `drop trigger ${name} on grants`),
    `create function one_function() returns trigger language plpgsql as $$ begin
      ${conditions.map((condition) => `if ${condition} then raise exception 'refused'; end if;`).join('\n')}
      return new; end $$`,
    'create trigger one before update on grants for each row execute function one_function()',
  ].join('; --> statement-breakpoint ');
}

async function apply(db: Drizzle, text: string): Promise<void> {
  const statements = text === '' ? dropAll() : text.split('--> statement-breakpoint');
  for (const statement of statements) await db.execute(sql.raw(statement));
}

/** Without even the marks that a disabled trigger leaves on its table. */
const dropAll = () => ['drop function no_machine_allows() cascade', 'drop function grant_is_born_once() cascade'];

type Run = {
  readonly name: string;
  readonly database: string;
  readonly opened: Database;
  readonly store: GrantStore;
  readonly heads: Map<string, LoadedGrant | null>;
  /** µs, of each round. */
  readonly cpu: number[];
  readonly latency: number[];
  readonly p95: number[];
};

const databases = await openDatabases();
try {
  const runs: Run[] = [];
  for (const [index, [name, text]] of Object.entries(VARIANTS).entries()) {
    const database = `triggers_${index}`;
    const url = await databases.create(database);
    const opened = openPostgres(url, { connections: 1 });
    await opened.migrate();
    await registerClientAndPerson(opened.drizzle);
    await insertGrants(opened.drizzle, CHAINS);
    await apply(opened.drizzle, text);
    await databases.analyze(url);
    const ids = await opened.drizzle.execute<{ id: string }>(sql`select id from grants`);
    const store = grantStore(opened.drizzle, databaseClock);
    const heads: Run['heads'] = new Map();
    for (const { id } of ids as unknown as { id: string }[]) {
      heads.set(id, (await store.load({ clientId: CLIENT_ID, grantId: id })).grant);
    }
    runs.push({
      name,
      database,
      opened,
      store,
      heads,
      cpu: [] as number[],
      latency: [] as number[],
      p95: [] as number[],
    });
  }
  for (let round = 0; round <= ROUNDS; round++) {
    const first = round % runs.length;
    for (const run of [...runs.slice(first), ...runs.slice(0, first)]) {
      const times: number[] = [];
      const before = await postgresCpu(databases.admin, run.database);
      for (const [id, loaded] of run.heads) {
        if (!loaded) throw new Error('no grant');
        const now = new Date();
        const generation = loaded.refreshGeneration === null ? 0n : loaded.refreshGeneration + 1n;
        const nonce = randomBytes(16);
        const chainEndsAt = new Date(now.getTime() + 86_400_000);
        const entry = {
          machine: 'refreshToken',
          event: 'presented',
          from: 'active',
          to: 'used',
          reason: null,
          generation,
        };
        const move = {
          loaded,
          now,
          generation,
          nonce,
          chainEndsAt,
          endsAt: chainEndsAt,
          policy: 'default',
          entry,
        } as const;
        const began = performance.now();
        if (!(await run.store.moveHead(move))) throw new Error('not moved');
        times.push(performance.now() - began);
        run.heads.set(id, { ...loaded, refreshGeneration: generation, refreshNonce: nonce });
      }
      const cpu = postgresCpuBetween(before, await postgresCpu(databases.admin, run.database));
      // The first round exchanges codes and warms up.
      if (round === 0) continue;
      run.cpu.push((cpu ?? Number.NaN) / CHAINS);
      run.latency.push(median(times) * 1000);
      run.p95.push(quantile(times, 0.95) * 1000);
    }
  }
  const [bare] = runs;
  const beside = (of: 'cpu' | 'latency' | 'p95', run: (typeof runs)[number]) =>
    median(run[of].map((value, round) => value - (bare?.[of][round] ?? 0)));
  process.stdout.write('µs a commit: Postgres CPU (beside none, paired), p50 (beside none), p95 (beside none)\n');
  for (const run of runs) {
    const figures = (['cpu', 'latency', 'p95'] as const).map(
      (of) => `${median(run[of]).toFixed(1)} (${beside(of, run) >= 0 ? '+' : ''}${beside(of, run).toFixed(1)})`,
    );
    process.stdout.write(`${figures.join('  ')}  ${run.name}\n`);
  }
  await Promise.all(runs.map(({ opened }) => opened.close()));
} finally {
  await databases.close();
}
