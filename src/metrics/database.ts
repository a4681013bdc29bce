/** How statements go to the database: in which batches, over how busy a pool. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { poolTroubles, sentBatches } from '../system/observed.ts';

/** @param inFlight null: the driver does not tell. @returns a function that ends the counting. */
export function countStatements(registry: Registry, inFlight: () => number | null): () => void {
  const registers = [registry];
  const batches = new Histogram({
    name: 'statehouse_batch_items',
    help: 'The number of requests that share a statement.',
    labelNames: ['statement'],
    buckets: [1, 2, 4, 8, 16, 32, 64],
    registers,
  });
  const troubles = new Counter({
    name: 'statehouse_database_troubles_total',
    help: 'unanswered: statements without an answer in time; no_connection: statements for which no connection was free in time; replaced: pools that were opened again.',
    labelNames: ['trouble'],
    registers,
  });
  if (inFlight() !== null) {
    new Gauge({
      name: 'statehouse_database_statements_in_flight',
      help: 'Statements that wait for a connection or for their answer.',
      registers,
      collect() {
        this.set(inFlight() ?? 0);
      },
    });
  }
  const ends = [
    sentBatches.listen(({ name, items }) => batches.observe({ statement: name }, items)),
    poolTroubles.listen((trouble) => troubles.inc(trouble)),
  ];
  return () => {
    for (const end of ends) end();
  };
}
