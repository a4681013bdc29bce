/** The tables whose rows have MACs already: a start gives MACs to the rows of no other table (decision 0043). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { macColumns } from '../../../src/storage/mac-columns.ts';
import { tablesWithMacs } from '../../../src/storage/renew-row-macs.ts';
import { databaseKinds } from '../../support/database.ts';
import { openWorld, type World } from './world.ts';

describe.each(databaseKinds)('the tables with MACs on %s', (kind) => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(kind);
  });
  afterAll(() => world.close());

  it('are all that the schema names, so that a start vouches for no row that another hand wrote', async () => {
    const tables = await tablesWithMacs(world.db);
    expect(tables.size).toBeGreaterThan(0);
    for (const { table } of macColumns) expect(tables).toContain(table);
  });
});
