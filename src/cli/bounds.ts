import { InvalidArgumentError } from 'commander';
import type { Bounds } from '../review/proof/beginning.ts';

/** `5,3,2`: one walk of the proof per argument. */
export function boundsOf(text: string, before: readonly Bounds[] = []): readonly Bounds[] {
  const [, presentations, inFlight, disturbances] = /^(\d{1,2}),(\d{1,2}),(\d{1,2})$/.exec(text) ?? [];
  if (presentations === undefined) throw new InvalidArgumentError('three numbers, as 5,3,2.');
  const [one, two, three] = [presentations, inFlight, disturbances].map(Number);
  return [...before, { presentations: one ?? 0, inFlight: two ?? 0, disturbances: three ?? 0 }];
}
