/** The periodic jobs of this node (src/system/rounds.ts): how long they take, how they end, and which take longer than their interval. */
import { Counter, Histogram, type Registry } from 'prom-client';
import { roundsRun } from '../system/observed.ts';

const SECONDS = [0.01, 0.1, 1, 10, 30, 60, 300];

/** @returns a function that ends the counting. */
export function countRounds(registry: Registry): () => void {
  const registers = [registry];
  const durations = new Histogram({
    name: 'statehouse_round_duration_seconds',
    help: 'Runs of periodic jobs: completed, failed, or elsewhere (another node ran the job).',
    labelNames: ['round', 'outcome'],
    buckets: SECONDS,
    registers,
  });
  const overruns = new Counter({
    name: 'statehouse_round_overruns_total',
    help: 'Runs of periodic jobs that took longer than their interval.',
    labelNames: ['round'],
    registers,
  });
  return roundsRun.listen(({ round, outcome, seconds, overran }) => {
    durations.observe({ round, outcome }, seconds);
    overruns.inc({ round }, overran ? 1 : 0);
  });
}
