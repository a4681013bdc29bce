import { InvalidArgumentError } from 'commander';
import type { Bounds } from '../review/proof/walk.ts';

/** `5,3,2`: one walk of the proof per argument. */
export function boundsOf(text: string, before: readonly Bounds[] = []): readonly Bounds[] {
  const [, requests, inFlight, faults] = /^(\d{1,2}),(\d{1,2}),(\d{1,2})$/.exec(text) ?? [];
  if (requests === undefined) throw new InvalidArgumentError('Expected three numbers such as 5,3,2.');
  return [...before, { requests: Number(requests), inFlight: Number(inFlight), faults: Number(faults) }];
}
