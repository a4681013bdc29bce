/** How the server's connections want their statements planned: docs/decisions/0017. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';

let opened: TestDatabase<string>;
beforeAll(async () => {
  opened = await openTestDatabase('postgres');
});
afterAll(() => opened.close());

it.each([
  ['plan_cache_mode', 'force_generic_plan'],
  ['enable_seqscan', 'off'],
  // Before Postgres 18 a scan that cannot be avoided costs so much on paper that every statement would be compiled: 170 ms.
  ['jit', 'off'],
])('%s is %s', async (setting, value) => {
  const rows = await opened.database.drizzle.execute(`show ${setting}`);
  expect(rows).toMatchObject([{ [setting]: value }]);
});

it('a query of every request is not compiled just in time', async () => {
  const plan = await opened.database.drizzle.execute('explain (analyze) select * from server');
  expect(JSON.stringify(plan)).not.toContain('JIT');
});
