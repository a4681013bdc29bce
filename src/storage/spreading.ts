/** Tables that are spread over the workers of a Citus cluster (docs/decisions/0118). */
import type postgres from 'postgres';
import { ARE_TABLES_SPREAD } from './each-node.ts';
import type { Spreading } from './postgres-pool.ts';

/**
 * Citus plans a statement for the values that name a worker, so a plan for every value cannot be kept. It plans what it sends to a worker
 * itself. A statement reads several shards one after the other on each worker. After a parallel read, Citus would refuse to write a row
 * that every node has.
 */
export const SPREADING: Spreading = {
  areTablesSpread: async (client: postgres.Sql) => {
    const [row] = await client.unsafe(`select ${ARE_TABLES_SPREAD} as spread`);
    return row?.['spread'] === true;
  },
  connection: { plan_cache_mode: 'force_custom_plan', 'citus.multi_shard_modify_mode': 'sequential' },
};
