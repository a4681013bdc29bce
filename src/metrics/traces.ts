/** Spans on their way to the collector of traces. */
import { Counter, type Registry } from 'prom-client';
import { exportedSpans } from '../system/observed.ts';

/** @returns a function that ends the counting. */
export function countSpans(registry: Registry): () => void {
  const counted = new Counter({
    name: 'statehouse_spans_total',
    help: 'Spans for the collector of traces: delivered, or failed and lost.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return exportedSpans.listen(({ outcome, spans }) => counted.inc({ outcome }, spans));
}
