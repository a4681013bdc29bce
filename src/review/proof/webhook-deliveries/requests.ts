/** What nodes and operators ask for: a claim, a report of each attempt that was claimed, a repetition, the end of the receiver. */
import type { Asked, Known } from './terms.ts';

const OUTCOMES = ['delivered', 'gone', 'failed'] as const;

export const requestsAt = ({ claims }: Known): readonly Asked[] => [
  { kind: 'claim' },
  ...claims.flatMap((claim) => OUTCOMES.map((outcome): Asked => ({ kind: 'report', outcome, claim }))),
  { kind: 'repeat' },
  { kind: 'removeReceiver' },
];
