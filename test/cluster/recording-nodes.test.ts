/** The nodes of a cluster that record entries, while one comes and while one leaves. */
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import { openPostgres } from '../../src/storage/postgres.ts';
import { endsOfNodes, recordingNodes } from '../../src/storage/recording-nodes.ts';
import type { PostgresServer } from '../support/postgres.ts';
import { addDatabase, type Citus, citusPath, inDatabase, portOf, startCitus } from './citus.ts';

const NAME = 'recording';
const LEFT = String(2n ** 64n - 1n);

describe.skipIf(citusPath === null)('the recording nodes of a cluster', () => {
  let citus: Citus;
  let database: Database;
  let late: PostgresServer;
  let administrator: postgres.Sql;

  beforeAll(async () => {
    citus = await startCitus(1);
    const url = await citus.makeDistributed(NAME);
    database = openPostgres(url);
    late = await citus.makeServer();
    await addDatabase(late, NAME, 'postgres');
    administrator = postgres(url, { max: 1, onnotice: () => {} });
  });
  afterAll(async () => {
    await administrator?.end();
    await database?.close();
    await late?.stop();
    await citus?.stop();
  });

  const standing = async () =>
    (await recordingNodes(database.drizzle)).map(({ node, settledBelow }) => [node, settledBelow === LEFT]);
  const BEFORE = [
    [undefined, false],
    [1, false],
    [2, false],
  ];

  it('lack a node on its way into the cluster, have it once it is there, and keep it once it left', async () => {
    expect(await standing()).toEqual(BEFORE);
    await administrator.begin(async (transaction) => {
      await transaction`select citus_add_node('127.0.0.1', ${portOf(late)})`;
      expect(await standing()).toEqual(BEFORE);
      await expect(endsOfNodes(database.drizzle)).rejects.toMatchObject({ code: '08006' });
    });
    expect(await standing()).toEqual([...BEFORE, [3, false]]);
    expect((await endsOfNodes(database.drizzle)).others.map(({ node }) => node)).toEqual([1, 2, 3]);
    await administrator`select citus_remove_node('127.0.0.1', ${portOf(late)})`;
    expect(await standing()).toEqual([...BEFORE, [3, true]]);
    expect((await endsOfNodes(database.drizzle)).others).toHaveLength(3);
  });

  it('have each node that left, also where a server asks a worker', async () => {
    const [worker] = citus.workers as [PostgresServer];
    const there = openPostgres(inDatabase(worker, NAME));
    try {
      expect(await recordingNodes(there.drizzle)).toMatchObject(
        [...BEFORE, [3, true]].map(([node]) => (node === undefined ? {} : { node })),
      );
    } finally {
      await there.close();
    }
  });
});
