/** Another program holds locks on tables, as a migration by hand or a backup with the wrong options does. */
import postgres from 'postgres';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { openPostgres } from '../../src/storage/postgres.ts';
import { refresh } from '../support/actors.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { ENDPOINTS, type EndpointName, prepareEndpoints, type Reply } from '../support/every-endpoint.ts';
import { withDeadlines } from '../support/patience.ts';
import { openSceneOn, type Scene } from '../support/scene.ts';
import { everything } from '../support/stored.ts';

const SHORT = { lockMilliseconds: 100, connectionMilliseconds: 150 };

let opened: TestDatabase<string>;
let scene: Scene;
let endpoints: Record<EndpointName, () => Promise<Reply>>;
beforeAll(async () => {
  opened = await openTestDatabase('postgres');
  // A connection begins with its settings, and the second is opened with the first request that needs it.
  const database = await withDeadlines(SHORT, async () => openPostgres(opened.url, { connections: 2 }));
  scene = await openSceneOn({ database, url: opened.url, close: () => database.close() });
  endpoints = await prepareEndpoints(scene);
});
afterAll(async () => {
  await scene.close();
  await opened.close();
});

/** @returns lets them go. */
async function locked(which: string): Promise<() => Promise<unknown>> {
  const program = postgres(opened.url, { max: 1, onnotice: () => {} });
  onTestFinished(() => program.end());
  const tables = await program<{ name: string }[]>`
    select quote_ident(relname) as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname like ${which}`;
  expect(tables.length).toBeGreaterThan(0);
  await program`begin`;
  await program.unsafe(`lock table ${tables.map(({ name }) => name).join(', ')} in access exclusive mode`);
  return () => program`rollback`;
}

const failuresIn = (log: string) => new Set([...log.matchAll(/"code":"(\w+)"/g)].map(([, code]) => code));

it('the server answers 503 at every endpoint while every table is locked, and changes nothing', async () => {
  const before = await everything(opened.database.drizzle);
  const letGo = await locked('%');
  const asked = Array.from({ length: 3 }, () => ENDPOINTS).flat();
  const answers = await withDeadlines(SHORT, () => Promise.all(asked.map((name) => endpoints[name]())));
  expect(answers.map(({ status }) => status)).toEqual(asked.map(() => 503));
  // Postgres ended the wait of those that it had, and the pool that of the others: of neither is the end unknown.
  expect([...failuresIn(scene.logs())].toSorted()).toEqual(['55P03', 'NO_CONNECTION']);
  expect(scene.logs()).not.toContain('commit_unknown');
  await letGo();
  expect(await everything(opened.database.drizzle)).toEqual(before);
});

it('the server answers 503 to a rotation that cannot write to the ledger, and the refresh token still works afterwards', async () => {
  const head = await scene.chain();
  const letGo = await locked('transitions%');
  const refused = await withDeadlines(SHORT, () => refresh(scene, scene.client, head));
  expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': expect.any(String) } });
  await letGo();
  expect(await refresh(scene, scene.client, head)).toMatchObject({ status: 200 });
});
