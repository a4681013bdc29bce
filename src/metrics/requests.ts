/** Responses, by route: their number, their duration, and the reasons of rejections. */
import { Counter, Histogram, type Registry } from 'prom-client';
import { answeredRequests, repeatedRequests } from '../system/observed.ts';

const METHOD_NOT_ALLOWED = 405;
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** @returns a function that ends the counting. */
export function countRequests(registry: Registry): () => void {
  const registers = [registry];
  const durations = new Histogram({
    name: 'statehouse_request_duration_seconds',
    help: 'The time from the first byte of a request to the end of its response.',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS_SECONDS,
    registers,
  });
  const refusals = new Counter({
    name: 'statehouse_requests_refused_total',
    help: 'Rejected and failed requests, by the reason in the log.',
    labelNames: ['route', 'reason'],
    registers,
  });
  const repeats = new Counter({
    name: 'statehouse_requests_repeated_total',
    help: 'Token requests that a client repeats after the end of its chain, which the node answered from memory.',
    labelNames: ['reason'],
    registers,
  });
  const endRepeats = repeatedRequests.listen((labels) => repeats.inc(labels));
  const endRequests = answeredRequests.listen(({ method, route, status, seconds, reason }) => {
    // A method that the route does not have is the caller's choice, and each would be a series of its own.
    const known = route ?? 'none';
    const isServed = route !== null && status !== METHOD_NOT_ALLOWED;
    durations.observe({ method: isServed ? method : 'any', route: known, status }, seconds);
    if (reason !== null) refusals.inc({ route: known, reason });
  });
  return () => {
    endRequests();
    endRepeats();
  };
}
