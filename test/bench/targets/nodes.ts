/** Several processes of Statehouse on one database, as behind a load balancer. */
import { startStatehouse } from './statehouse.ts';
import type { Start } from './target.ts';

export const startNodes =
  (count: number): Start =>
  async (databaseUrl) => {
    const first = await startStatehouse(databaseUrl);
    const others = await Promise.all(Array.from({ length: count - 1 }, () => startStatehouse(databaseUrl)));
    const nodes = [first, ...others];
    const stop = async () => void (await Promise.all(nodes.map((node) => node.stop())));
    return { ...first, name: 'nodes', nodes, stop };
  };
